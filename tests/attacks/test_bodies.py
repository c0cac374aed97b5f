"""Bodies that are too deep, too large or hostile are refused, or are text; the app goes on."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from tests.attacks.routes import JSON, Route, routes_of
from tests.site import CHAT, Client, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")

IDS = {"chat_id": CHAT, "number": "0"}
TURNS = f"/api/chats/{CHAT}/turns"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def base() -> AsyncIterator[str]:
    async with serving(simulator_tokens_per_second=5000.0) as url:
        yield url


@pytest_asyncio.fixture(loop_scope="module")
async def client(base: str) -> AsyncIterator[Client]:
    """A browser, which finds the app well afterwards."""
    async with aiohttp.ClientSession() as session:
        one = Client(session, base)
        yield one
        status, answer = await one.call("GET", "/api/chats")
        assert status == 200, answer


async def with_bodies(client: Client) -> list[Route]:
    """The routes that take JSON."""
    document = (await client.call("GET", "/openapi.json"))[1]
    return [route for route in routes_of(document) if route.body is not None]


def deep(levels: int) -> dict[str, Any]:
    """A schema of objects in objects."""
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


async def raw(base: str, route: Route, data: bytes) -> int:
    """The status of an answer to these bytes; 413 where the connection is cut before it."""
    headers = {"X-Owner": "t" * 22, "Content-Type": JSON}
    async with aiohttp.ClientSession() as session:
        try:
            async with session.request(
                route.method,
                base + route.filled(IDS),
                data=data,
                headers=headers,
                params=route.query,
            ) as response:
                return response.status
        except aiohttp.ClientConnectionError:
            return 413


async def test_fifty_megabytes_of_json_are_refused_by_every_route(
    base: str, client: Client
) -> None:
    large = b'{"text": "' + b"x" * 50_000_000 + b'"}'
    for route in await with_bodies(client):
        assert await raw(base, route, large) in (413, 422), route


@pytest.mark.parametrize("levels", [1000, 100_000])
async def test_json_of_many_levels_is_refused_by_every_route(
    base: str, client: Client, levels: int
) -> None:
    for shape in (b"[" * levels + b"]" * levels, b'{"a":' * levels + b"1" + b"}" * levels):
        for route in await with_bodies(client):
            assert 400 <= await raw(base, route, shape) < 500, route


async def test_a_tool_whose_schema_is_a_thousand_levels_deep_harms_nobody(
    client: Client,
) -> None:
    text = json.dumps(deep(300))
    for _ in range(700):
        text = f'{{"type":"object","properties":{{"a":{text}}}}}'
    tool = f'{{"type":"function","function":{{"name":"deep","parameters":{text}}}}}'
    data = f'{{"text":"Call it","options":{{"tools":[{tool}]}}}}'.encode()
    route = Route("POST", "/api/chats/{chat_id}/turns", ("chat_id",), {}, None)
    status = await raw(client.base, route, data)
    assert status in (201, 400, 413, 422)
    for kind in ("check", "export"):
        status, answer = await client.call(
            "POST", f"/api/tools/{kind}", json={"tools": f"[{tool}]"}
        )
        assert status in (200, 422), answer


@pytest.mark.parametrize(
    "name", ["<img src=x onerror=alert(1)>", "__proto__", "a\u202eb", "x" * 500]
)
async def test_a_hostile_name_of_a_tool_is_refused_or_is_text(client: Client, name: str) -> None:
    tool = {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}
    body = {"text": "Call it", "options": {"tools": [tool], "tool_choice": "required"}}
    status, answer = await client.call("POST", "/api/chats/hostile-names/turns", json=body)
    if status != 201:
        assert status == 422
        return
    await client.finish(answer["run"])
    page = json.dumps((await client.call("GET", "/api/chats/hostile-names"))[1]["messages"])
    assert "\\u003cscript" not in page


async def test_markdown_that_would_run_is_shown_as_text(client: Client) -> None:
    hostile = (
        "<script>alert(1)</script><svg/onload=alert(1)>[x](javascript:alert(1))"
        "![x](https://e.example/p.png)<style>*{display:none}</style><iframe src=//e.example>"
    )
    started = await client.start(hostile, chat="hostile-words")
    await client.finish(started["run"])
    messages = (await client.call("GET", "/api/chats/hostile-words"))[1]["messages"]
    rendered = [block for part in messages[1]["parts"] for block in part.get("blocks", ())]
    assert rendered
    for block in rendered:
        html = block if isinstance(block, str) else json.dumps(block)
        for tag in ("<script", "<svg", "<style", "<iframe", "<img", 'href="javascript'):
            assert tag not in html


async def test_only_the_owner_names_other_hosts(client: Client) -> None:
    elsewhere = "http://169.254.169.254/latest/meta-data"
    for field in ("base_url", "openai_base_url", "url", "model", "api_key", "endpoint"):
        for body in (
            {"text": "Hi", field: elsewhere},
            {"text": "Hi", "options": {field: elsewhere}},
        ):
            status, answer = await client.call("POST", TURNS, json=body)
            assert status == 422, (field, answer)
    for server in (elsewhere, "1", "-1", "0"):
        status, answer = await client.call("POST", "/api/tools/mcp", json={"server": server})
        assert (status, answer["error"]["code"]) == (404, "no_mcp_server")
