from __future__ import annotations

import json
from typing import Any

import pytest

from app.tools.mocks import Ask, Mock, Result
from app.tools.tool_rules import MAX_TOOLS
from app.tools.toolset import (
    MAX_CHARACTERS,
    ToolSet,
    ToolSetError,
    parse_mocks,
    parse_toolset,
    read_toolset,
)


def tool(parameters: Any = None, **function: Any) -> dict[str, Any]:
    stated = {} if parameters is None else {"parameters": parameters}
    return {"type": "function", "function": {"name": "get_weather", **stated, **function}}


def with_property(schema: Any) -> dict[str, Any]:
    return tool({"type": "object", "properties": {"city": schema}})


def test_an_array_is_taken_as_written() -> None:
    function = '{"parameters": {"z": 1, "a": 2}, "name": "x", "more": 0}'
    text = f'[{{"function": {function}, "type": "function"}}]'
    tools = parse_toolset(text).tools
    assert json.dumps(tools) == text


def test_a_tool_set_file_holds_results_and_mocks_too() -> None:
    file = {
        "tools": [tool()],
        "results": {"get_weather": {"type": "string"}},
        "mocks": [{"tool": "get_weather", "result": 1}, {"tool": "*", "ask": True}],
    }
    assert read_toolset(file) == ToolSet(
        tools=(tool(),),
        results={"get_weather": {"type": "string"}},
        mocks=(Mock("get_weather", Result(1)), Mock("*", Ask())),
    )


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert parse_toolset("\ufeff" + json.dumps([tool()])) == ToolSet((tool(),))


@pytest.mark.parametrize(
    "taken",
    [
        tool(),
        {"function": {"name": "no_type"}},
        tool({}),
        tool({"type": "string"}),
        tool({"type": "object", "properties": ["x"]}),
        tool({"type": "object", "properties": {}, "required": "x"}),
        tool({"anyOf": [{"type": "object"}]}),
        with_property({"$ref": "#/$defs/nope"}),
        with_property({"type": "object", "properties": {"y": {"type": "file"}}}),
        with_property({"type": ["string", "null"], "pattern": "(["}),
        tool(name="get the weather"),
        tool(strict=None, description=None),
    ],
)
def test_what_the_server_takes_is_taken(taken: dict[str, Any]) -> None:
    assert read_toolset([taken]).tools == (taken,)


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ([], "$ is an empty array, which the server refuses; declare a tool, or send no tools."),
        ({"tools": []}, "$.tools is an empty array"),
        ({"mocks": []}, "$.tools is missing; declare the tools there, as the OpenAI array."),
        ({"tools": {}}, "$.tools must be an array of tools, not an object."),
        ({"tools": [tool()], "mock": []}, "$.mock is unknown; a tool set has"),
        (
            "oops",
            'The tools must be an array, or an object with tools, results and mocks, not "oops"',
        ),
        ([1], "$[0] must be a tool, an object, not 1."),
        ([{"type": "web_search"}], '$[0].type must be "function", not "web_search".'),
        ([{"type": "function"}], "$[0].function must be an object with a name"),
        ([{"type": "function", "function": {}}], "$[0].function.name is missing; give the tool"),
        ([tool(name="")], "$[0].function.name is missing; give the tool a name."),
        ([tool(name=3)], "$[0].function.name must be a text; give the tool a name."),
        (
            {"tools": [tool(), tool()]},
            '$.tools[1].function.name is "get_weather", as is $.tools[0].function.name; give each',
        ),
        ([tool(description=1)], "$[0].function.description must be a text, not 1."),
        ([tool(strict="maybe")], '$[0].function.strict must be true or false, not "maybe".'),
        ([tool("oops")], '$[0].function.parameters must be a JSON Schema, an object, not "oops".'),
        ([tool([])], "$[0].function.parameters must be a JSON Schema, an object, not an array."),
        ([tool({"properties": []})], "$[0].function.parameters.properties must be an object, not"),
        ([with_property(None)], "parameters.properties.city is null, which the server refuses;"),
        ([with_property(True)], "parameters.properties.city is true, which the server refuses;"),
        ([with_property("x")], "parameters.properties.city must be a JSON Schema, an object"),
        ([with_property({"type": "file"})], 'properties.city.type cannot be "file"; the types are'),
        ([with_property({"type": ["string", "bogus"]})], 'city.type cannot be "bogus"; the types'),
        ([with_property({"enum": []})], "properties.city.enum is empty; list its values"),
        ({"tools": [tool()], "results": []}, "$.results must be an object of schemas by tool name"),
        (
            {"tools": [tool()], "results": {"a b": 1}},
            '$.results["a b"] must be a JSON Schema, not 1',
        ),
        ({"tools": [tool()], "mocks": [{"tool": "x"}]}, "$.mocks[0] must have exactly one of"),
        ([tool(name=f"t{n}") for n in range(MAX_TOOLS + 1)], "$ holds 129 tools; at most 128 are"),
    ],
)
def test_what_the_server_refuses_is_refused_at_its_place(value: Any, sentence: str) -> None:
    with pytest.raises(ToolSetError) as caught:
        read_toolset(value)
    assert sentence in str(caught.value)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            '[\n  {"type": }\n]',
            "The text of the tools is not JSON: expecting value at line 2, column 12",
        ),
        ('{"tools": [], "tools": []}', 'The text of the tools has the key "tools" twice; mend it'),
        ('[{"a": {"b": 1, "b": 2}}]', 'has the key "b" twice at $[0].a; mend it there.'),
        ("[" * 5_000, "The text of the tools is nested deeper than 64 levels; mend it there."),
        (" " * (MAX_CHARACTERS + 1), "The text of the tools is too long: 2,000,001 characters"),
    ],
)
def test_a_text_that_cannot_be_read_is_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ToolSetError) as caught:
        parse_toolset(text)
    assert sentence in str(caught.value)


def test_a_value_that_nests_too_deep_is_refused() -> None:
    schema: dict[str, Any] = {}
    for _ in range(100):
        schema = {"items": schema}
    with pytest.raises(ToolSetError, match="The tool set is nested deeper than 64 levels"):
        read_toolset([tool(schema)])


def test_a_mocks_file_is_an_array_of_rules_or_a_tool_set() -> None:
    rules = [{"tool": "*", "generate": True}]
    ours, theirs = {"a": {"type": "string"}}, {"a": {"type": "integer"}}
    assert parse_mocks(json.dumps(rules), ours).results == ours
    assert parse_mocks(json.dumps({"mocks": rules}), ours).results == ours
    both = parse_mocks(json.dumps({"mocks": rules, "results": theirs}), ours)
    assert (len(both.rules), both.results) == (1, theirs)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[", "The text of the mocks is cut off after 1 characters; mend it there."),
        ("1", "The mocks must be an array, or an object with tools, results and mocks, not 1."),
        ('{"tools": []}', "$.mocks is missing; write the rules there, as an array."),
        ('[{"tool": "x", "ask": false}]', "$[0].ask can only be true"),
    ],
)
def test_a_mocks_file_that_cannot_be_read_is_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ToolSetError) as caught:
        parse_mocks(text, {})
    assert sentence in str(caught.value)
