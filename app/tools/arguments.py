"""Checking the arguments of a call against the schema that the request declared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.chat.notices import Problem
from app.tools.errors import JsonTextError, SchemaUnusableError
from app.tools.json_text import read_json, shown
from app.tools.problems import problems_of
from app.tools.schema_check import SchemaCheck

MAX_ARGUMENTS = 1_000_000
"""Characters of one call's arguments; more than any tool is meant to take."""


class ArgumentsError(ValueError):
    """Arguments that are no JSON object; `problem` says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.path}: {problem.message}")
        self.problem = problem


def read_arguments(text: str) -> dict[str, Any]:
    """The object that a call's arguments are; none at all mean an empty one.

    Raises ArgumentsError.
    """
    if not text.strip():
        return {}
    try:
        value = read_json(text, max_characters=MAX_ARGUMENTS)
    except JsonTextError as error:
        raise ArgumentsError(Problem(error.path, f"the text {error}")) from None
    if not isinstance(value, dict):
        message = f"the arguments must be an object, not {shown(value)}"
        raise ArgumentsError(Problem("$", message))
    return value


class ArgumentChecker:
    """Knows the tools of one request, given as the OpenAI array; entries without a name count for
    nothing.
    """

    def __init__(self, tools: Sequence[Mapping[str, Any]]) -> None:
        self._checks: dict[str, SchemaCheck] = {}
        for tool in tools:
            function = tool.get("function")
            if isinstance(function, Mapping) and isinstance(function.get("name"), str):
                schema = function.get("parameters")
                check = SchemaCheck({} if schema is None else schema)
                self._checks.setdefault(function["name"], check)

    def declared(self, name: str) -> bool:
        """Whether the request declared a tool of this name."""
        return name in self._checks

    def problems(self, name: str, arguments: str) -> tuple[Problem, ...]:
        """What is wrong with the arguments; for a tool not declared, with their JSON alone.

        A schema that cannot be used is one problem, since nothing is known of the call then.
        """
        try:
            value = read_arguments(arguments)
        except ArgumentsError as error:
            return (error.problem,)
        check = self._checks.get(name)
        if check is None:
            return ()
        try:
            return problems_of(check.errors(value))
        except SchemaUnusableError as error:
            return (Problem("$", f"the tool's schema cannot be used: {error}"),)
