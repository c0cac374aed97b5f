"""The ready-made tool sets: what a visitor tries first must work, and teach nothing wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.simulator import SimulatorSettings, create_simulator
from app.tools.arguments import ArgumentChecker
from app.tools.mocks import Generate, Mocks, Result
from app.tools.samples import sample
from app.tools.schema_advice import schema_faults
from app.tools.schema_check import SchemaCheck
from app.tools.tools_text import check_tools
from app.tools.toolset import ToolSet, parse_toolset
from tests.simulator.asgi_client import chat

FOLDER = Path(__file__).parents[2] / "assets" / "tool_sets"
INDEX = json.loads((FOLDER / "index.json").read_text(encoding="utf-8"))
FILES = [entry["file"] for entry in INDEX]

ASKED_FOR = {
    "weather.json": ["get_current_weather", "get_forecast"],
    "calculator.json": ["calculate", "loan_payment"],
    "search.json": ["web_search", "open_page"],
    "orders.json": ["find_orders", "track_shipment"],
    "calendar.json": ["list_events", "find_free_time"],
}


def read(file: str) -> ToolSet:
    return parse_toolset((FOLDER / file).read_text(encoding="utf-8"))


def names(tool_set: ToolSet) -> list[str]:
    return [tool["function"]["name"] for tool in tool_set.tools]


def test_every_set_is_in_the_index_with_what_a_page_says_of_it() -> None:
    assert sorted(FILES) == sorted(
        path.name for path in FOLDER.glob("*.json") if path.stem != "index"
    )
    for entry in INDEX:
        assert entry.keys() == {"file", "title", "description", "prompt", "zh"}
        assert entry["zh"].keys() == {"title", "description"}
        assert all(entry.values())


@pytest.mark.parametrize("file", FILES)
def test_nothing_is_to_be_said_about_its_tools(file: str) -> None:
    tools = list(read(file).tools)
    result = check_tools(json.dumps(tools))
    assert (result.errors, result.warnings) == ((), ())
    assert len(tools) >= 4


@pytest.mark.parametrize("file", FILES)
def test_every_tool_and_every_parameter_is_described(file: str) -> None:
    for tool in read(file).tools:
        function = tool["function"]
        assert len(function["description"]) > 30
        properties = function["parameters"]["properties"]
        assert [key for key, each in properties.items() if not each.get("description")] == []


@pytest.mark.parametrize("file", FILES)
def test_every_tool_has_a_result_schema_without_fault(file: str) -> None:
    tool_set = read(file)
    assert list(tool_set.results) == names(tool_set)
    for schema in tool_set.results.values():
        assert list(schema_faults(schema)) == []


@pytest.mark.parametrize("file", FILES)
def test_every_rule_is_for_a_call_that_can_be_made_and_gives_what_the_schema_says(
    file: str,
) -> None:
    tool_set = read(file)
    parameters = {
        each["function"]["name"]: each["function"]["parameters"] for each in tool_set.tools
    }
    for rule in tool_set.mocks:
        if isinstance(rule.outcome, Generate):
            continue
        partial = {**parameters[rule.tool], "required": []}
        assert SchemaCheck(partial).errors(rule.when) == [], rule
        if isinstance(rule.outcome, Result):
            assert SchemaCheck(tool_set.results[rule.tool]).errors(rule.outcome.value) == [], rule


@pytest.mark.parametrize("file", FILES)
def test_every_call_is_answered(file: str) -> None:
    tool_set = read(file)
    mocks = Mocks(tool_set.mocks, tool_set.results)
    for tool in tool_set.tools:
        name, parameters = tool["function"]["name"], tool["function"]["parameters"]
        required = {key: parameters["properties"][key] for key in parameters["required"]}
        for schema in (parameters, {**parameters, "properties": required}):
            answer = mocks.answer(name, sample(schema))
            assert answer is not None
            value = json.loads(answer.content)
            is_error = answer.answered_by == "error"
            assert is_error or SchemaCheck(tool_set.results[name]).errors(value) == []


@pytest.mark.parametrize("file", FILES)
def test_a_rule_that_never_comes_into_play_is_not_there(file: str) -> None:
    mocks = Mocks(read(file).mocks)
    for number, rule in enumerate(mocks.rules, start=1):
        earlier = Mocks(mocks.rules[: number - 1])
        assert rule.tool == "*" or earlier.answer(rule.tool, rule.when) is None, rule


@pytest.mark.parametrize("entry", INDEX, ids=FILES)
async def test_its_example_prompt_makes_the_simulator_call_its_tools(
    entry: dict[str, Any],
) -> None:
    simulator = create_simulator(SimulatorSettings(tokens_per_second=1e9))
    tool_set = read(entry["file"])
    mocks, checker = Mocks(tool_set.mocks, tool_set.results), ArgumentChecker(tool_set.tools)
    messages: list[Any] = [{"role": "user", "content": entry["prompt"]}]
    called: list[str] = []
    while calls := (message := await _answer(simulator, messages, tool_set)).get("tool_calls"):
        messages.append(message)
        for call in calls:
            name, arguments = call["function"]["name"], call["function"]["arguments"]
            assert checker.problems(name, arguments) == ()
            answer = mocks.answer(name, json.loads(arguments))
            assert answer is not None
            assert answer.answered_by.startswith("rule")
            called.append(name)
            result = {"role": "tool", "tool_call_id": call["id"], "content": answer.content}
            messages.append(result)
    assert called == ASKED_FOR[entry["file"]]
    assert message["content"]


async def _answer(simulator: Any, messages: list[Any], tool_set: ToolSet) -> dict[str, Any]:
    answer = await chat(simulator, messages, tools=list(tool_set.tools))
    return answer.message
