from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tools.errors import JsonTextError
from app.tools.json_scan import fault_in, line_and_column, offsets_in
from app.tools.json_text import MAX_DEPTH, read_json

_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=20,
)
_NEARLY_JSON = st.text(st.sampled_from("{}[]:,\"ab\\ntrufalsn01.-+eE \n'/#“"), max_size=12)


def is_json(text: str) -> bool:
    try:
        read_json(text, max_characters=10**6)
    except JsonTextError:
        return False
    return True


@given(_VALUES, st.sampled_from([None, 1, "\t"]))
def test_what_python_writes_has_no_fault(value: object, indent: int | str | None) -> None:
    assert fault_in(json.dumps(value, indent=indent)) is None


@given(_NEARLY_JSON)
def test_a_fault_is_found_where_the_text_is_no_json_and_nowhere_else(text: str) -> None:
    assert (fault_in(text) is None) == is_json(text)


@given(_VALUES, st.integers(0, 200))
def test_a_text_that_is_cut_has_a_fault(value: object, length: int) -> None:
    text = json.dumps([value])
    cut = text[: min(length, len(text) - 1)]
    assert fault_in(cut) is not None


@pytest.mark.parametrize(
    ("text", "key", "offset"),
    [
        ("", "empty", 0),
        ("  \n", "empty", 3),
        ('[{"a": 1,}]', "trailing_comma", 8),
        ("[1, 2, ]", "trailing_comma", 5),
        ("[{'a': 1}]", "single_quotes", 2),
        ("[{\"a\": 'b'}]", "single_quotes", 7),
        ("[1 // one\n]", "comment", 3),
        ('{"a": 1, /* b */ "c": 2}', "comment", 9),
        ("# tools\n[]", "comment", 0),
        ('{name: "x"}', "unquoted_key", 1),
        ('{"a": yes}', "unquoted_text", 6),
        ('{"a": True}', "other_language", 6),
        ("[None]", "other_language", 1),
        ('{"a": NaN}', "no_number", 6),
        ("[-Infinity]", "no_number", 1),
        ("[01]", "bad_number", 1),
        ("[+1]", "bad_number", 1),
        ("[.5, 1]", "bad_number", 1),
        ("[1.]", "bad_number", 1),
        ("[0x1F]", "bad_number", 1),
        ('{"a": 1, "b": 2, "a": 3}', "duplicate_key", 17),
        ('{"a": 1, "\\u0061": 3}', "duplicate_key", 9),
        ('[{"a": [1, 2', "ends_early", 12),
        ('{"a"', "ends_early", 4),
        ('{"a": ', "ends_early", 6),
        ('{"a": "b', "text_not_closed", 6),
        ('{"a": "b\\', "text_not_closed", 6),
        ('{"a": "b\n"}', "line_break_in_text", 6),
        ('["a\tb"]', "control_character", 3),
        ('["\\d+"]', "bad_escape", 2),
        ('["a" "b"]', "missing_comma", 4),
        ('{"a": 1\n "b": 2}', "missing_comma", 7),
        ('{"a" 1}', "missing_colon", 5),
        ('[{"a": [1}]', "wrong_bracket", 9),
        ("[}", "wrong_bracket", 1),
        ("{“a”: 1}", "curly_quotes", 1),
        ('{"a": 1} {"b": 2}', "several_values", 9),
        ('{"a": 1}, {"b": 2}', "several_values", 8),
        ('{"a": 1} and so on', "extra_text", 9),
        ("```json\n{}\n```", "code_fence", 0),
        ("[1,,2]", "expected_value", 3),
        ("{5: 1}", "expected_key", 1),
        ("[1e999]", "number_too_large", 1),
        ("[" + "1" * 301 + "]", "number_too_large", 1),
        ('["\\ud83d!"]', "half_character", 1),
        ('{"\\ude00": 1}', "half_character", 1),
        ("[" * (MAX_DEPTH + 2), "too_deep", MAX_DEPTH + 1),
    ],
)
def test_each_mistake_has_its_name_and_its_place(text: str, key: str, offset: int) -> None:
    fault = fault_in(text)
    assert fault is not None
    assert (fault.key, fault.offset) == (key, offset)


def test_values_are_found_by_the_steps_to_them() -> None:
    text = '{"a": [1, {"b \\" c": "x"}],\n "d": {}}'
    wanted = [(), ("a",), ("a", 1), ("a", 1, 'b " c'), ("d",), ("nowhere",)]
    found = offsets_in(text, wanted)
    assert {steps: text[at:][:3] for steps, at in found.items()} == {
        (): '{"a',
        ("a",): "[1,",
        ("a", 1): '{"b',
        ("a", 1, 'b " c'): '"x"',
        ("d",): "{}}",
    }


def test_a_key_is_known_by_what_it_means() -> None:
    text = '{"\\u00e9\\n\\ud83d\\ude00": 1}'
    assert offsets_in(text, [("é\n😀",)]) == {("é\n😀",): text.index("1")}


def test_lines_and_columns_count_from_one() -> None:
    text = "ab\ncd\n"
    assert [line_and_column(text, at) for at in (0, 2, 3, 6)] == [(1, 1), (1, 3), (2, 1), (3, 1)]
