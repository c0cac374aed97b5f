"""Which tools the simulator calls, when, and with what."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from starlette.applications import Starlette

from tests.simulator.asgi_client import Answer, chat


def _tool(name: str, description: str = "", **properties: Any) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": properties,
        "required": [key for key, each in properties.items() if not each.pop("optional", False)],
    }
    function = {"name": name, "description": description, "parameters": schema}
    return {"type": "function", "function": function}


def _tools() -> list[dict[str, Any]]:
    return [
        _tool(
            "get_weather",
            "Weather for a place",
            location={"type": "string"},
            days={"type": "integer", "minimum": 1, "optional": True},
            unit={"enum": ["celsius", "fahrenheit"], "optional": True},
        ),
        _tool("get_time", "The time in a city", city={"type": "string"}),
        _tool("list_notes", "List notes"),
        _tool("calculate", "Evaluate arithmetic", expression={"type": "string"}),
        _tool("quote", "Current stock price of a company", symbol={"type": "string"}),
    ]


def _called(answer: Answer) -> list[tuple[str, Any]]:
    calls = answer.message.get("tool_calls", [])
    return [(c["function"]["name"], json.loads(c["function"]["arguments"])) for c in calls]


async def _ask(simulator: Starlette, prompt: str | list[Any], **fields: Any) -> Answer:
    return await chat(simulator, prompt, **{"tools": _tools(), **fields})


@pytest.mark.parametrize(
    ("prompt", "calls"),
    [
        ("What's the weather in Paris?", [("get_weather", {"location": "Paris"})]),
        ("Weather in New York for 3 days", [("get_weather", {"location": "New York", "days": 3})]),
        (
            "What is the weather in Rome in fahrenheit?",
            [("get_weather", {"location": "Rome", "unit": "fahrenheit"})],
        ),
        ("Show my notes, please", [("list_notes", {})]),
        ("Calculate 12 * (3 + 4)", [("calculate", {"expression": "12 * (3 + 4)"})]),
        ("What is the stock price of ACME?", [("quote", {"symbol": "ACME"})]),
        (
            "What's the weather in Paris and the time in Tokyo?",
            [("get_weather", {"location": "Paris"}), ("get_time", {"city": "Tokyo"})],
        ),
        ("Call get_time with city: Lima", [("get_time", {"city": "Lima"})]),
        ("Hello, how are you?", []),
        ("Write a poem about the sea", []),
    ],
)
async def test_calls_what_the_prompt_plainly_asks_for(
    simulator: Starlette, prompt: str, calls: list[tuple[str, Any]]
) -> None:
    answer = await _ask(simulator, prompt)
    assert _called(answer) == calls
    assert answer.finish_reason == ("tool_calls" if calls else "stop")


async def test_takes_steps_one_after_another_and_uses_the_results(simulator: Starlette) -> None:
    messages: list[Any] = [
        {"role": "user", "content": "Get the weather in Oslo, then list my notes"}
    ]
    for name, result in (("get_weather", '{"sky": "clear"}'), ("list_notes", "milk, bread")):
        answer = await _ask(simulator, messages)
        assert [called for called, _ in _called(answer)] == [name]
        call_id = answer.message["tool_calls"][0]["id"]
        messages += [answer.message, {"role": "tool", "tool_call_id": call_id, "content": result}]
    answer = await _ask(simulator, messages)
    assert answer.finish_reason == "stop"
    assert "- sky: clear" in answer.message["content"]
    assert "`list_notes` answered: milk, bread" in answer.message["content"]


async def test_a_new_message_begins_anew(simulator: Starlette) -> None:
    first = await _ask(simulator, "Weather in Oslo?")
    call_id = first.message["tool_calls"][0]["id"]
    history = [
        {"role": "user", "content": "Weather in Oslo?"},
        first.message,
        {"role": "tool", "tool_call_id": call_id, "content": "sunny"},
        {"role": "assistant", "content": "Sunny."},
        {"role": "user", "content": "And the weather in Bergen?"},
    ]
    assert _called(await _ask(simulator, history)) == [("get_weather", {"location": "Bergen"})]


async def test_parallel_calls_can_be_forbidden(simulator: Starlette) -> None:
    prompt = "Weather in Paris and time in Tokyo"
    answer = await _ask(simulator, prompt, parallel_tool_calls=False)
    assert [name for name, _ in _called(answer)] == ["get_weather"]


async def test_none_never_calls_and_required_always_does(simulator: Starlette) -> None:
    assert _called(await _ask(simulator, "Weather in Paris", tool_choice="none")) == []
    required = await _ask(simulator, "Hello", tool_choice="required")
    assert [name for name, _ in _called(required)] == ["get_weather"]
    assert (required.message["content"], required.finish_reason) == ("", "tool_calls")


async def test_a_named_choice_calls_it_and_finishes_with_stop(simulator: Starlette) -> None:
    choice = {"type": "function", "function": {"name": "get_time"}}
    answer = await _ask(simulator, "In Lima", tool_choice=choice)
    assert _called(answer) == [("get_time", {"city": "Lima"})]
    assert answer.finish_reason == "stop"


async def test_streams_a_call_piece_by_piece(simulator: Starlette) -> None:
    answer = await _ask(simulator, "Weather in Paris and list_notes", stream=True)
    deltas = [chunk["choices"][0]["delta"] for chunk in answer.chunks if chunk["choices"]]
    pieces = [delta["tool_calls"][0] for delta in deltas if "tool_calls" in delta]
    first, second = (piece for piece in pieces if "id" in piece)
    assert first["function"] == {"name": "get_weather"}
    assert second["function"] == {"name": "list_notes", "arguments": "{}"}
    assert second["index"] == 1
    texts = [piece["function"].get("arguments", "") for piece in pieces if piece["index"] == 0]
    assert json.loads("".join(texts)) == {"location": "Paris"}
    assert len(texts) > 2


async def test_a_call_cut_by_the_limit_is_half_streamed_and_empty_whole(
    simulator: Starlette,
) -> None:
    asked: dict[str, Any] = {"simulate": "reasoning=4;answer=0", "max_tokens": 11}
    prompt = "Call get_time with city: Llanfairpwllgwyngyllgogerychwyrndrobwll"
    whole = await _ask(simulator, prompt, **asked)
    assert _called(whole) == [("get_time", {})]
    assert whole.finish_reason == "tool_calls"
    streamed = await _ask(simulator, prompt, stream=True, **asked)
    assert streamed.chunks[-1]["choices"][0]["finish_reason"] == "length"


NASTY: list[dict[str, Any]] = [
    {"type": "object", "properties": {"x": {"$ref": "#"}}, "required": ["x"]},
    {"$ref": "#"},
    {
        "type": "object",
        "properties": {f"p{n}": {"$ref": "#"} for n in range(20)},
        "required": [f"p{n}" for n in range(20)],
    },
    {
        "type": "object",
        "properties": {"x": {"type": "string", "pattern": "^(a+)+$"}},
        "required": ["x"],
    },
    {
        "type": "object",
        "properties": {"x": {"$ref": "https://x.invalid/"}},
        "required": ["x"],
    },
    {"type": "object", "properties": {"x": {"type": "string", "minLength": "many"}}},
    {"type": {"a": 1}, "properties": ["x"], "required": {"x": 1}, "allOf": 5, "anyOf": "x"},
    {
        "$ref": "#/$defs/a0",
        "$defs": {
            f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}, {"$ref": f"#/$defs/a{n + 1}"}]}
            for n in range(40)
        },
    },
]


@pytest.mark.timeout(10)
@pytest.mark.parametrize("schema", NASTY)
async def test_a_nasty_schema_does_no_harm(simulator: Starlette, schema: Any) -> None:
    tool = {"type": "function", "function": {"name": "x", "parameters": schema}}
    answer = await chat(simulator, f"{'a' * 40}b!", tools=[tool], tool_choice="required")
    assert answer.status == 200
    assert answer.message["tool_calls"][0]["function"]["name"] == "x"


async def test_arguments_satisfy_the_schema(simulator: Starlette) -> None:
    tool = _tool(
        "book_trip",
        "Book a trip",
        destination={"type": "string"},
        travellers={"type": "array", "items": {"type": "string"}, "minItems": 1},
        nights={"type": "integer", "minimum": 1, "maximum": 30},
        start={"type": "string", "format": "date"},
        options={
            "type": "object",
            "properties": {"pets": {"type": "boolean"}, "budget": {"type": "number"}},
            "required": ["pets", "budget"],
        },
    )
    prompt = "book_trip to Lisbon for 5 nights from 2026-05-04 for Ada and Grace, budget 900"
    answer = await chat(simulator, prompt, tools=[tool])
    ((_, arguments),) = _called(answer)
    Draft202012Validator(tool["function"]["parameters"]).validate(arguments)
    assert arguments["destination"] == "Lisbon"
    assert arguments["nights"] == 5
    assert arguments["start"] == "2026-05-04"
