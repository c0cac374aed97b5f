"""What is set up for the tools of a chat, as a page uses it: the real application, simulated."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from typing import Any

import aiohttp
import pytest

from tests.site import CHAT, Client, serving

SETUP = f"/api/chats/{CHAT}/setup"
DEFAULTS: dict[str, Any] = {
    "tools": "",
    "off": [],
    "choice": None,
    "parallel": None,
    "rules": "",
    "auto": False,
    "max_steps": 8,
    "answer_schema": "",
}
NAMED = {"type": "function", "function": {"name": "get_weather"}}


def tool(name: str) -> dict[str, Any]:
    parameters = {"type": "object", "properties": {"location": {"type": "string"}}}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


TOOLS = [tool("get_weather"), tool("find_hotel")]


@pytest.fixture
async def client(session: aiohttp.ClientSession) -> AsyncGenerator[Client]:
    async with serving(simulator_tokens_per_second=5000) as base:
        yield Client(session, base)


async def get(client: Client, path: str) -> Any:
    status, found = await client.call("GET", path)
    assert status == 200, found
    return found


async def sent(client: Client, text: str, **options: Any) -> dict[str, Any]:
    """The body of the request that a message with these options makes."""
    started = await client.start(text, chat=options.pop("chat", CHAT), options=options)
    await client.finish(started["run"])
    chats = await get(client, "/api/chats")
    turn, chat = started["turn"], chats["chats"][0]["id"]
    body: dict[str, Any] = await get(client, f"/api/chats/{chat}/turns/{turn}/exchanges/0/request")
    return body


async def test_a_setup_is_kept_as_typed_before_anything_was_said(client: Client) -> None:
    status, _ = await client.call("GET", f"/api/chats/{CHAT}")
    assert status == 404
    kept = {**DEFAULTS, "tools": "[{ half", "choice": NAMED, "off": ["x"], "rules": " \n"}
    status, _ = await client.call("PUT", SETUP, json={k: kept[k] for k in kept if kept[k]})
    assert status == 204
    chat = await get(client, f"/api/chats/{CHAT}")
    assert (chat["setup"], chat["messages"]) == (kept, [])
    assert chat["calls"] == {"calls": 0, "valid": 0, "invalid": 0, "unknown": 0}
    assert (await get(client, "/api/chats"))["chats"] == []


async def test_what_is_left_out_of_a_setup_is_its_default(client: Client) -> None:
    await client.call("PUT", SETUP, json={"tools": "[]", "parallel": False, "max_steps": 2})
    await client.call("PUT", SETUP, json={"answer_schema": "{"})
    chat = await get(client, f"/api/chats/{CHAT}")
    assert chat["setup"] == {**DEFAULTS, "answer_schema": "{"}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"tools": "x" * 1_000_001, "rules": "x" * 1_000_000}, "longer than 2,000,000 characters"),
        ({"choice": "always"}, "choice"),
        ({"max_steps": 0}, "max_steps"),
        ({"tool": ""}, "tool"),
    ],
)
async def test_a_setup_that_cannot_be_is_refused(
    client: Client, body: dict[str, Any], said: str
) -> None:
    status, view = await client.call("PUT", SETUP, json=body)
    assert status == 422
    assert said.casefold() in view["error"]["message"].casefold()


async def test_a_chat_that_is_deleted_has_no_setup_left(client: Client) -> None:
    await client.call("PUT", SETUP, json={"tools": "[]"})
    status, _ = await client.call("DELETE", f"/api/chats/{CHAT}")
    assert status == 204
    assert (await client.call("GET", f"/api/chats/{CHAT}"))[0] == 404


async def test_tools_that_are_off_are_not_sent(client: Client) -> None:
    body = await sent(client, "Hi", tools=TOOLS, tools_off=["get_weather", "unknown"])
    assert body["tools"] == [TOOLS[1]]


async def test_a_chat_without_tools_asks_as_if_there_were_no_keys_of_theirs(
    client: Client,
) -> None:
    plain = await sent(client, "Hi", chat="chat-plain")
    names = [each["function"]["name"] for each in TOOLS]
    forced: dict[str, Any] = {"tool_choice": "required", "parallel_tool_calls": False}
    off = await sent(client, "Hi", chat="chat-off-all", tools=TOOLS, tools_off=names, **forced)
    none = await sent(client, "Hi", chat="chat-none", tools="  \n", **forced)
    assert off == plain
    assert none == plain


async def test_a_choice_of_a_tool_that_is_off_is_refused(client: Client) -> None:
    options = {"tools": TOOLS, "tools_off": ["get_weather"], "tool_choice": NAMED}
    body = {"text": "Hi", "options": options}
    status, view = await client.call("POST", f"/api/chats/{CHAT}/turns", json=body)
    assert status == 422
    assert "“get_weather”, which is switched off" in view["error"]["message"]


async def test_calls_are_counted_at_the_end_of_each_turn(client: Client) -> None:
    started = await client.start(
        "Use get_weather for Paris and find_hotel in Paris.", options={"tools": TOOLS}
    )
    events = await client.finish(started["run"])
    end = next(event for event in events if event["type"] == "turn_end")
    assert end["chat_calls"] == {"calls": 2, "valid": 2, "invalid": 0, "unknown": 0}
    assert (await get(client, f"/api/chats/{CHAT}"))["calls"] == end["chat_calls"]


async def test_an_answer_with_a_schema_is_checked_at_its_end(client: Client) -> None:
    schema = {"type": "object", "properties": {"city": {"const": "Atlantis"}}}
    started = await client.start("Hi", options={"response_schema": schema})
    events = await client.finish(started["run"])
    end = next(event for event in events if event["type"] == "turn_end")
    assert end["answer_check"] is not None
    turn = (await get(client, f"/api/chats/{CHAT}"))["messages"][-1]
    assert turn["answer_check"] == end["answer_check"]
    plain = await client.start("Hi", chat="chat-plain")
    events = await client.finish(plain["run"])
    assert next(e for e in events if e["type"] == "turn_end")["answer_check"] is None


async def test_a_case_file_brings_the_setup_and_the_check_back(client: Client) -> None:
    setup = {**DEFAULTS, "tools": "[{ half", "rules": '[{"tool": "*", "error": "timeout"}]'}
    await client.call("PUT", SETUP, json=setup)
    started = await client.start("Hi", options={"response_schema": {"type": "object"}})
    await client.finish(started["run"])
    before = await get(client, f"/api/chats/{CHAT}")
    file = await get(client, f"/api/chats/{CHAT}/case")
    form = aiohttp.FormData()
    form.add_field("file", json.dumps(file).encode(), filename="chat.case.json")
    status, _ = await client.call("POST", "/api/cases", data=form)
    assert status == 200
    newest = (await get(client, "/api/chats"))["chats"]
    imported = next(each["id"] for each in newest if each["id"] != CHAT)
    after = await get(client, f"/api/chats/{imported}")
    assert after["setup"]["tools"] == setup["tools"]
    assert json.loads(after["setup"]["rules"]) == [{"tool": "*", "error": "timeout"}]
    assert after["messages"][-1]["answer_check"] == before["messages"][-1]["answer_check"]
