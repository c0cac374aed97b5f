"""The keywords of JSON Schema 2020-12 as schemas by strangers need them: their work is bounded.

Each keyword is counted as it is applied; what can be made to take long in the library is done
here in another way: patterns, unique items, long lists of allowed values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from typing import Any, TypeAlias

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from referencing.exceptions import Unresolvable

from app.tools.errors import SchemaUnusableError
from app.tools.json_text import shown
from app.tools.patterns import MAX_TEXT, read_pattern

MAX_STEPS = 200_000
"""Work that one check may do: a keyword is a step, and so is each value it goes through."""

_REFERENCE_STEPS = 10
"""What it takes to follow a reference, beside keywords that only look at a value."""

_ALTERNATIVES = frozenset(("allOf", "anyOf", "oneOf", "prefixItems", "dependentSchemas"))
_ALL_INSIDE = frozenset(("items", "contains", "properties", "propertyNames"))
_BY_KEY = frozenset(("patternProperties", "additionalProperties"))
_GOING_THROUGH = _ALTERNATIVES | _ALL_INSIDE | _BY_KEY

_Errors: TypeAlias = Iterable[ValidationError]
_Keyword: TypeAlias = Callable[[Any, Any, Any, Any], _Errors | None]
"""A keyword's check: validator, the keyword's setting, the value to check, the schema around."""


class OutOfStepsError(Exception):
    """One check has done all the work that it may."""


_steps_left: ContextVar[list[int] | None] = ContextVar("_steps_left", default=None)


@contextmanager
def bounded_work() -> Iterator[None]:
    """All keywords applied inside share MAX_STEPS; then they raise OutOfStepsError.

    Used inside itself it gives nothing more.
    """
    if _steps_left.get() is not None:
        yield
        return
    before = _steps_left.set([MAX_STEPS])
    try:
        yield
    finally:
        _steps_left.reset(before)


def _spend(steps: int) -> None:
    left = _steps_left.get()
    if left is None:
        return
    left[0] -= steps
    if left[0] < 0:
        raise OutOfStepsError


def _counted(name: str, keyword: _Keyword) -> _Keyword:
    steps = _REFERENCE_STEPS if name in ("$ref", "$dynamicRef") else 1

    def apply(validator: Any, setting: Any, value: Any, schema: Any) -> _Errors | None:
        _spend(steps)
        return keyword(validator, setting, value, schema)

    def go_through(validator: Any, setting: Any, value: Any, schema: Any) -> _Errors | None:
        _spend(1 + sum(len(each) for each in (setting, value) if isinstance(each, Mapping | list)))
        return keyword(validator, setting, value, schema)

    return go_through if name in _GOING_THROUGH else apply


def _reference(
    validator: Any, reference: Any, value: Any, schema: Any
) -> Iterator[ValidationError]:
    try:
        yield from Draft202012Validator.VALIDATORS["$ref"](validator, reference, value, schema)
    except Unresolvable:
        raise SchemaUnusableError(f"its $ref {shown(reference)} leads nowhere") from None


def _is_found(source: str, text: str) -> bool | None:
    """Whether a pattern is found in a text; None if that cannot be found out."""
    pattern = read_pattern(source)
    if pattern is None or len(text) > MAX_TEXT:
        return None
    _spend(pattern.size // 4 + 4 * len(text))
    return pattern.found_in(text)


def _pattern(validator: Any, source: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, str) and _is_found(source, value) is False:
        yield ValidationError(f"does not match {source}")


def _pattern_properties(
    validator: Any, patterns: Any, value: Any, schema: Any
) -> Iterator[ValidationError]:
    if not isinstance(value, Mapping):
        return
    for source, inner in patterns.items():
        for key, each in value.items():
            if _is_found(source, key):
                yield from _inside(validator, key, each, inner)


def _additional_properties(
    validator: Any, inner: Any, value: Any, schema: Any
) -> Iterator[ValidationError]:
    """One error a key. A pattern that cannot be matched may allow any key."""
    if not isinstance(value, Mapping):
        return
    declared = schema.get("properties", {})
    patterns = schema.get("patternProperties", {})
    for key, each in value.items():
        if key in declared or any(_is_found(source, key) is not False for source in patterns):
            continue
        yield from _inside(validator, key, each, inner)


def _properties(
    validator: Any, properties: Any, value: Any, schema: Any
) -> Iterator[ValidationError]:
    if isinstance(value, Mapping):
        for key, inner in properties.items():
            if key in value:
                yield from _inside(validator, key, value[key], inner)


def _inside(validator: Any, key: str, value: Any, schema: Any) -> Iterator[ValidationError]:
    """The errors of one property; the library tells no path where nothing is allowed."""
    if schema is False:
        yield ValidationError("is not allowed", path=(key,))
    else:
        yield from validator.descend(value, schema, path=key)


def _property_names(
    validator: Any, inner: Any, value: Any, schema: Any
) -> Iterator[ValidationError]:
    """Each error under the path of the key that is wrong."""
    if isinstance(value, Mapping):
        for key in value:
            yield from validator.descend(key, inner, path=key)


def _multiple_of(validator: Any, step: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    """In decimal, as the numbers were written: 0.3 is a multiple of 0.1."""
    if validator.is_type(value, "number") and Fraction(str(value)) % Fraction(str(step)):
        yield ValidationError(f"is no multiple of {step}")


def _required(validator: Any, names: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    """One error a name, under the path of what is missing."""
    if isinstance(value, Mapping):
        for name in names:
            if name not in value:
                yield ValidationError("is missing", path=(name,))


def _unique_items(
    validator: Any, wanted: Any, value: Any, schema: Any
) -> Iterator[ValidationError]:
    if wanted and isinstance(value, list):
        identities = [_identity(each) for each in value]
        if len(set(identities)) < len(identities):
            yield ValidationError("has an item twice")


def _enum(validator: Any, allowed: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    identity = _identity(value)
    if not any(_identity(each) == identity for each in allowed):
        yield ValidationError("is not among the allowed values")


def _const(validator: Any, allowed: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    return _enum(validator, [allowed], value, schema)


def _identity(value: Any) -> Any:
    """Equal for values that are equal as JSON: 1 and 1.0, but not 1 and true."""
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, list):
        _spend(len(value))
        return ("array", *(_identity(each) for each in value))
    if isinstance(value, Mapping):
        _spend(len(value))
        return frozenset((key, _identity(each)) for key, each in value.items())
    return value


def _not_applied(validator: Any, setting: Any, value: Any, schema: Any) -> None:
    return None


_OWN_KEYWORDS: dict[str, _Keyword] = {
    "$ref": _reference,
    "pattern": _pattern,
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "propertyNames": _property_names,
    "required": _required,
    "multipleOf": _multiple_of,
    "uniqueItems": _unique_items,
    "enum": _enum,
    "const": _const,
    "unevaluatedItems": _not_applied,
    "unevaluatedProperties": _not_applied,
}

KEYWORDS: dict[str, _Keyword] = {
    name: _counted(name, keyword)
    for name, keyword in {**Draft202012Validator.VALIDATORS, **_OWN_KEYWORDS}.items()
}
"""Every keyword of the dialect, bounded; to be applied inside `bounded_work`."""
