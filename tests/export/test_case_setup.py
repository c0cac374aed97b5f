"""What was set up for tools, split between a file's tool set and its setup, and joined again."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from app.chat.setup import ToolSetup
from app.export.case import Case
from app.export.case_reading import read_case
from app.export.case_setup import setup_of, tool_set_of
from app.export.case_writing import write_case
from app.tools.mocks import Failure, Mock
from app.tools.toolset import ToolSet
from tests.export.case_values import WEATHER

RULE = {"tool": "get_weather", "when": {"city": "Paris"}, "error": "timeout", "delay_s": 2.0}
RESULTS = {"get_weather": {"type": "object"}}


def file_of(setup: ToolSetup) -> tuple[dict[str, Any], ToolSetup]:
    """The file of a setup, and the setup that is read from it."""
    data = write_case(
        Case(setup=setup, tool_set=tool_set_of(setup)), exported=datetime(2026, 1, 2, tzinfo=UTC)
    )
    back = read_case(data).setup
    assert back is not None
    return json.loads(data), back


def test_texts_that_can_be_read_are_the_tool_set_of_the_file() -> None:
    rules = json.dumps({"mocks": [RULE], "results": RESULTS})
    file, back = file_of(ToolSetup(tools=json.dumps([WEATHER]), rules=rules, off=("x",)))
    assert (file["tools"], file["mocks"], file["results"]) == ([WEATHER], [RULE], RESULTS)
    assert file["setup"] == {"off": ["x"]}
    assert json.loads(back.tools) == [WEATHER]
    assert json.loads(back.rules) == {"mocks": [RULE], "results": RESULTS}
    assert back.off == ("x",)


def test_keys_of_tools_keep_their_order() -> None:
    function = {"parameters": {"type": "object"}, "description": "It.", "name": "it"}
    _, back = file_of(ToolSetup(tools=json.dumps([{"function": function, "type": "function"}])))
    (tool,) = json.loads(back.tools)
    assert [list(tool), list(tool["function"])] == [
        ["function", "type"],
        ["parameters", "description", "name"],
    ]


def test_texts_that_cannot_be_read_come_back_as_typed() -> None:
    setup = ToolSetup(tools="[{ half", rules=" [\n", answer_schema="{", max_steps=3, auto=True)
    file, back = file_of(setup)
    assert "tools" not in file
    assert back == setup


def test_schemas_of_results_without_tools_stay_in_their_text() -> None:
    setup = ToolSetup(rules=json.dumps({"mocks": [RULE], "results": RESULTS}))
    assert file_of(setup)[1] == setup


def test_a_file_without_a_setup_has_one_by_its_tools_and_rules() -> None:
    mock = Mock("get_weather", Failure("timeout"))
    setup = setup_of(ToolSet((WEATHER,), {}, (mock,)))
    assert setup is not None
    assert json.loads(setup.tools) == [WEATHER]
    assert json.loads(setup.rules) == [{"tool": "get_weather", "error": "timeout"}]
    assert setup_of(ToolSet()) is None
