from __future__ import annotations

import json
import socket
from typing import Any

import pytest

from app.chat.notices import Problem
from app.tools.arguments import MAX_ARGUMENTS, ArgumentChecker, ArgumentsError, read_arguments


def checker(parameters: Any) -> ArgumentChecker:
    function = {"name": "f", "parameters": parameters}
    return ArgumentChecker([{"type": "function", "function": function}])


def problems(parameters: Any, arguments: Any) -> list[tuple[str, str]]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return [(each.path, each.message) for each in checker(parameters).problems("f", text)]


FORECAST = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 1, "maxLength": 20},
        "days": {"type": "integer", "minimum": 1, "maximum": 7},
        "unit": {"enum": ["c", "f"]},
        "note": {"type": ["string", "null"]},
        "items": {"type": "array", "items": {"$ref": "#/$defs/item"}, "minItems": 1},
        "limit": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    },
    "required": ["city"],
    "additionalProperties": False,
    "$defs": {
        "item": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    },
}


@pytest.mark.parametrize(
    "arguments",
    [
        {"city": "Paris"},
        {"city": "Paris", "days": 3, "unit": "c", "note": None, "limit": None},
        {"city": "Paris", "days": 3.0, "items": [{"name": "a", "more": 1}]},
    ],
)
def test_arguments_that_fit_have_no_problem(arguments: dict[str, Any]) -> None:
    assert problems(FORECAST, arguments) == []


@pytest.mark.parametrize(
    ("arguments", "path", "message"),
    [
        ({}, "$.city", "'city' is missing"),
        ({"city": 1}, "$.city", "'city' must be a string, not 1"),
        ({"city": ""}, "$.city", "'city' must have at least 1 character"),
        ({"city": "x" * 21}, "$.city", "'city' must have at most 20 characters"),
        ({"city": "P", "days": "three"}, "$.days", "'days' must be an integer, not \"three\""),
        ({"city": "P", "days": True}, "$.days", "'days' must be an integer, not true"),
        ({"city": "P", "days": 0}, "$.days", "'days' must be at least 1, not 0"),
        ({"city": "P", "unit": "k"}, "$.unit", '\'unit\' must be "c" or "f", not "k"'),
        ({"city": "P", "note": 1}, "$.note", "'note' must be a string or null, not 1"),
        ({"city": "P", "limit": "x"}, "$.limit", "'limit' must be an integer or null, not \"x\""),
        ({"city": "P", "items": []}, "$.items", "'items' must have at least 1 item"),
        (
            {"city": "P", "items": [{"name": 1}]},
            "$.items[0].name",
            "'name' must be a string, not 1",
        ),
        ({"city": "P", "items": [{}, 4]}, "$.items[1]", "'items[1]' must be an object, not 4"),
        ({"city": "P", "a b": 1}, '$["a b"]', "'a b' is not declared in its schema"),
    ],
)
def test_each_problem_has_its_path_and_a_plain_message(
    arguments: dict[str, Any], path: str, message: str
) -> None:
    assert (path, message) in problems(FORECAST, arguments)


@pytest.mark.parametrize("arguments", ["", "  \n"])
def test_no_arguments_mean_an_empty_object(arguments: str) -> None:
    assert problems({"type": "object"}, arguments) == []
    assert problems(FORECAST, arguments) == [("$.city", "'city' is missing")]
    assert read_arguments(arguments) == {}


@pytest.mark.parametrize(
    ("text", "path", "message"),
    [
        ('{"city": "Par', "$", "the text is cut off after 13 characters"),
        ("[1]", "$", "the arguments must be an object, not an array"),
        ('"Paris"', "$", 'the arguments must be an object, not "Paris"'),
        ("null", "$", "the arguments must be an object, not null"),
        ('{"a": {"b": 1, "b": 2}}', "$.a", 'the text has the key "b" twice'),
        ('{"a": NaN}', "$", "the text is not JSON: NaN is no JSON value"),
        ('{"a": ' * 5_000, "$", "the text is nested deeper than 64 levels"),
        ('{"a": ' + "1" * 5_000 + "}", "$", "the text holds a number of more than 300 characters"),
        (" " * MAX_ARGUMENTS + "{}", "$", "the text is too long: 1,000,002 characters"),
    ],
)
def test_what_is_no_json_object_is_one_problem_declared_or_not(
    text: str, path: str, message: str
) -> None:
    for name in ("f", "unknown"):
        (problem,) = checker(FORECAST).problems(name, text)
        assert problem.path == path
        assert problem.message.startswith(message)
    with pytest.raises(ArgumentsError):
        read_arguments(text)


def test_a_tool_not_declared_is_checked_for_json_alone() -> None:
    assert not checker(FORECAST).declared("g")
    assert checker(FORECAST).problems("g", '{"city": 1}') == ()


def test_a_tool_without_parameters_takes_any_object() -> None:
    tools = ArgumentChecker([{"type": "function", "function": {"name": "f"}}])
    assert tools.declared("f")
    assert tools.problems("f", '{"a": 1}') == ()


@pytest.mark.parametrize("entry", [{}, {"function": None}, {"function": {"name": 1}}])
def test_an_entry_without_a_name_declares_nothing(entry: dict[str, Any]) -> None:
    assert not ArgumentChecker([entry]).declared("")


def test_of_several_forms_the_one_that_was_meant_is_explained() -> None:
    circle = {"properties": {"kind": {"const": "circle"}, "r": {}}, "required": ["kind", "r"]}
    square = {"properties": {"kind": {"const": "square"}, "w": {}}, "required": ["kind", "w"]}
    schema = {"properties": {"shape": {"oneOf": [circle, square, {"type": "null"}]}}}
    assert problems(schema, {"shape": {"kind": "square"}}) == [("$.shape.w", "'w' is missing")]
    neither = "'shape' fits none, or more than one, of the forms that its schema allows"
    assert problems(schema, {"shape": {"kind": "line"}}) == [("$.shape", neither)]


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        ({"exclusiveMinimum": 0}, 0, "'x' must be greater than 0, not 0"),
        ({"exclusiveMaximum": 1}, 1.5, "'x' must be less than 1, not 1.5"),
        ({"multipleOf": 0.1}, 0.35, "'x' must be a multiple of 0.1, not 0.35"),
        ({"const": "a"}, "b", '\'x\' must be "a", not "b"'),
        ({"pattern": "^[A-Z]{3}$"}, "ab", "'x' must match the pattern ^[A-Z]{3}$, not be \"ab\""),
        ({"uniqueItems": True}, [1, 1.0], "'x' has the same item twice"),
        ({"contains": {"const": 1}}, [2], "'x' lacks an item that its schema asks for"),
        ({"not": {"type": "string"}}, "a", "'x' is what its schema forbids"),
        (False, 1, "'x' is not allowed by its schema"),
        ({"propertyNames": False}, {"a": 1}, "'x' is not as its schema asks"),
        ({"minProperties": 2}, {"a": 1}, "'x' must have at least 2 keys"),
        (
            {"enum": list(range(9))},
            9,
            "'x' must be one of the 9 values that its schema lists, not 9",
        ),
    ],
)
def test_keywords_are_told_in_words(schema: dict[str, Any], value: Any, message: str) -> None:
    assert problems({"properties": {"x": schema}}, {"x": value}) == [("$.x", message)]


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"multipleOf": 0.1}, 0.3),
        ({"uniqueItems": True}, [1, True, "1", [1], [True], {"a": 1}, {"a": True}]),
        ({"enum": [1, "1"]}, 1.0),
        ({"format": "date"}, "not a date"),
        ({"type": "string", "title": None, "description": 4}, "a"),
    ],
)
def test_what_json_schema_allows_is_no_problem(schema: dict[str, Any], value: Any) -> None:
    assert problems({"properties": {"x": schema}}, {"x": value}) == []


def test_true_is_not_one() -> None:
    schema = {"properties": {"x": {"const": 1}, "y": {"enum": [[True]]}}}
    assert [path for path, _ in problems(schema, {"x": True, "y": [1]})] == ["$.x", "$.y"]


def test_names_and_anchors_inside_the_schema_are_followed() -> None:
    schema = {
        "$id": "https://example.com/tool",
        "properties": {"a": {"$ref": "inner"}, "b": {"$ref": "#named"}, "c": {"$ref": "#"}},
        "$defs": {
            "inner": {"$id": "inner", "type": "integer"},
            "named": {"$anchor": "named", "type": "string"},
        },
    }
    assert [path for path, _ in problems(schema, {"a": "x", "b": 1, "c": {"a": "x"}})] == [
        "$.a",
        "$.b",
        "$.c.a",
    ]


def test_a_repeated_problem_is_told_once_and_many_are_cut() -> None:
    both = {"allOf": [{"required": ["a"]}, {"required": ["a"]}]}
    assert problems(both, {}) == [("$.a", "'a' is missing")]
    assert len(problems({"required": [f"k{n}" for n in range(100)]}, {})) == 20


def test_checks_do_not_change_what_later_checks_find() -> None:
    tools = checker(FORECAST)
    first = tools.problems("f", '{"days": 0}')
    assert tools.problems("f", '{"city": "Paris"}') == ()
    assert tools.problems("f", '{"days": 0}') == first


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ("oops", '$ cannot be "oops"'),
        ({"type": "banana"}, '$.type cannot be "banana"'),
        ({"required": "city"}, '$.required cannot be "city"'),
        ({"properties": ["x"]}, "$.properties cannot be an array"),
        ({"properties": {"x": {"items": [{}]}}}, "$.properties.x.items cannot be an array"),
        ({"$ref": "#/$defs/nope"}, 'its $ref "#/$defs/nope" leads nowhere'),
        ({"$ref": "#nope"}, 'its $ref "#nope" leads nowhere'),
        ({"$ref": "#"}, "its references lead too deep"),
        (
            {"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"$ref": "#/allOf/0"}}},
            "lead too deep",
        ),
        ({"properties": {"x": {"$ref": "#/required"}}, "required": ["x"]}, "cannot be applied"),
        ({"$id": "http://[bad"}, "it cannot be applied"),
    ],
)
def test_a_schema_that_cannot_be_used_is_one_problem(schema: Any, why: str) -> None:
    ((path, message),) = problems(schema, {"x": 1})
    assert path == "$"
    assert message.startswith("the tool's schema cannot be used: ")
    assert why in message


def test_a_schema_nested_without_bound_is_one_problem() -> None:
    schema: dict[str, Any] = {}
    for _ in range(5_000):
        schema = {"not": schema}
    assert problems(schema, {}) == [
        ("$", "the tool's schema cannot be used: it is nested deeper than 64 levels")
    ]


def test_nothing_is_fetched() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/schema.json"
        schema = {
            "$schema": address,
            "$ref": address,
            "properties": {"x": {"$dynamicRef": address}},
        }
        ((_, message),) = problems(schema, {"x": 1})
        assert "leads nowhere" in message
        with pytest.raises(BlockingIOError):
            server.accept()


_DOUBLING = {
    f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]}
    for n in range(60)
}


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        ({"$ref": "#/$defs/d0", "$defs": {**_DOUBLING, "d60": {}}}, {}),
        ({"properties": {"x": {"allOf": [{"items": {}}] * 2_000}}}, {"x": [1] * 100_000}),
        (
            {"properties": {"x": {"allOf": [{"uniqueItems": True}] * 99}}},
            {"x": [{"a": 1}] * 50_000},
        ),
        ({"allOf": [{"anyOf": [{"required": ["q"]}] * 200}] * 200}, {}),
        ({"properties": {"x": {"items": {"enum": [[1] * 99] * 999}}}}, {"x": [[2] * 99] * 999}),
    ],
    ids=["references", "items", "unique items", "alternatives", "allowed values"],
)
def test_a_check_without_end_is_given_up(schema: Any, arguments: Any) -> None:
    assert problems(schema, arguments) == [
        ("$", "the tool's schema cannot be used: checking against it takes too long")
    ]


@pytest.mark.parametrize("dialect", [None, "http://json-schema.org/draft-07/schema#"])
@pytest.mark.parametrize("keyword", ["pattern", "patternProperties", "additionalProperties"])
def test_a_pattern_that_would_backtrack_for_years_is_matched(
    dialect: str | None, keyword: str
) -> None:
    text = "a" * 900 + "!"
    forms: dict[str, tuple[Any, Any]] = {
        "pattern": ({"pattern": "^(a+)+$"}, text),
        "patternProperties": ({"patternProperties": {"^(a+)+!$": False}}, {text: 1}),
        "additionalProperties": (
            {"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False},
            {text: 1},
        ),
    }
    schema, value = forms[keyword]
    if dialect is not None:
        schema = {"$schema": dialect, **schema}
    assert len(problems({"properties": {"x": schema}}, {"x": value})) == 1


@pytest.mark.parametrize("pattern", ["([", r"(a)\1", "(?=a)b", r"(?:a{1000}){1000}"])
def test_a_pattern_that_cannot_be_matched_is_not_applied(pattern: str) -> None:
    schema = {
        "properties": {"x": {"pattern": pattern}},
        "patternProperties": {pattern: False},
        "additionalProperties": False,
    }
    assert problems(schema, {"x": "zzz", "y": 1}) == []


def test_problems_are_values_of_the_heart() -> None:
    assert checker(FORECAST).problems("f", "{}") == (Problem("$.city", "'city' is missing"),)
