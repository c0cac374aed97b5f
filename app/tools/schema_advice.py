"""What may go wrong with a JSON Schema that the server takes: it may be none, or say the wrong.

Held against the metaschema of 2020-12, all of it, and read for what a schema may hold and nobody
means: names that are required and not declared, references that lead nowhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from jsonschema.exceptions import ValidationError

from app.tools.errors import SchemaUnusableError
from app.tools.findings import Fault
from app.tools.json_scan import Steps
from app.tools.json_text import shown
from app.tools.patterns import read_pattern
from app.tools.schema_check import lost_references, schema_errors
from app.tools.schema_parts import parts

TYPES: Final = ("string", "number", "integer", "boolean", "object", "array", "null")

_ELSEWHERE = ("$ref", "allOf", "anyOf", "oneOf", "if", "patternProperties", "dependentSchemas")
"""Keywords by which a required property may be declared in another place."""


def schema_advice(schema: Mapping[str, Any], steps: Steps = ()) -> Iterator[Fault]:
    """What may go wrong with the parameters of a tool; `steps` lead to them from the root."""
    if schema.get("type") != "object":
        yield Fault("root_type", steps)
    yield from schema_faults(schema, steps)


def schema_faults(schema: Any, steps: Steps = ()) -> Iterator[Fault]:
    """What may go wrong with any schema: that of parameters, of a result, of an answer."""
    yield from _metaschema_faults(schema, steps)
    inside = list(parts(schema, steps))
    references = (part.get("$ref") for part, _ in inside)
    lost = lost_references(schema, [each for each in references if isinstance(each, str)])
    for part, place in inside:
        yield from _required_unknown(part, place)
        yield from _reference_lost(part, place, lost)
        if isinstance(part.get("nullable"), bool):
            yield Fault("nullable", (*place, "nullable"))
        pattern = part.get("pattern")
        if isinstance(pattern, str) and read_pattern(pattern) is None:
            yield Fault("pattern_unread", (*place, "pattern"))


def _metaschema_faults(schema: Any, steps: Steps) -> Iterator[Fault]:
    try:
        errors = schema_errors(schema)
    except SchemaUnusableError as unusable:
        yield Fault("schema_unusable", steps, {"why": str(unusable)})
        return
    seen: set[str] = set()  # the vocabularies of the metaschema find the same more than once
    for error in errors:
        fault = _schema_fault(error, (*steps, *error.absolute_path))
        if str(fault) not in seen:
            seen.add(str(fault))
            yield fault


def _schema_fault(error: ValidationError, steps: Steps) -> Fault:
    value = shown(error.instance)
    wanted: Any = error.validator_value
    if error.validator == "type":
        kinds = [wanted] if isinstance(wanted, str) else wanted
        return Fault("schema_kind", steps, {"value": value, "kinds": " or ".join(kinds)})
    if error.validator in ("enum", "anyOf") and "type" in steps[-2:]:
        return Fault("schema_type", steps, {"value": value, "types": ", ".join(TYPES)})
    return Fault("schema_value", steps, {"value": value})


def _required_unknown(part: Mapping[str, Any], place: Steps) -> Iterator[Fault]:
    required, properties = part.get("required"), part.get("properties", {})
    is_whole = "properties" in part or part.get("type") == "object"
    if not isinstance(required, list) or not isinstance(properties, Mapping) or not is_whole:
        return
    if any(keyword in part for keyword in _ELSEWHERE):
        return
    for at, name in enumerate(required):
        if isinstance(name, str) and name not in properties:
            yield Fault("required_unknown", (*place, "required", at), {"value": shown(name)})


def _reference_lost(part: Mapping[str, Any], place: Steps, lost: frozenset[str]) -> Iterator[Fault]:
    reference = part.get("$ref")
    if not isinstance(reference, str) or reference not in lost:
        return
    key = "reference_lost" if reference.startswith("#") else "reference_outside"
    yield Fault(key, (*place, "$ref"), {"value": shown(reference)})
