from __future__ import annotations

import json
from typing import Any

import pytest

from app.tools.mocks import Answer, Ask, Failure, Generate, Mock, Mocks, Result, read_mocks
from app.tools.toolset import ToolSetError


def answered_by(rules: list[dict[str, Any]], name: str, **arguments: Any) -> str | None:
    answer = Mocks(read_mocks(rules)).answer(name, arguments)
    return answer and answer.answered_by


def test_rules_are_read_in_order() -> None:
    assert read_mocks(
        [
            {"tool": "a", "when": {"x": 1}, "result": {"y": 2}},
            {"tool": "a", "when": {}, "error": "timeout", "delay_s": 2},
            {"tool": "*", "ask": True},
            {"tool": "*", "generate": True, "delay_s": 0.5},
            {"tool": "b", "result": None},
        ]
    ) == (
        Mock("a", Result({"y": 2}), {"x": 1}),
        Mock("a", Failure("timeout"), {}, 2.0),
        Mock("*", Ask()),
        Mock("*", Generate(), delay_s=0.5),
        Mock("b", Result(None)),
    )


def test_the_first_rule_that_fits_wins() -> None:
    rules = [
        {"tool": "a", "when": {"city": "Paris"}, "result": 1},
        {"tool": "a", "result": 2},
        {"tool": "*", "result": 3},
    ]
    assert answered_by(rules, "a", city="Paris", days=3) == "rule 1"
    assert answered_by(rules, "a", city="Rome") == "rule 2"
    assert answered_by(rules, "b") == "rule 3"
    assert answered_by(rules[:2], "b") is None


@pytest.mark.parametrize(
    ("when", "arguments", "fits"),
    [
        ({}, {"a": 1}, True),
        ({"a": 1}, {"a": 1, "b": 2}, True),
        ({"a": 1}, {"a": 1.0}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": True}, {"a": 1}, False),
        ({"a": False}, {"a": False}, True),
        ({"a": 0}, {"a": None}, False),
        ({"a": None}, {"a": None}, True),
        ({"a": None}, {}, False),
        ({"a": "1"}, {"a": 1}, False),
        ({"a": "*"}, {"a": {"b": [1]}}, True),
        ({"a": "*"}, {"b": 1}, False),
        ({"a": {"b": "*"}}, {"a": {"b": None, "c": 1}}, True),
        ({"a": {"b": 1}}, {"a": {"b": True}}, False),
        ({"a": {"b": 1}}, {"a": 1}, False),
        ({"a": {}}, {"a": []}, False),
        ({"a": [1, "*"]}, {"a": [1.0, {}]}, True),
        ({"a": [1]}, {"a": [1, 2]}, False),
        ({"a": [{"b": 1}]}, {"a": [{"b": 1, "c": 2}]}, True),
        ({"a": []}, {"a": {}}, False),
    ],
)
def test_when_is_a_part_of_the_arguments_equal_as_json(
    when: dict[str, Any], arguments: dict[str, Any], fits: bool
) -> None:
    assert Mock("f", Ask(), when).fits("f", arguments) is fits


@pytest.mark.parametrize(
    ("rule", "answer"),
    [
        ({"result": {"a": "é", "b": [1, None]}}, Answer('{"a":"é","b":[1,null]}', "rule 1")),
        ({"result": "as it is"}, Answer("as it is", "rule 1")),
        ({"result": ""}, Answer("", "rule 1")),
        ({"result": None}, Answer("null", "rule 1")),
        ({"error": 'no "Paris"'}, Answer('{"error":"no \\"Paris\\""}', "error")),
        ({"error": "timeout", "delay_s": 2}, Answer('{"error":"timeout"}', "error", 2.0)),
        ({"generate": True, "delay_s": 1}, Answer('{"degrees":20}', "generated", 1.0)),
        ({"ask": True}, None),
    ],
)
def test_an_answer_is_the_text_that_the_model_reads(
    rule: dict[str, Any], answer: Answer | None
) -> None:
    degrees = {"type": "object", "properties": {"degrees": {"type": "integer", "minimum": 20}}}
    mocks = Mocks(read_mocks([{"tool": "f", **rule}]), {"f": degrees})
    assert mocks.answer("f", {}) == answer


def test_a_rule_that_asks_is_not_passed_over() -> None:
    assert answered_by([{"tool": "f", "ask": True}, {"tool": "*", "result": 1}], "f") is None


@pytest.mark.parametrize("results", [{}, {"g": {}}, {"f": False}, {"f": {"type": "banana"}}])
def test_what_cannot_be_generated_is_left_to_a_person(results: dict[str, Any]) -> None:
    mocks = Mocks(read_mocks([{"tool": "*", "generate": True}]), results)
    assert mocks.answer("f", {}) is None


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ({}, "$ must be an array of rules, not an object."),
        ([1], "$[0] must be a rule, an object, not 1."),
        (
            [{"tool": "a", "where": {}}],
            '$[0] has the unknown key "where"; a rule takes tool, when,',
        ),
        ([{"result": 1}], '$[0].tool must be the name of a tool, or "*" for any.'),
        ([{"tool": ""}], '$[0].tool must be the name of a tool, or "*" for any.'),
        ([{"tool": "a", "when": []}], "$[0].when must be an object of arguments, not an array."),
        ([{"tool": "a"}], "$[0] must have exactly one of result, error, ask and generate, but has"),
        ([{"tool": "a", "result": 1, "ask": True}], "but has result and ask."),
        ([{"tool": "a", "error": ""}], '$[0].error must be a text such as "timeout"'),
        ([{"tool": "a", "error": 404}], '$[0].error must be a text such as "timeout"'),
        ([{"tool": "a", "ask": False}], "$[0].ask can only be true; leave it out"),
        ([{"tool": "a", "generate": 1}], "$[0].generate can only be true; leave it out"),
        ([{"tool": "a", "result": 1, "delay_s": -1}], "$[0].delay_s must be a number of seconds"),
        ([{"tool": "a", "result": 1, "delay_s": True}], "$[0].delay_s must be a number of seconds"),
        ([{"tool": "a", "result": 1, "delay_s": 601}], "from 0 to 600."),
        ([{"tool": "a", "result": 1, "delay_s": float("nan")}], "$[0].delay_s holds a number"),
        ([{"tool": "a", "ask": True}] * 1_001, "$ holds 1,001 rules; at most 1,000 are taken."),
        (json.loads('[{"tool": "a", "result": "\\ud800"}]'), "half of a surrogate pair"),
    ],
)
def test_a_rule_that_cannot_be_read_is_one_sentence(value: Any, sentence: str) -> None:
    with pytest.raises(ToolSetError) as caught:
        read_mocks(value)
    assert sentence in str(caught.value)


def test_a_rule_is_named_by_its_place_in_the_file() -> None:
    with pytest.raises(ToolSetError, match=r"^\$\.mocks\[1\]\.tool must be"):
        read_mocks([{"tool": "a", "ask": True}, {}], "$.mocks")
