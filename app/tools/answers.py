"""Checking an answer against the JSON Schema that its request asked for."""

from __future__ import annotations

from typing import Any

from app.chat.entries import AnswerCheck
from app.chat.notices import Problem
from app.tools.arguments import MAX_ARGUMENTS
from app.tools.errors import JsonTextError, SchemaUnusableError
from app.tools.json_text import read_json
from app.tools.problems import problems_of
from app.tools.schema_check import SchemaCheck


def check_answer(text: str, schema: Any) -> AnswerCheck:
    """What is wrong with an answer that was to be JSON of this schema.

    A schema that cannot be used is one problem, since nothing is known of the answer then.
    """
    try:
        value = read_json(text, max_characters=MAX_ARGUMENTS)
    except JsonTextError as error:
        return AnswerCheck(False, (Problem(error.path, f"the text {error}"),))
    try:
        return AnswerCheck(True, problems_of(SchemaCheck(schema).errors(value)))
    except SchemaUnusableError as error:
        return AnswerCheck(True, (Problem("$", f"the schema cannot be used: {error}"),))
