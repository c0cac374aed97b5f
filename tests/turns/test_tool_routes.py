"""Tools over HTTP: checked, imported, exported, and asked of a real MCP server on loopback."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import aiohttp.web
import pytest
import uvicorn
from mcp.server.fastmcp import FastMCP

from app.tools.toolset import parse_mocks
from tests.site import Client, serving

TOOL = {"name": "get_time", "description": "Now.", "parameters": {"type": "object"}}
PYTHON = 'def get_time(zone: str) -> str:\n    """The time in a zone."""\n'
OPENAPI = """openapi: 3.1.0
info: {title: Time, version: "1"}
paths:
  /time:
    get: {operationId: get_time, summary: Now., responses: {"200": {description: ok}}}
"""
MCP_LIST = json.dumps({"tools": [{"name": "get_time", "inputSchema": {"type": "object"}}]})
HTML = "<img src=x onerror=alert(1)>"


@pytest.fixture
async def site() -> AsyncGenerator[str]:
    async with serving() as base:
        yield base


@pytest.fixture
async def client(session: aiohttp.ClientSession, site: str) -> Client:
    return Client(session, site)


async def post(client: Client, path: str, **body: Any) -> tuple[int, Any]:
    return await client.call("POST", f"/api/tools/{path}", json=body)


async def test_tools_that_are_good_are_told_by_name(client: Client) -> None:
    status, found = await post(client, "check", tools=json.dumps(TOOL))
    assert status == 200
    assert found == {"tools": [{**TOOL, "warned": False}], "errors": [], "warnings": []}


async def test_a_mistake_is_told_with_its_place_and_leaves_no_tools(client: Client) -> None:
    _, found = await post(client, "check", tools='[\n  {"type": "function",}\n]')
    (error,) = found["errors"]
    assert found["tools"] == []
    assert (error["key"], error["line"], error["column"]) == ("trailing_comma", 2, 22)


async def test_only_the_tool_that_a_warning_is_about_is_marked(client: Client) -> None:
    tools = [{"type": "function", "function": {**TOOL, "name": name}} for name in ("fine", "a b")]
    _, found = await post(client, "check", tools=json.dumps(tools))
    assert [each["warned"] for each in found["tools"]] == [False, True]


async def test_the_schema_of_an_answer_is_held_against_the_standard(client: Client) -> None:
    text = '{"type": "object",\n "properties": {"a": {"type": "text"}}, "required": ["b"]}'
    _, found = await post(client, "check", schema=text)
    assert [(each["key"], each["path"]) for each in found["errors"]] == [
        ("answer_type", "$.properties.a.type")
    ]
    assert [each["key"] for each in found["warnings"]] == ["required_unknown"]
    assert (await post(client, "check", schema=" "))[1] == {"errors": [], "warnings": []}
    assert (await post(client, "check", schema="[]"))[1]["errors"][0]["key"] == "answer_form"


async def test_rules_are_counted_or_told_where_one_is_wrong(client: Client) -> None:
    good = json.dumps([{"tool": "*", "result": 1}])
    assert (await post(client, "check", rules=good))[1] == {"errors": [], "count": 1}
    _, found = await post(client, "check", rules='[\n{"tool": "*", "result": 1},\n{"tool": 7}]')
    (error,) = found["errors"]
    assert (error["path"], error["line"]) == ("$[1].tool", 3)
    assert error["message"].startswith("$[1].tool must be the name of a tool")


@pytest.mark.parametrize("body", [{}, {"tools": "", "rules": ""}, {"tools": 7}, {"more": ""}])
async def test_a_check_is_of_one_text(client: Client, body: dict[str, Any]) -> None:
    status, answer = await post(client, "check", **body)
    assert (status, answer["error"]["code"]) == (422, "invalid_request")


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("python", PYTHON),
        ("openapi", OPENAPI),
        ("mcp", MCP_LIST),
        ("json", json.dumps(TOOL)),
    ],
)
async def test_tools_come_from_what_people_have(client: Client, kind: str, text: str) -> None:
    status, named = await post(client, "import", text=text, kind=kind)
    assert status == 200
    assert [each["function"]["name"] for each in json.loads(named["tools"])] == ["get_time"]
    assert (await post(client, "import", text=text))[1] == named


async def test_a_tool_set_brings_its_rules(client: Client) -> None:
    rules = [
        {"tool": "get_time", "when": {"zone": "UTC"}, "result": "12:00", "delay_s": 2.0},
        {"tool": "get_time", "error": "timeout"},
        {"tool": "get_time", "generate": True},
        {"tool": "*", "ask": True},
    ]
    tools = [{"type": "function", "function": TOOL}]
    results = {"get_time": {"type": "string"}}
    text = json.dumps({"tools": tools, "results": results, "mocks": rules})
    _, found = await post(client, "import", text=text)
    assert (found["mocks"], found["results"]) == (rules, results)


@pytest.mark.parametrize(
    ("kind", "text", "sentence"),
    [
        ("auto", "", "nothing to import"),
        ("json", "{", "line 1"),
        ("python", "def (", "line 1"),
        ("openapi", "openapi: [", "line"),
        ("mcp", "{}", "tools/list"),
        ("json", "[" * 1_000 + "]" * 1_000, "nested deeper"),
        ("auto", "[" * 100_000, "nested deeper"),
        ("auto", '"' + "x" * 2_000_000, "tools are made of"),
    ],
)
async def test_what_is_no_tool_is_refused_in_a_sentence(
    client: Client, kind: str, text: str, sentence: str
) -> None:
    status, answer = await post(client, "import", text=text, kind=kind)
    assert (status, answer["error"]["code"]) == (422, "import_failed")
    assert sentence in answer["error"]["message"]


async def test_a_schema_that_is_a_thousand_deep_is_one_finding(client: Client) -> None:
    text = '{"type":"object","properties":{"a":' * 1_000 + "{}" + "}}" * 1_000
    for kind in ("tools", "schema", "rules"):
        _, found = await post(client, "check", **{kind: text})
        assert [each["key"] for each in found["errors"]] == ["too_deep"]


async def test_fifty_megabytes_are_not_read(client: Client) -> None:
    status, _ = await client.call(
        "POST", "/api/tools/check", data=b'{"tools":"' + b"x" * 50_000_000
    )
    assert status == 413


async def test_a_name_of_html_stays_a_name(client: Client) -> None:
    _, found = await post(client, "check", tools=json.dumps({**TOOL, "name": HTML}))
    assert found["tools"][0]["name"] == HTML
    assert [each["key"] for each in found["warnings"]] == ["name_form"]


async def test_tools_go_out_as_a_python_module_and_come_back(client: Client) -> None:
    _, module = await post(client, "export", tools=json.dumps(TOOL))
    _, back = await post(client, "import", text=module["python"])
    assert json.loads(back["tools"]) == [{"type": "function", "function": TOOL}]
    status, refused = await post(client, "export", tools="{")
    assert (status, refused["error"]["code"]) == (422, "export_failed")
    assert refused["error"]["message"].startswith("Line 1, column ")


async def test_tools_go_out_with_their_rules_as_one_file_that_comes_back(client: Client) -> None:
    rules = [{"tool": "get_time", "result": "12:00"}, {"tool": "*", "generate": True}]
    results = {"get_time": {"type": "string"}}
    beside = {"results": results, "mocks": rules}
    _, out = await post(client, "export", tools=json.dumps(TOOL), rules=json.dumps(beside))
    tools = [{"type": "function", "function": TOOL}]
    assert json.loads(out["json"]) == {"tools": tools, **beside}
    assert parse_mocks(out["json"], {}).results == results
    _, back = await post(client, "import", text=out["json"])
    assert (back["mocks"], back["results"]) == (rules, results)
    _, alone = await post(client, "export", tools=json.dumps(TOOL))
    assert json.loads(alone["json"]) == tools
    status, refused = await post(client, "export", tools=json.dumps(TOOL), rules="[{}]")
    assert (status, refused["error"]["code"]) == (422, "export_failed")


async def test_nobody_is_answered_without_an_owner(
    session: aiohttp.ClientSession, site: str
) -> None:
    for path in ("check", "import", "export", "mcp"):
        async with session.post(f"{site}/api/tools/{path}", json={"tools": ""}) as response:
            assert response.status == 401


async def test_no_server_is_asked_that_the_owner_does_not_list(client: Client) -> None:
    assert (await client.call("GET", "/api/tools/mcp"))[1] == {"servers": []}
    status, answer = await post(client, "mcp", server="http://127.0.0.1:1/mcp")
    assert (status, answer["error"]["code"]) == (404, "no_mcp_server")


@asynccontextmanager
async def mcp_server() -> AsyncGenerator[str]:
    """A server of two tools; the address at which it listens."""
    served = FastMCP("clock")

    @served.tool()
    def get_time(zone: str) -> str:
        """The time in a zone."""
        raise AssertionError("no tool is ever called")

    @served.tool()
    def list_zones() -> list[str]:
        """All zones."""
        raise AssertionError("no tool is ever called")

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
        server = uvicorn.Server(uvicorn.Config(served.streamable_http_app(), log_level="error"))
        running = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            server.should_exit = True
            await running


@asynccontextmanager
async def listening(
    answer: Callable[[aiohttp.web.BaseRequest], Awaitable[aiohttp.web.StreamResponse]],
) -> AsyncGenerator[str]:
    """A server that answers as the function does; the address at which it listens."""
    runner = aiohttp.web.ServerRunner(aiohttp.web.Server(answer))
    await runner.setup()
    await aiohttp.web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def test_a_listed_server_is_asked_for_its_tools(session: aiohttp.ClientSession) -> None:
    async with mcp_server() as url, serving(mcp_servers=f"{url} http://127.0.0.1:1/mcp") as base:
        client = Client(session, base)
        _, listed = await client.call("GET", "/api/tools/mcp")
        good, gone = listed["servers"]
        assert good["name"] in url
        assert "/mcp" not in good["name"]
        status, found = await post(client, "mcp", server=good["id"])
        assert status == 200
        names = [each["function"]["name"] for each in json.loads(found["tools"])]
        assert names == ["get_time", "list_zones"]
        status, refused = await post(client, "mcp", server=gone["id"])
        assert (status, refused["error"]["code"]) == (502, "mcp_failed")
        assert "127.0.0.1:1 cannot be asked" in refused["error"]["message"]


async def test_a_server_that_leads_elsewhere_is_not_followed(
    session: aiohttp.ClientSession,
) -> None:
    asked: list[str] = []

    async def answer(request: aiohttp.web.BaseRequest) -> aiohttp.web.StreamResponse:
        asked.append(request.path)
        return aiohttp.web.Response(status=307, headers={"Location": "/elsewhere"})

    async with listening(answer) as address, serving(mcp_servers=f"{address}/mcp") as base:
        status, _ = await post(Client(session, base), "mcp", server="0")
    assert status == 502
    assert "/elsewhere" not in asked


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
async def test_a_server_that_never_ends_its_answer_is_left_in_time(
    session: aiohttp.ClientSession, kind: str
) -> None:
    sent = 0

    async def answer(request: aiohttp.web.BaseRequest) -> aiohttp.web.StreamResponse:
        nonlocal sent
        response = aiohttp.web.StreamResponse(headers={"Content-Type": kind})
        await response.prepare(request)
        while True:
            await response.write(b" " * 100_000)
            sent += 100_000

    async with listening(answer) as address, serving(mcp_servers=f"{address}/mcp") as base:
        status, refused = await post(Client(session, base), "mcp", server="0")
    assert (status, refused["error"]["code"]) == (502, "mcp_failed")
    assert "too large" in refused["error"]["message"]
    assert sent < 20_000_000, "what the system keeps on the way comes on top of what is taken"


async def test_a_visitor_has_a_minutes_share(session: aiohttp.ClientSession) -> None:
    async with serving(public=True) as base:
        client = Client(session, base)
        for _ in range(200):
            await post(client, "check", tools="")
        status, answer = await post(client, "check", tools="")
    assert (status, answer["error"]["code"]) == (429, "too_many_requests")
