"""Schemas that vLLM cannot turn into a grammar: refused before anything is generated.

The rules are those that its recordings show: only the first level of a tool's properties is
looked at, and a schema of another shape than an object's is let through.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.simulator.errors import ApiError
from app.simulator.request import ResponseFormat, Tool

_TYPES = frozenset({"null", "boolean", "object", "array", "number", "string", "integer"})

_MAX_DEPTH = 64
"""Levels of nesting in a schema; the simulator's own limit, so that it can be walked safely."""


def check_tool_schemas(tools: Sequence[Tool]) -> None:
    """Raises ApiError for the first tool that no grammar can be made for."""
    for tool in tools:
        parameters = tool.function.parameters or {}
        _check_depth(parameters)
        properties = parameters.get("properties")
        if parameters.get("type", "object") != "object" and "properties" not in parameters:
            continue
        if isinstance(properties, Mapping):
            for schema in properties.values():
                _check_property(schema)


def check_response_format(response_format: ResponseFormat) -> None:
    """Raises ApiError for a schema with a type that JSON does not have."""
    schema = response_format.json_schema.schema_ if response_format.json_schema else None
    if schema is None:
        return
    _check_depth(schema)
    unknown = _unknown_type(schema)
    if unknown is not None:
        raise ApiError(f"Grammar error: Invalid type: {unknown}")


def _check_property(schema: Any) -> None:
    if schema is None or isinstance(schema, bool):
        raise ApiError(f"argument of type '{type(schema).__name__}' is not iterable")
    if not isinstance(schema, Mapping):
        return
    if _has_unknown_type(schema) or schema.get("enum") == []:
        raise ApiError("Invalid grammar specification: 'triggers'")


def _has_unknown_type(schema: Mapping[str, Any]) -> bool:
    declared = schema.get("type")
    kinds = declared if isinstance(declared, list) else [declared]
    return any(isinstance(kind, str) and kind not in _TYPES for kind in kinds)


def _unknown_type(schema: Any) -> str | None:
    """The first unknown type anywhere in a schema."""
    if isinstance(schema, Mapping):
        declared = schema.get("type")
        if isinstance(declared, str) and declared not in _TYPES:
            return declared
        schema = [each for key, each in schema.items() if key not in ("enum", "const", "default")]
    if isinstance(schema, list):
        return next((found for each in schema if (found := _unknown_type(each))), None)
    return None


def _check_depth(schema: Any) -> None:
    level: list[Any] = [schema]
    for _ in range(_MAX_DEPTH):
        level = [child for each in level for child in _children(each)]
        if not level:
            return
    raise ApiError(f"The schema is nested deeper than the simulator's {_MAX_DEPTH} levels.")


def _children(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return list(value.values())
    return value if isinstance(value, list) else []
