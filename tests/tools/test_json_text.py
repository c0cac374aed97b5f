from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tools.errors import JsonTextError
from app.tools.json_text import MAX_DEPTH, MAX_NUMBER, compact, json_path, read_json, shown

_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=20,
)


@given(_VALUES)
def test_what_python_writes_is_read_back(value: object) -> None:
    assert read_json(compact(value), max_characters=10**6) == json.loads(compact(value))


@pytest.mark.parametrize(
    ("text", "path", "message"),
    [
        ("", "$", "is not JSON: expecting value at line 1, column 1"),
        ('{"a": }', "$", "is not JSON: expecting value at line 1, column 7"),
        ('{\n  "a": 1,,\n}', "$", "enclosed in double quotes at line 2, column 10"),
        ('{"a": "b\nc"}', "$", "is not JSON: invalid control character at line 1, column 9"),
        ('{"a": 1} x', "$", "is not JSON: extra data at line 1, column 10"),
        ('{"city": "Par', "$", "is cut off after 13 characters"),
        ('{"city": "Paris", "days": ', "$", "is cut off after 26 characters"),
        ('{"days": 3', "$", "is cut off after 10 characters"),
        ("[NaN]", "$", "is not JSON: NaN is no JSON value"),
        ("[-Infinity]", "$", "is not JSON: -Infinity is no JSON value"),
        ('{"a": 1, "a": 2}', "$", 'has the key "a" twice'),
        ('{"a": [{}, {"b": 1, "c": 1, "b": 2}]}', "$.a[1]", 'has the key "b" twice'),
        ("1" * (MAX_NUMBER + 1), "$", "holds a number of more than 300 characters"),
        ("0." + "1" * MAX_NUMBER, "$", "holds a number of more than 300 characters"),
        ("1e999", "$", "holds a number that is too large: 1e999"),
        ('{"a": ["\\ud800"]}', "$.a[0]", "holds half of a surrogate pair"),
        ('{"\\udc00": 1}', "$", "holds half of a surrogate pair"),
    ],
)
def test_what_is_not_json_is_told_with_its_place(text: str, path: str, message: str) -> None:
    with pytest.raises(JsonTextError) as caught:
        read_json(text, max_characters=10_000)
    assert message in str(caught.value)
    assert caught.value.path == path


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 200, 100_000])
@pytest.mark.parametrize("brackets", ["[]", '{"a":}'])
def test_nesting_beyond_the_limit_is_an_error_of_the_text(depth: int, brackets: str) -> None:
    text = brackets[:-1] * depth + "1" + brackets[-1] * depth
    with pytest.raises(JsonTextError, match=f"nested deeper than {MAX_DEPTH} levels"):
        read_json(text, max_characters=10**7)


def test_nesting_up_to_the_limit_is_read() -> None:
    value = read_json("[" * MAX_DEPTH + "1" + "]" * MAX_DEPTH, max_characters=1_000)
    assert compact(value) == "[" * MAX_DEPTH + "1" + "]" * MAX_DEPTH


def test_a_text_over_the_limit_is_not_read() -> None:
    with pytest.raises(JsonTextError, match="is too long: 6 characters, at most 5"):
        read_json("[1, 2]", max_characters=5)


def test_a_path_quotes_keys_that_are_no_names() -> None:
    assert json_path(("items", 2, "name")) == "$.items[2].name"
    assert json_path(("a b", "é", "x-y")) == '$["a b"]["é"]["x-y"]'
    assert json_path(()) == "$"


def test_values_are_shown_short() -> None:
    assert shown("x" * 100) == '"' + "x" * 58 + "…"
    assert [shown(value) for value in ({}, [1], None, True, 1.5)] == [
        "an object",
        "an array",
        "null",
        "true",
        "1.5",
    ]
