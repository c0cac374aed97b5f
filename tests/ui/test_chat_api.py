"""The endpoint `chat` as programs meet it: the real app, gradio_client and an MCP client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from gradio_client import Client as GradioClient
from gradio_client.exceptions import AppError
from mcp import ClientSession, McpError
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent

from tests.conftest import StartLoopback
from tests.loopback import DONE, Reply, chunk
from tests.site import Client, serving

BOUND_S = 10.0
KEYS = [
    "complete",
    "reasoning",
    "content",
    "finish_reason",
    "tool_calls",
    "notices",
    "error",
    "usage",
    "timings",
    "request",
    "steps",
]
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather of a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    },
}


async def connect(base: str) -> GradioClient:
    return await asyncio.to_thread(GradioClient, base, verbose=False)


async def predict(client: GradioClient, *values: Any, **named: Any) -> Any:
    return await asyncio.to_thread(client.predict, *values, api_name="/chat", **named)


async def get_json(address: str) -> Any:
    async with aiohttp.ClientSession() as session, session.get(address) as response:
        assert response.status == 200
        return await response.json()


@asynccontextmanager
async def mcp_session(base: str) -> AsyncGenerator[ClientSession]:
    async with (
        streamable_http_client(f"{base}/gradio_api/mcp/") as (reading, writing, _),
        ClientSession(reading, writing) as session,
    ):
        await session.initialize()
        yield session


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


async def test_chat_is_the_only_endpoint_and_every_other_event_is_private() -> None:
    async with serving() as base:
        info = await get_json(f"{base}/gradio_api/info")
        config = await get_json(f"{base}/config")
    assert list(info["named_endpoints"]) == ["/chat"]
    assert info["unnamed_endpoints"] == {}
    parameters = info["named_endpoints"]["/chat"]["parameters"]
    assert [each["parameter_name"] for each in parameters] == [
        "message",
        "effort",
        "tools",
        "system",
    ]
    assert parameters[1]["type"]["enum"] == ["default", "low", "high", "max"]
    visible = [
        each["api_name"] for each in config["dependencies"] if each["api_visibility"] != "private"
    ]
    assert visible == ["chat"]


async def test_gradio_client_gets_what_ask_prints() -> None:
    async with serving(simulator_tokens_per_second=5000) as base:
        client = await connect(base)
        shown = await asyncio.to_thread(client.view_api, return_format="dict", print_info=False)
        report = await predict(client, "Hello", effort="low", system="Be brief.")
    assert list(shown["named_endpoints"]) == ["/chat"]
    assert list(report) == KEYS
    assert report["complete"] is True
    assert report["content"]
    assert report["reasoning"]
    assert report["request"]["reasoning_effort"] == "low"
    assert report["request"]["messages"][0] == {"role": "system", "content": "Be brief."}
    (step,) = report["steps"]
    assert step["content"] == report["content"]


@pytest.mark.parametrize("tools", [[WEATHER], json.dumps([WEATHER])], ids=["array", "text"])
async def test_calls_are_reported_and_not_answered(tools: Any) -> None:
    async with serving(simulator_tokens_per_second=5000) as base:
        client = await connect(base)
        report = await predict(client, "What is the weather in Paris?", tools=tools)
    assert report["request"]["tools"] == [WEATHER]
    (call,) = report["tool_calls"]
    assert (call["name"], call["problems"]) == ("get_weather", [])
    (unanswered,) = report["steps"][0]["answers"]
    assert unanswered["content"] is None


async def test_nothing_is_kept() -> None:
    async with serving(simulator_tokens_per_second=5000) as base:
        client = await connect(base)
        await predict(client, "Hello")
        async with aiohttp.ClientSession() as session:
            _, chats = await Client(session, base).call("GET", "/api/chats")
    assert chats == {"chats": [], "more": False}


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"message": " "}, "The message is empty"),
        ({"message": 7}, "Text: Input should be a valid string."),
        ({"message": "Hi", "effort": "huge"}, "Effort: Input should be 'low', 'high' or 'max'."),
        (
            {"message": "Hi", "tools": '[\n  {"type": function}]'},
            "The text of the tools is not JSON: expecting value at line 2, column 12",
        ),
        ({"message": "Hi", "tools": '[{"type": "function"}]'}, "$[0].function must be an object"),
        ({"message": "Hi", "tools": [{"type": "plugin"}]}, '$[0].type must be "function"'),
    ],
)
async def test_what_cannot_be_asked_is_one_sentence(values: Any, sentence: str) -> None:
    async with serving() as base:
        client = await connect(base)
        with pytest.raises(AppError) as error:
            await predict(client, **values)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


async def test_half_a_character_of_the_model_does_not_break_the_answer(
    loopback: StartLoopback,
) -> None:
    half = chunk(content="cut HALF").replace(b"HALF", rb"\ud83d")
    server = await loopback(Reply((half, chunk("stop"), DONE)))
    async with serving(openai_base_url=f"{server.url}/v1") as base:
        report = await predict(await connect(base), "Hello")
    assert report["content"] == "cut \N{REPLACEMENT CHARACTER}"


async def test_turns_of_chats_and_of_the_endpoint_are_counted_together() -> None:
    async with serving(public=True, visitor_turns_per_minute=2, max_tokens_cap=5) as base:
        client = await connect(base)
        report = await predict(client, "Hello")
        assert report["request"]["max_tokens"] == 5
        async with aiohttp.ClientSession() as session:
            visitor = Client(session, base)
            await visitor.finish((await visitor.start("Hello"))["run"])
            with pytest.raises(AppError, match=r"more than 2 turns in a minute\. Wait \d+ s"):
                await predict(client, "Hello")
            status, _ = await visitor.call(
                "POST", "/api/chats/another-chat/turns", json={"text": "Hello"}
            )
    assert status == 429


async def test_a_turn_takes_a_slot_and_cancelling_it_hangs_up(loopback: StartLoopback) -> None:
    server = await loopback(Reply([chunk(content="Hi")], end="hang"))
    async with serving(openai_base_url=f"{server.url}/v1", slots=1) as base:
        client = await connect(base)
        job = client.submit("Hello", api_name="/chat")
        exchange = await asyncio.wait_for(asked(server), BOUND_S)
        async with aiohttp.ClientSession() as session:
            visitor = Client(session, base)
            _, status = await visitor.call("GET", "/api/status")
            assert status["running"] == 1
            await asyncio.to_thread(job.cancel)
            await asyncio.wait_for(exchange.left.wait(), BOUND_S)
            _, status = await visitor.call("GET", "/api/status")
            assert status["running"] == 0


async def asked(server: Any) -> Any:
    """The first chat completion that a loopback server was asked for."""
    number = 0
    while True:
        exchange = await server.exchange(number)
        if exchange.path.endswith("/chat/completions"):
            return exchange
        number += 1


async def test_without_the_setting_there_is_no_mcp() -> None:
    async with serving() as base, aiohttp.ClientSession() as session:
        for path in ("/gradio_api/mcp/", "/gradio_api/mcp/sse", "/gradio_api/mcp/schema"):
            async with session.get(base + path) as response:
                assert response.status == 404, path
            async with session.post(base + path, json={}) as response:
                assert response.status in (404, 405), path


async def test_over_mcp_there_is_one_tool_that_says_what_it_takes() -> None:
    async with serving(mcp=True) as base, mcp_session(base) as session:
        (tool,) = (await session.list_tools()).tools
        capabilities = session.get_server_capabilities()
        with pytest.raises(McpError, match="Method not found"):
            await session.read_resource("file:///etc/passwd")  # type: ignore[arg-type]
    assert tool.name == "chat"
    assert tool.description
    assert tool.description.startswith("Asks the model one question")
    assert list(tool.inputSchema["properties"]) == ["message", "effort", "tools", "system"]
    assert tool.inputSchema["required"] == ["message"]
    assert all(each["description"] for each in tool.inputSchema["properties"].values())
    assert capabilities is not None
    assert capabilities.resources is capabilities.prompts is None


async def test_the_mcp_tool_answers_with_the_same_object() -> None:
    async with (
        serving(mcp=True, simulator_tokens_per_second=5000) as base,
        mcp_session(base) as session,
    ):
        result = await session.call_tool("chat", {"message": "Hello", "effort": "low"})
        refused = await session.call_tool("chat", {"message": "Hello", "tools": "[1"})
        unknown = await session.call_tool("delete_everything", {})
    assert not result.isError
    assert result.structuredContent is not None
    assert list(result.structuredContent) == KEYS
    assert json.loads(text_of(result)) == result.structuredContent
    assert result.structuredContent["request"]["reasoning_effort"] == "low"
    assert refused.isError
    assert text_of(refused).startswith("The text of the tools")
    assert unknown.isError
    assert text_of(unknown) == "There is no tool delete_everything; call chat."


async def test_the_mcp_tool_is_under_the_limits_of_a_visitor() -> None:
    async with serving(mcp=True, public=True, visitor_turns_per_minute=2, max_tokens_cap=5) as base:
        client = await connect(base)
        await predict(client, "Hello")
        async with mcp_session(base) as session:
            result = await session.call_tool("chat", {"message": "Hello"})
            assert result.structuredContent is not None
            assert result.structuredContent["request"]["max_tokens"] == 5
            refused = await session.call_tool("chat", {"message": "Hello"})
    assert refused.isError
    assert "more than 2 turns in a minute. Wait" in text_of(refused)


async def test_an_mcp_client_that_leaves_hangs_up(loopback: StartLoopback) -> None:
    server = await loopback(Reply([chunk(content="Hi")], end="hang"))
    async with serving(openai_base_url=f"{server.url}/v1", mcp=True) as base:

        async def call() -> None:
            async with mcp_session(base) as session:
                await session.call_tool("chat", {"message": "Hello"})

        calling = asyncio.create_task(call())
        exchange = await asyncio.wait_for(asked(server), BOUND_S)
        calling.cancel()
        await asyncio.wait((calling,))
        await asyncio.wait_for(exchange.left.wait(), BOUND_S)
