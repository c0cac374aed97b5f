"""Which keywords of a JSON Schema (2020-12) hold schemas, and so what stands inside one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from app.tools.json_scan import Steps

_BY_KEY = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_SINGLE = (
    "items",
    "contains",
    "additionalProperties",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedItems",
    "unevaluatedProperties",
)


def parts(schema: Any, steps: Steps = ()) -> Iterator[tuple[Mapping[str, Any], Steps]]:
    """The schema and all schemas inside with the steps to them, in the order of the text."""
    waiting: list[tuple[Any, Steps]] = [(schema, steps)]
    while waiting:
        part, place = waiting.pop()
        if isinstance(part, Mapping):
            yield part, place
            waiting += reversed(list(_inside(part, place)))


def with_parts(schema: Mapping[str, Any], changed: Callable[[Any], Any]) -> dict[str, Any]:
    """The schema with each schema right inside it changed."""
    made: dict[str, Any] = dict(schema)
    for keyword, setting in schema.items():
        if keyword in _BY_KEY and isinstance(setting, Mapping):
            made[keyword] = {key: changed(inner) for key, inner in setting.items()}
        elif keyword in _LISTS and isinstance(setting, list):
            made[keyword] = [changed(inner) for inner in setting]
        elif keyword in _SINGLE:
            made[keyword] = changed(setting)
    return made


def _inside(part: Mapping[str, Any], place: Steps) -> Iterator[tuple[Any, Steps]]:
    for keyword, setting in part.items():
        if keyword in _BY_KEY and isinstance(setting, Mapping):
            yield from ((inner, (*place, keyword, key)) for key, inner in setting.items())
        elif keyword in _LISTS and isinstance(setting, list):
            yield from ((inner, (*place, keyword, at)) for at, inner in enumerate(setting))
        elif keyword in _SINGLE:
            yield setting, (*place, keyword)
