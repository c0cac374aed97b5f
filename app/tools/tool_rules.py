"""Which tools the server takes, and what about those it takes may still go wrong: one set of rules.

What vLLM refuses is known from recordings of vLLM 0.32: it builds a grammar from the schemas of a
tool's own parameters, but does not look deeper.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.tools.findings import Fault
from app.tools.json_scan import Steps
from app.tools.json_text import json_path, shown
from app.tools.schema_advice import TYPES, schema_advice

MAX_TOOLS = 128

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True)
class Declared:
    """A function as somebody declared it, and where: `steps` lead to it from the root."""

    function: Mapping[str, Any]
    steps: Steps


def array_refusals(value: Any, steps: Steps) -> Iterator[Fault]:
    """What the server would refuse of an OpenAI `tools` array, in its order."""
    if not isinstance(value, list):
        yield Fault("not_an_array", steps, {"value": shown(value)})
    elif not value:
        yield Fault("no_tools", steps)
    elif len(value) > MAX_TOOLS:
        yield Fault("too_many_tools", steps, {"count": str(len(value)), "most": str(MAX_TOOLS)})
    else:
        first_with: dict[str, str] = {}
        for at, entry in enumerate(value):
            yield from tool_refusals(entry, (*steps, at))
            yield from _same_name(entry, (*steps, at, "function", "name"), first_with)


def declared_in(value: Sequence[Any], steps: Steps) -> Iterator[Declared]:
    """The functions of an OpenAI `tools` array, as far as there are any."""
    for at, entry in enumerate(value[:MAX_TOOLS]):
        function = entry.get("function") if isinstance(entry, Mapping) else None
        if isinstance(function, Mapping):
            yield Declared(function, (*steps, at, "function"))


def tool_refusals(entry: Any, steps: Steps) -> Iterator[Fault]:
    """What the server would refuse of one tool."""
    if not isinstance(entry, Mapping):
        yield Fault("not_a_tool", steps, {"value": shown(entry)})
        return
    kind = entry.get("type", "function")
    if kind != "function":
        yield Fault("kind", (*steps, "type"), {"value": shown(kind)})
    function = entry.get("function")
    here = (*steps, "function")
    if isinstance(function, Mapping):
        yield from function_refusals(Declared(function, here))
    elif kind == "function":
        is_flat = function is None and isinstance(entry.get("name"), str)
        yield Fault("flat_tool" if is_flat else "no_function", here)


def function_refusals(declared: Declared) -> Iterator[Fault]:
    """What the server would refuse of one function."""
    function, steps = declared.function, declared.steps
    name = function.get("name")
    if not isinstance(name, str) or not name:
        yield Fault("name_kind" if name else "no_name", (*steps, "name"))
    description, strict = function.get("description"), function.get("strict")
    if not isinstance(description, str | None):
        yield Fault("description_kind", (*steps, "description"), {"value": shown(description)})
    if not isinstance(strict, bool | None):
        yield Fault("strict_kind", (*steps, "strict"), {"value": shown(strict)})
    parameters = function.get("parameters")
    if parameters is not None:
        yield from _parameters_refusals(parameters, (*steps, "parameters"))


def function_advice(declared: Declared) -> Iterator[Fault]:
    """What may go wrong with a function that the server takes."""
    function, steps = declared.function, declared.steps
    name = function.get("name")
    if isinstance(name, str) and name and not _NAME.fullmatch(name):
        yield Fault("name_form", (*steps, "name"), {"value": shown(name)})
    if not function.get("description"):
        yield Fault("no_description", (*steps, "description"))
    if function.get("strict") is True:
        yield Fault("strict", (*steps, "strict"))
    parameters = function.get("parameters")
    if isinstance(parameters, Mapping):
        yield from schema_advice(parameters, (*steps, "parameters"))
    elif "inputSchema" in function:
        yield Fault("mcp_form", (*steps, "inputSchema"))
    elif parameters is None:
        yield Fault("no_parameters", (*steps, "parameters"))


def _same_name(entry: Any, steps: Steps, first_with: dict[str, str]) -> Iterator[Fault]:
    function = entry.get("function") if isinstance(entry, Mapping) else None
    name = function.get("name") if isinstance(function, Mapping) else None
    if not isinstance(name, str) or not name:
        return
    if name in first_with:
        yield Fault("same_name", steps, {"value": shown(name), "first": first_with[name]})
    else:
        first_with[name] = json_path(steps)


def _parameters_refusals(parameters: Any, steps: Steps) -> Iterator[Fault]:
    if not isinstance(parameters, Mapping):
        yield Fault("parameters_kind", steps, {"value": shown(parameters)})
        return
    properties = parameters.get("properties")
    if properties == []:
        yield Fault("properties_array", (*steps, "properties"))
    if isinstance(properties, Mapping):
        for key, schema in properties.items():
            yield from _property_refusals(schema, (*steps, "properties", key))


def _property_refusals(schema: Any, steps: Steps) -> Iterator[Fault]:
    if schema is None or isinstance(schema, bool):
        yield Fault("property_constant", steps, {"value": shown(schema)})
        return
    if not isinstance(schema, Mapping):
        yield Fault("property_kind", steps, {"value": shown(schema)})
        return
    types = schema.get("type", [])
    for each in types if isinstance(types, list) else [types]:
        if each not in TYPES:
            values = {"value": shown(each), "types": ", ".join(TYPES)}
            yield Fault("property_type", (*steps, "type"), values)
    if schema.get("enum") == []:
        yield Fault("enum_empty", (*steps, "enum"))
