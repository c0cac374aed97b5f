from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.tools.finding_texts import FINDINGS
from app.tools.findings import Finding
from app.tools.tool_rules import MAX_TOOLS
from app.tools.tools_text import MAX_FINDINGS, CheckedTools, check_tools
from tests.simulator.recordings import Recording, read_recording

RECORDINGS = Path(__file__).parents[1] / "simulator" / "data" / "wire"

ABOUT_OTHERS = {
    "tools_choice_garbage",  # what is wrong is tool_choice
    "tools_choice_named_unknown",
    "tools_choice_auto_without_tools",
}


def declaring() -> list[Recording]:
    """The recorded requests that are about the tools they hold, not about calls of before."""
    paths = [path for path in sorted(RECORDINGS.glob("tool*.txt")) if "toolhist" not in path.name]
    read = [read_recording(path) for path in paths]
    return [
        each
        for each in read
        if each.name not in ABOUT_OTHERS and isinstance(json.loads(each.body).get("tools"), list)
    ]


def tool(parameters: Any = None, **function: Any) -> dict[str, Any]:
    described = {"name": "get_weather", "description": "Weather for a city"}
    schema = {"type": "object", "properties": {}} if parameters is None else parameters
    return {"type": "function", "function": {**described, "parameters": schema, **function}}


def with_property(schema: Any, **more: Any) -> dict[str, Any]:
    return tool({"type": "object", "properties": {"city": schema}, **more})


def checked(*tools: Any) -> CheckedTools:
    return check_tools(json.dumps(tools))


def found(findings: tuple[Finding, ...]) -> list[tuple[str, str]]:
    return [(each.key, each.path) for each in findings]


@pytest.mark.parametrize("recording", declaring(), ids=lambda each: each.name)
def test_errors_are_what_the_recorded_server_refused(recording: Recording) -> None:
    tools = json.dumps(json.loads(recording.body)["tools"])
    stricter = {"tools_dup_names", "tools_name_empty"}  # calls of theirs could not be told apart
    refused = recording.status >= 400 or recording.name in stricter
    assert bool(check_tools(tools).errors) == refused


def test_there_are_recordings_of_both_kinds() -> None:
    assert {each.status for each in declaring()} == {200, 400}


def test_an_array_is_kept_as_it_is_written() -> None:
    text = '[{"function": {"parameters": {"z": 1, "a": 1.0}, "name": "x"}, "type": "function"}]'
    assert json.dumps(check_tools(text).tools) == text


def test_what_lacks_an_envelope_gets_one() -> None:
    whole = tool()
    function = whole["function"]
    assert checked(whole).tools == (whole,)
    assert check_tools(json.dumps(whole)).tools == (whole,)
    assert check_tools(json.dumps(function)).tools == (whole,)


def test_a_bare_schema_is_the_parameters_of_a_tool() -> None:
    schema = {"title": "Get weather!", "description": "Now", "type": "object", "properties": {}}
    (wrapped,) = check_tools(json.dumps(schema)).tools
    assert wrapped["function"] == {
        "name": "Get_weather",
        "description": "Now",
        "parameters": schema,
    }
    (unnamed,) = check_tools('{"type": "object", "properties": {}}').tools
    assert unnamed["function"]["name"] == "tool_1"


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_a_blank_text_declares_no_tools(text: str) -> None:
    assert check_tools(text) == CheckedTools()


def test_a_text_with_an_error_gives_no_tools() -> None:
    result = checked(tool(), with_property({"type": "file"}, name="x"))
    assert result.errors
    assert result.tools == ()


def test_a_mistake_of_the_text_is_told_by_line_and_column() -> None:
    (error,) = check_tools('[\n  {"type": "function",}\n]').errors
    assert (error.key, error.line, error.column) == ("trailing_comma", 2, 22)
    assert error.message == "Remove this comma: nothing follows it before the }."


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert check_tools("\ufeff" + json.dumps([tool()])).tools == (tool(),)


def test_all_errors_are_told_each_at_its_place() -> None:
    text = """[
  {"type": "function", "function": {"description": 1, "parameters": {
    "properties": {"a": null, "b": {"type": "file"},
      "c": {"enum": []}}}}},
  7,
  {"type": "web_search"}
]"""
    assert [(each.path, each.line, each.column) for each in check_tools(text).errors] == [
        ("$[0].function.name", 2, 36),
        ("$[0].function.description", 2, 52),
        ("$[0].function.parameters.properties.a", 3, 25),
        ("$[0].function.parameters.properties.b.type", 3, 45),
        ("$[0].function.parameters.properties.c.enum", 4, 21),
        ("$[1]", 5, 3),
        ("$[2].type", 6, 12),
    ]


def test_paths_are_those_of_the_text_as_typed() -> None:
    property_schema = {"type": "object", "properties": {"x": {"type": "file"}}}
    function = {"name": "a", "parameters": property_schema}
    for value, path in (
        ([{"type": "function", "function": function}], "$[0].function.parameters"),
        ({"type": "function", "function": function}, "$.function.parameters"),
        (function, "$.parameters"),
        (property_schema, "$"),
    ):
        (error,) = check_tools(json.dumps(value)).errors
        assert error.path == f"{path}.properties.x.type"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("[]", "no_tools"),
        ("5", "form"),
        ('{"tools": []}', "form.set"),
        ('{"city": "Paris"}', "form.unknown"),
        ('{"type": "function"}', "no_function"),
        ('{"type": "function", "name": "a", "parameters": {}}', "flat_tool"),
        (json.dumps([tool(name=f"t{n}") for n in range(MAX_TOOLS + 1)]), "too_many_tools"),
    ],
)
def test_what_holds_no_tools_is_said_to(text: str, key: str) -> None:
    assert [each.key for each in check_tools(text).errors] == [key]


@pytest.mark.parametrize(
    ("declared", "warnings"),
    [
        (tool(name="get weather"), [("name_form", "$[0].function.name")]),
        (tool(name="x" * 65), [("name_form", "$[0].function.name")]),
        (tool(description=""), [("no_description", "$[0].function.description")]),
        (tool(strict=True), [("strict", "$[0].function.strict")]),
        (
            {"type": "function", "function": {"name": "a", "description": "b"}},
            [("no_parameters", "$[0].function.parameters")],
        ),
        (
            {"type": "function", "function": {"name": "a", "description": "b", "inputSchema": {}}},
            [("mcp_form", "$[0].function.inputSchema")],
        ),
        (tool({"type": "string"}), [("root_type", "$[0].function.parameters")]),
        (tool({}), [("root_type", "$[0].function.parameters")]),
    ],
)
def test_what_the_server_takes_and_others_do_not_warns(
    declared: dict[str, Any], warnings: list[tuple[str, str]]
) -> None:
    result = checked(declared)
    assert (result.errors, found(result.warnings)) == ((), warnings)


SCHEMA = "$[0].function.parameters"


@pytest.mark.parametrize(
    ("declared", "warnings"),
    [
        (
            with_property({}, required=["city", "country"]),
            [("required_unknown", f"{SCHEMA}.required[1]")],
        ),
        (
            with_property({"type": "array", "items": {"type": "object", "required": ["id"]}}),
            [("required_unknown", f"{SCHEMA}.properties.city.items.required[0]")],
        ),
        (with_property({}, anyOf=[{"required": ["city"]}, {"required": ["place"]}]), []),
        (
            with_property({"$ref": "#/$defs/nope"}),
            [("reference_lost", f"{SCHEMA}.properties.city['$ref']")],
        ),
        (with_property({"$ref": "#/$defs/city"}, **{"$defs": {"city": {"type": "string"}}}), []),
        (
            with_property({"$ref": "https://example.com/city.json"}),
            [("reference_outside", f"{SCHEMA}.properties.city['$ref']")],
        ),
        (
            with_property({"type": "string", "nullable": True}),
            [("nullable", f"{SCHEMA}.properties.city.nullable")],
        ),
        (
            with_property({"type": "string", "pattern": "(["}),
            [("pattern_unread", f"{SCHEMA}.properties.city.pattern")],
        ),
        (
            with_property({"type": "array", "items": {"type": "file"}}),
            [("schema_type", f"{SCHEMA}.properties.city.items.type")],
        ),
        (
            with_property({"type": "array", "items": [{"type": "string"}]}),
            [("schema_kind", f"{SCHEMA}.properties.city.items")],
        ),
        (
            with_property({"minLength": -1, "uniqueItems": "yes"}),
            [
                ("schema_value", f"{SCHEMA}.properties.city.minLength"),
                ("schema_kind", f"{SCHEMA}.properties.city.uniqueItems"),
            ],
        ),
        (tool({"type": "object", "properties": ["x"]}), [("schema_kind", f"{SCHEMA}.properties")]),
        (
            tool({"type": "object", "properties": {}, "required": "x"}),
            [("schema_kind", f"{SCHEMA}.required")],
        ),
        (with_property({"anyOf": [{"type": ["string", "null"]}, {"type": "array"}]}), []),
        (
            tool(
                {
                    "type": "object",
                    "properties": {"required": {"type": "string"}, "$ref": {"type": "string"}},
                    "required": ["$ref"],
                }
            ),
            [],
        ),
    ],
)
def test_what_is_amiss_in_a_schema_warns_at_its_path(
    declared: dict[str, Any], warnings: list[tuple[str, str]]
) -> None:
    result = checked(declared)
    expected = [(key, path.replace("'", '"')) for key, path in warnings]
    assert (result.errors, found(result.warnings)) == ((), expected)


def test_the_same_thing_is_not_said_twice() -> None:
    result = checked(with_property({"type": "file"}))
    assert found(result.errors) == [("property_type", f"{SCHEMA}.properties.city.type")]
    assert result.warnings == ()


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("[" * 50_000_000, ["too_long"]),
        ('{"type": "object", "properties": {"a": ' * 1_000 + "{}" + "}}" * 1_000, ["too_deep"]),
        ("[" + "0," * 600_000 + "0]", ["not_json"]),
        (json.dumps([7] * MAX_TOOLS), ["not_a_tool"] * MAX_FINDINGS),
    ],
)
def test_what_goes_beyond_the_limits_is_one_sentence(text: str, keys: list[str]) -> None:
    assert [each.key for each in check_tools(text).errors] == keys


def test_a_schema_too_large_to_be_checked_is_said_to_be() -> None:
    schema = {"type": "object", "properties": {f"k{n}": {"type": "string"} for n in range(30_000)}}
    assert [each.key for each in checked(tool(schema)).warnings] == ["schema_unusable"]


_KEYWORDS = st.sampled_from(
    [
        "type",
        "function",
        "name",
        "description",
        "parameters",
        "properties",
        "items",
        "enum",
        "$ref",
        "$defs",
        "required",
        "anyOf",
        "allOf",
        "strict",
        "inputSchema",
        "tools",
        "nullable",
        "pattern",
        "additionalProperties",
        "title",
        "minimum",
    ]
)
_WORDS = st.sampled_from(["function", "object", "string", "array", "a", "#/$defs/a", "#", "(["])
_NEARLY_TOOLS = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 2) | _WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYWORDS, inner, max_size=5),
    max_leaves=25,
)


@settings(deadline=None)
@given(_NEARLY_TOOLS, st.booleans())
def test_every_value_gives_tools_or_an_error(value: Any, is_schema: bool) -> None:
    result = check_tools(json.dumps([tool(value)] if is_schema else value))
    assert bool(result.tools) != bool(result.errors)
    assert all(each.message for each in (*result.errors, *result.warnings))


@pytest.mark.parametrize("key", sorted(FINDINGS.keys() - {"rule"}))
def test_every_sentence_is_one_and_says_what_to_do(key: str) -> None:
    assert FINDINGS[key].endswith(".")
    assert "\n" not in FINDINGS[key]
