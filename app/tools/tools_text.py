"""The tools of a chat as a person types them: read, and checked as they go.

A text is the OpenAI `tools` array, one tool, one function, or a bare JSON Schema. What stands in
it is kept as it stands, keys in their order; only what lacks an envelope gets one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any

from app.tools.errors import JsonTextError
from app.tools.findings import Fault, Finding, located, of_json
from app.tools.json_scan import JsonFault, fault_in
from app.tools.json_text import read_json, shown
from app.tools.tool_rules import (
    Declared,
    array_refusals,
    declared_in,
    function_advice,
    function_refusals,
    tool_refusals,
)
from app.tools.toolset import MAX_CHARACTERS

MAX_FINDINGS = 100
"""Errors, and warnings, that one check lists; whoever mends them finds the rest."""

_SCHEMA_KEYWORDS = frozenset(
    ("$schema", "$ref", "$defs", "type", "properties", "required", "allOf", "anyOf", "oneOf")
)


@dataclass(frozen=True, slots=True)
class CheckedTools:
    """The tools of a text, as they are sent, and what is to be said about them.

    With an error there are no tools: the text is not to be sent. A blank text is no error and
    declares none.
    """

    tools: tuple[dict[str, Any], ...] = ()
    errors: tuple[Finding, ...] = ()
    warnings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class _Read:
    """A text's value as tools, and what is found in it, as far as it is asked for."""

    tools: tuple[dict[str, Any], ...]
    refusals: Iterator[Fault]
    advice: Iterator[Fault] = field(default_factory=lambda: iter(()))


def check_tools(text: str) -> CheckedTools:
    """What a text declares.

    Errors are what the server would refuse, and names that stand twice (see `tool_rules`);
    warnings are what it takes and others trip over, a schema that is none included.
    """
    text = text.removeprefix("\ufeff")
    if not text.strip():
        return CheckedTools()
    value, mistake = read_text(text)
    if mistake is not None:
        return CheckedTools(errors=(mistake,))
    read = _read(value)
    errors = list(islice(read.refusals, MAX_FINDINGS))
    places = {each.steps for each in errors}
    advice = (each for each in read.advice if each.steps not in places)
    warnings = list(islice(advice, MAX_FINDINGS))
    found = located([*errors, *warnings], text)
    tools = () if errors else read.tools
    return CheckedTools(tools, found[: len(errors)], found[len(errors) :])


def read_text(text: str) -> tuple[Any, Finding | None]:
    """The value of a JSON text that a person typed, or (None and) what is wrong with it."""
    if len(text) > MAX_CHARACTERS:
        values = {"length": f"{len(text):,}", "most": f"{MAX_CHARACTERS:,}"}
        return None, Finding("too_long", "$", 1, 1, values)
    try:
        return read_json(text, max_characters=MAX_CHARACTERS), None
    except JsonTextError as error:
        why = f"{error}, at {error.path}"
        fault = fault_in(text) or JsonFault("not_json", 0, {"why": why})
        return None, of_json(fault, text)


def _read(value: Any) -> _Read:
    if isinstance(value, list):
        functions = declared_in(value, ())
        advice = chain.from_iterable(map(function_advice, functions))
        return _Read(tuple(value), array_refusals(value, ()), advice)
    if not isinstance(value, dict):
        return _Read((), iter([Fault("form", (), {"value": shown(value)})]))
    if "tools" in value:
        return _Read((), iter([Fault("form.set", ())]))
    if "function" in value or value.get("type") == "function":
        refusals, function = tool_refusals(value, ()), value.get("function")
        if not isinstance(function, Mapping):
            return _Read((value,), refusals)
        return _Read((value,), refusals, function_advice(Declared(function, ("function",))))
    if _is_function(value):
        declared = Declared(value, ())
        return _Read((_tool(value),), function_refusals(declared), function_advice(declared))
    if _SCHEMA_KEYWORDS & value.keys():
        return _read_schema(value)
    return _Read((), iter([Fault("form.unknown", ())]))


def _is_function(value: Mapping[str, Any]) -> bool:
    if "parameters" in value or "inputSchema" in value:
        return True
    return "name" in value and not _SCHEMA_KEYWORDS & value.keys()


def _read_schema(schema: Mapping[str, Any]) -> _Read:
    """A bare schema is the parameters of a tool, which is called and described as the schema is."""
    title, description = schema.get("title"), schema.get("description")
    name = re.sub(r"[^a-zA-Z0-9_-]+", "_", title).strip("_")[:64] if isinstance(title, str) else ""
    function: dict[str, Any] = {"name": name or "tool_1"}
    if isinstance(description, str):
        function["description"] = description
    function["parameters"] = schema
    declared = Declared(function, ())
    refusals = map(_outside_envelope, function_refusals(declared))
    return _Read((_tool(function),), refusals, map(_outside_envelope, function_advice(declared)))


def _outside_envelope(fault: Fault) -> Fault:
    """Where a fault stands in the text, in which the parameters are the whole."""
    is_inside = fault.steps[:1] == ("parameters",)
    return replace(fault, steps=fault.steps[1:]) if is_inside else fault


def _tool(function: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": function}
