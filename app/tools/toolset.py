"""Reading what a person declares: the tools of a request, and the mocks that answer them.

A value is refused for what the server would refuse it for, at the place where that is, and for
what could not be told apart later. What vLLM refuses is known from recordings of vLLM 0.32: it
builds a grammar from the schemas of a tool's own parameters, but does not look deeper.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.tools.errors import JsonTextError, ToolSetError
from app.tools.json_text import check_value, json_path, read_json, shown
from app.tools.mocks import Mock, Mocks, read_mocks

__all__ = ["ToolSet", "ToolSetError", "parse_mocks", "parse_toolset", "read_toolset"]

MAX_TOOLS = 128
MAX_CHARACTERS = 2_000_000
"""Characters of one file: about half of what the model's context takes."""

_KEYS = ("tools", "results", "mocks")
_TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")


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
    path = json_path(steps)
    if not isinstance(value, list):
        raise ToolSetError(f"{path} must be an array of tools, not {shown(value)}.")
    if not value:
        raise ToolSetError(
            f"{path} is an empty array, which the server refuses; declare a tool, or send no tools."
        )
    if len(value) > MAX_TOOLS:
        raise ToolSetError(f"{path} holds {len(value)} tools; at most {MAX_TOOLS} are taken.")
    first_with: dict[str, str] = {}
    for at, entry in enumerate(value):
        name = _check_tool(entry, (*steps, at))
        here = json_path((*steps, at, "function", "name"))
        if name in first_with:
            raise ToolSetError(
                f"{here} is {shown(name)}, as is {first_with[name]}; give each tool its own name."
            )
        first_with[name] = here
    return tuple(value)


def _check_tool(entry: Any, steps: tuple[str | int, ...]) -> str:
    """Holds one tool against what the server takes; returns its name."""
    path = json_path(steps)
    if not isinstance(entry, Mapping):
        raise ToolSetError(f"{path} must be a tool, an object, not {shown(entry)}.")
    kind = entry.get("type", "function")
    if kind != "function":
        raise ToolSetError(f'{path}.type must be "function", not {shown(kind)}.')
    function = entry.get("function")
    if not isinstance(function, Mapping):
        raise ToolSetError(
            f"{path}.function must be an object with a name, a description and parameters."
        )
    name = function.get("name")
    if not isinstance(name, str) or not name:
        is_there = "must be a text" if name else "is missing"
        raise ToolSetError(f"{path}.function.name {is_there}; give the tool a name.")
    description, strict = function.get("description"), function.get("strict")
    if not isinstance(description, str | None):
        raise ToolSetError(f"{path}.function.description must be a text, not {shown(description)}.")
    if not isinstance(strict, bool | None):
        raise ToolSetError(f"{path}.function.strict must be true or false, not {shown(strict)}.")
    _check_parameters(function.get("parameters"), (*steps, "function", "parameters"))
    return name


def _check_parameters(parameters: Any, steps: tuple[str | int, ...]) -> None:
    if parameters is None:
        return
    path = json_path(steps)
    if not isinstance(parameters, Mapping):
        raise ToolSetError(f"{path} must be a JSON Schema, an object, not {shown(parameters)}.")
    properties = parameters.get("properties")
    if properties == []:
        raise ToolSetError(f"{path}.properties must be an object, not an array; write {{}}.")
    if isinstance(properties, Mapping):
        for key, schema in properties.items():
            _check_property(schema, (*steps, "properties", key))


def _check_property(schema: Any, steps: tuple[str | int, ...]) -> None:
    path = json_path(steps)
    if schema is None or isinstance(schema, bool):
        raise ToolSetError(
            f"{path} is {shown(schema)}, which the server refuses; write {{}} for any value."
        )
    if not isinstance(schema, Mapping):
        raise ToolSetError(f"{path} must be a JSON Schema, an object, not {shown(schema)}.")
    types = schema.get("type", [])
    for each in types if isinstance(types, list) else [types]:
        if each not in _TYPES:
            known = ", ".join(_TYPES)
            raise ToolSetError(f"{path}.type cannot be {shown(each)}; the types are {known}.")
    if schema.get("enum") == []:
        raise ToolSetError(f"{path}.enum is empty; list its values, or leave it out.")
