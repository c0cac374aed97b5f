"""Reading what a person declares: the tools of a request, and the mocks that answer them.

A value is refused for what the server would refuse it for (see `tool_rules`), at the place where
that is, and for what could not be told apart later.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.tools.errors import JsonTextError, ToolSetError
from app.tools.json_text import check_value, json_path, read_json, shown
from app.tools.mocks import Mock, Mocks, read_mocks, written_rule
from app.tools.tool_rules import array_refusals

__all__ = [
    "ToolSet",
    "ToolSetError",
    "parse_mocks",
    "parse_toolset",
    "read_toolset",
    "toolset_text",
]

MAX_CHARACTERS = 2_000_000
"""Characters of one file: about half of what the model's context takes."""

_KEYS = ("tools", "results", "mocks")


@dataclass(frozen=True, slots=True)
class ToolSet:
    """Tools as they are sent (the OpenAI array, keys in their order), and what stays here.

    `results` holds the schema of each tool's result by the tool's name.
    """

    tools: tuple[dict[str, Any], ...] = ()
    results: Mapping[str, Any] = field(default_factory=dict)
    mocks: tuple[Mock, ...] = ()


def parse_toolset(text: str) -> ToolSet:
    """The tool set that a file's text holds; see `read_toolset`. Raises ToolSetError."""
    return read_toolset(_parsed(text, "the tools"))


def read_toolset(value: Any) -> ToolSet:
    """A tool set from the OpenAI `tools` array, or `{"tools", "results", "mocks"}`.

    Raises ToolSetError, which says where and what to do.
    """
    _check_limits(value, "The tool set")
    if isinstance(value, list):
        return ToolSet(_tools(value, ()))
    file = _file(value, "The tools")
    if "tools" not in file:
        raise ToolSetError("$.tools is missing; declare the tools there, as the OpenAI array.")
    return ToolSet(_tools(file["tools"], ("tools",)), _results(file), _mocks(file))


def toolset_text(tool_set: ToolSet) -> str:
    """The file that `parse_toolset` reads: the array alone, where nothing else is known."""
    tools = list(tool_set.tools)
    beside = {
        "results": dict(tool_set.results),
        "mocks": [written_rule(rule) for rule in tool_set.mocks],
    }
    kept = {key: value for key, value in beside.items() if value}
    whole = {"tools": tools, **kept} if kept else tools
    return json.dumps(whole, indent=2, ensure_ascii=False)


def parse_mocks(text: str, results: Mapping[str, Any]) -> Mocks:
    """The mocks that a file's text holds: an array of rules, or a tool-set file.

    `results` are the schemas to generate from where the file has none. Raises ToolSetError.
    """
    value = _parsed(text, "the mocks")
    if isinstance(value, list):
        return Mocks(read_mocks(value), results)
    file = _file(value, "The mocks")
    if "mocks" not in file:
        raise ToolSetError("$.mocks is missing; write the rules there, as an array.")
    return Mocks(_mocks(file), _results(file) or results)


def _parsed(text: str, name: str) -> Any:
    try:
        return read_json(text.removeprefix("\ufeff"), max_characters=MAX_CHARACTERS)
    except JsonTextError as error:
        place = f" at {error.path}" if error.path != "$" else ""
        raise ToolSetError(f"The text of {name} {error}{place}; mend it there.") from None


def _check_limits(value: Any, name: str) -> None:
    try:
        check_value(value)
    except JsonTextError as error:
        raise ToolSetError(f"{name} {error}, at {error.path}; make it simpler.") from None


def _file(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ToolSetError(
            f"{name} must be an array, or an object with tools, results and mocks,"
            f" not {shown(value)}."
        )
    unknown = next((key for key in value if key not in _KEYS), None)
    if unknown is not None:
        path = json_path((unknown,))
        raise ToolSetError(f"{path} is unknown; a tool set has tools, results and mocks.")
    return value


def _mocks(file: Mapping[str, Any]) -> tuple[Mock, ...]:
    return read_mocks(file.get("mocks", []), "$.mocks")


def _results(file: Mapping[str, Any]) -> Mapping[str, Any]:
    results = file.get("results", {})
    if not isinstance(results, Mapping):
        raise ToolSetError(
            f"$.results must be an object of schemas by tool name, not {shown(results)}."
        )
    for name, schema in results.items():
        if not isinstance(schema, Mapping | bool):
            path = json_path(("results", name))
            raise ToolSetError(f"{path} must be a JSON Schema, not {shown(schema)}.")
    return results


def _tools(value: Any, steps: tuple[str | int, ...]) -> tuple[dict[str, Any], ...]:
    refusal = next(array_refusals(value, steps), None)
    if refusal is not None:
        raise ToolSetError(str(refusal))
    return tuple(value)
