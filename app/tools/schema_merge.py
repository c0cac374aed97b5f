"""Two schemas as one that asks for both, as far as a sample needs it.

What cannot be joined is left as the first schema has it: a sample is checked in the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

_ALL_TYPES = ("string", "integer", "object", "array", "number", "boolean", "null")
_TELLING_KEYWORDS = {
    "object": ("properties", "required", "additionalProperties", "minProperties"),
    "array": ("items", "prefixItems", "minItems", "contains"),
    "string": ("pattern", "format", "minLength", "maxLength"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
"""Keywords that tell which type was meant where none is declared."""


def merged(first: Any, second: Any) -> Any:
    """One schema for values that satisfy both."""
    if first is False or second is False:
        return False
    if not isinstance(first, Mapping) or not isinstance(second, Mapping):
        return second if isinstance(second, Mapping) else first
    joined = {**second, **first}
    for keyword in first.keys() & second.keys():
        join = _JOINS.get(keyword)
        if join is not None:
            joined[keyword] = join(first[keyword], second[keyword])
    return False if joined.get("type") == [] else joined


def types_of(schema: Mapping[str, Any]) -> list[str]:
    """The types that a value may have, the likeliest first and null last."""
    declared = schema.get("type")
    if declared is not None:
        return sorted(_as_list(declared), key=lambda name: name == "null")
    telling = [
        name
        for name, keywords in _TELLING_KEYWORDS.items()
        if any(keyword in schema for keyword in keywords)
    ]
    return list(dict.fromkeys((*telling, *_ALL_TYPES)))


def _as_list(types: Any) -> list[str]:
    return [types] if isinstance(types, str) else list(types)


def _types(first: Any, second: Any) -> list[str]:
    mine, other = _as_list(first), _as_list(second)
    wide = {"integer"} if "number" in other else set()
    common = [name for name in mine if name in other or name in wide]
    if "number" in mine and "number" not in other and "integer" in other:
        common.append("integer")
    return common


def _both(first: Any, second: Any) -> Any:
    return {"allOf": [first, second]}


def _each_property(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    joined = {**first, **second}
    for key in first.keys() & second.keys():
        joined[key] = _both(first[key], second[key])
    return joined


def _common(first: list[Any], second: list[Any]) -> list[Any]:
    return [each for each in first if each in second]


def _union(first: list[str], second: list[str]) -> list[str]:
    return list(dict.fromkeys((*first, *second)))


_JOINS: dict[str, Callable[[Any, Any], Any]] = {
    "type": _types,
    "enum": _common,
    "required": _union,
    "properties": _each_property,
    "patternProperties": _each_property,
    "items": _both,
    "contains": _both,
    "propertyNames": _both,
    "additionalProperties": merged,
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), max),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), min),
}
