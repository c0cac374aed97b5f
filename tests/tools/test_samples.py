from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from app.tools.errors import NoSampleError
from app.tools.samples import sample

_NODE = {
    "type": "object",
    "properties": {
        "value": {"type": "integer"},
        "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
        "next": {"$ref": "#/$defs/node"},
        "parent": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
    },
    "required": ["children", "parent"],
}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (True, "text"),
        ({}, "text"),
        ({"type": "string", "maxLength": 2}, "te"),
        ({"type": "string", "format": "date"}, "2026-01-31"),
        ({"type": "string", "pattern": "^[A-Z]{2}\\d+$", "minLength": 6}, "AA0000"),
        ({"type": "integer"}, 1),
        ({"type": "integer", "minimum": 18}, 18),
        ({"type": "integer", "exclusiveMinimum": 5, "multipleOf": 2.5}, 10),
        ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.5}, 0.25),
        ({"type": "number", "maximum": -5.5}, -6),
        ({"minimum": 0.3, "multipleOf": 0.25}, 0.5),
        ({"type": "boolean"}, True),
        ({"type": ["null", "string"]}, "text"),
        ({"const": None}, None),
        ({"enum": ["c", "f"]}, "c"),
        ({"type": "integer", "default": 5}, 5),
        ({"type": "integer", "default": "five", "examples": ["six", 7]}, 7),
        ({"type": "array", "items": {"type": "integer"}}, [1]),
        (
            {"type": "array", "items": {"enum": [1, 2, 3]}, "minItems": 3, "uniqueItems": True},
            [1, 2, 3],
        ),
        ({"type": "array", "maxItems": 0}, []),
        ({"prefixItems": [{"const": "a"}, {"const": 1}], "items": False}, ["a", 1]),
        ({"type": "array", "contains": {"const": 3}, "minContains": 2}, [3, 3]),
        ({"properties": {"a": {"type": "integer"}, "b": False}}, {"a": 1}),
        ({"type": "object", "required": ["q"], "additionalProperties": {"const": 1}}, {"q": 1}),
        ({"type": "object", "minProperties": 2}, {"key 1": "text", "key 2": "text"}),
        (
            {"properties": {"a": {"const": 1}}, "dependentRequired": {"a": ["b"]}},
            {"a": 1, "b": "text"},
        ),
        ({"oneOf": [{"type": "integer"}, {"minimum": 5}], "minimum": 0}, 1),
        ({"not": {"type": "string"}}, 1),
        ({"allOf": [{"$ref": "#/$defs/a"}] * 2, "$defs": {"a": {"const": 1}}}, 1),
        (
            {
                "allOf": [
                    {"properties": {"a": {"minimum": 7}}},
                    {"properties": {"a": {"type": "integer"}}},
                ]
            },
            {"a": 7},
        ),
        ({"anyOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"type": "null"}}}, None),
        ({"$ref": "#node", "$defs": {"node": {"$anchor": "node", "const": 1}}}, 1),
        (
            {"$ref": "#/$defs/node", "$defs": {"node": _NODE}},
            {"value": 1, "children": [], "parent": None},
        ),
    ],
)
def test_a_sample_is_plain_and_always_the_same(schema: Any, expected: Any) -> None:
    assert json.dumps(sample(schema)) == json.dumps(sample(schema)) == json.dumps(expected)
    assert Draft202012Validator(schema).is_valid(expected)


@pytest.mark.parametrize(
    "schema",
    [
        False,
        {"enum": []},
        {"type": "integer", "minimum": 2, "maximum": 1},
        {"type": "string", "minLength": 10**9},
        {"type": "array", "minItems": 10**9},
        {"type": "object", "minProperties": 10**9},
        {"type": "array", "items": {"type": "boolean"}, "minItems": 3, "uniqueItems": True},
        {"$ref": "#"},
        {"$ref": "https://example.com/schema.json"},
        {"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#"}}},
        {"type": "banana"},
        {"allOf": [{"type": "string"}, {"type": "integer"}]},
        {"$ref": "#/x", "x": {"allOf": 5}},
        {"type": "number", "exclusiveMinimum": 10**400, "exclusiveMaximum": 10**400 + 1},
    ],
)
def test_where_nothing_satisfies_there_is_no_sample(schema: Any) -> None:
    with pytest.raises(NoSampleError) as caught:
        sample(schema)
    assert str(caught.value).endswith(".")


def test_a_chain_of_references_too_long_to_follow_has_no_sample() -> None:
    chain = {
        f"d{n}": {"properties": {"a": {"$ref": f"#/$defs/d{n + 1}"}}, "required": ["a"]}
        for n in range(500)
    }
    with pytest.raises(NoSampleError, match="too deep"):
        sample({"$ref": "#/$defs/d0", "$defs": {**chain, "d500": {"const": 1}}})


def test_a_search_without_end_is_given_up() -> None:
    twice = {
        f"d{n}": {"anyOf": [{"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2}] * 2} for n in range(30)
    }
    with pytest.raises(NoSampleError):
        sample({"$ref": "#/$defs/d0", "$defs": {**twice, "d30": {"not": {}}}})


_TEXTS = st.builds(
    lambda least, more: {"type": "string", "minLength": least, "maxLength": least + more},
    st.integers(0, 30),
    st.integers(0, 30),
)
_NUMBERS = st.builds(
    lambda kind, low, more, words: {"type": kind, words[0]: low, words[1]: low + 2 + more},
    st.sampled_from(["integer", "number"]),
    st.integers(-100, 100),
    st.integers(0, 100),
    st.sampled_from([("minimum", "maximum"), ("exclusiveMinimum", "exclusiveMaximum")]),
)
_STEPS = st.builds(
    lambda step, low: {"type": "number", "multipleOf": step, "minimum": low},
    st.sampled_from([1, 2, 5, 0.25, 0.5]),
    st.integers(-50, 50),
)
_FIXED = st.sampled_from(
    [
        {},
        True,
        {"type": "null"},
        {"type": "boolean"},
        {"const": {"a": [1]}},
        {"enum": [3, "x"]},
        {"type": "string", "format": "email"},
        {"type": "string", "pattern": "^[a-f]{4,}\\d?$"},
        {"$ref": "#/$defs/leaf"},
        {"$ref": "#/$defs/tree"},
    ]
)


def _objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    properties = st.dictionaries(st.sampled_from("abcd"), inner, max_size=3)
    return st.builds(
        lambda declared, required, closed, least: {
            "type": "object",
            "properties": declared,
            "required": [name for name in declared if name in required],
            **({"additionalProperties": False} if closed else {"minProperties": least}),
        },
        properties,
        st.sets(st.sampled_from("abcd")),
        st.booleans(),
        st.integers(0, 5),
    )


def _arrays(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(
        lambda items, least, more: {
            "type": "array",
            "items": items,
            "minItems": least,
            "maxItems": least + more,
        },
        inner,
        st.integers(0, 3),
        st.integers(0, 3),
    )


def _joined(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    options = st.lists(inner, min_size=1, max_size=3)
    return st.builds(lambda listed: {"anyOf": listed}, options) | st.builds(
        lambda each: {"allOf": [each, {}]}, inner
    )


_SCHEMAS = st.recursive(
    _TEXTS | _NUMBERS | _STEPS | _FIXED,
    lambda inner: _objects(inner) | _arrays(inner) | _joined(inner),
    max_leaves=8,
)
_DEFINITIONS = {
    "leaf": {"type": "integer", "minimum": 2},
    "tree": {
        "type": "object",
        "properties": {"left": {"$ref": "#/$defs/tree"}, "leaf": {"$ref": "#/$defs/leaf"}},
        "required": ["leaf"],
    },
}


@given(_SCHEMAS)
def test_a_sample_satisfies_its_schema(schema: Any) -> None:
    whole = {"allOf": [schema], "$defs": _DEFINITIONS}
    Draft202012Validator(whole).validate(sample(whole))
