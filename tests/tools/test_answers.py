from __future__ import annotations

from typing import Any

import pytest

from app.chat.entries import AnswerCheck
from app.chat.notices import Problem
from app.tools.answers import check_answer

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "array", "items": {"minimum": 1}}},
    "required": ["city"],
}


def test_an_answer_that_fits_has_no_problem() -> None:
    assert check_answer('\n{"city": "Paris", "days": [1, 2]}\n', SCHEMA) == AnswerCheck(True)


def test_each_problem_is_named_by_its_path() -> None:
    found = check_answer('{"city": 5, "days": [1, 0]}', SCHEMA)
    assert found.parsed
    assert [problem.path for problem in found.problems] == ["$.city", "$.days[1]"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("It is Paris.", "the text is not JSON: "),
        ('{"city": "Par', "the text is cut off after 13 characters"),
        ('```json\n{"city": "Paris"}\n```', "the text is not JSON: "),
        ('{"city": 1, "city": 2}', "twice"),
    ],
)
def test_an_answer_that_is_no_json_says_so(text: str, said: str) -> None:
    found = check_answer(text, SCHEMA)
    assert not found.parsed
    assert len(found.problems) == 1
    assert said in found.problems[0].message


@pytest.mark.parametrize("schema", [{"$ref": "#/nowhere"}, {"type": "no type"}, 5])
def test_a_schema_that_cannot_be_used_is_the_problem(schema: Any) -> None:
    found = check_answer("{}", schema)
    assert found.parsed
    assert found.problems[0] == Problem("$", found.problems[0].message)
    assert "schema cannot be used" in found.problems[0].message
