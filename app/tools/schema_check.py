"""Holding a value against a JSON Schema (2020-12) that anybody may have written.

Nothing is ever fetched: a `$ref` that leaves the schema leads nowhere. The work is bounded, so
that no schema can stop the server: keywords are counted as they are applied, and patterns are
matched by an automaton. `format` asserts nothing, as the standard has it; `unevaluatedItems` and
`unevaluatedProperties`, whose cost has no bound, are not applied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from itertools import islice
from typing import Any, TypeAlias

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable

from app.tools.errors import JsonTextError, SchemaUnusableError
from app.tools.json_text import check_value, json_path, shown
from app.tools.patterns import read_pattern

MAX_STEPS = 200_000
"""Keywords applied in one check, those on large values counting for more: about a second."""

MAX_ERRORS = 20
"""Errors that one check lists; whoever mends them finds the rest."""

_DIALECT = "https://json-schema.org/draft/2020-12"
_METASCHEMA = {
    "$id": f"{_DIALECT}/without-annotations",
    "$dynamicAnchor": "meta",
    "type": ["object", "boolean"],
    "allOf": [
        {"$ref": f"{_DIALECT}/meta/{vocabulary}"}
        for vocabulary in ("core", "applicator", "validation")
    ],
}
"""The standard's own, less what only describes: a title that is null does no harm."""

_Errors: TypeAlias = Iterable[ValidationError]
_Keyword: TypeAlias = Callable[[Any, Any, Any, Any], _Errors | None]
"""A keyword's check: validator, the keyword's value, the value to check, the schema around."""


class SchemaCheck:
    """One schema, ready to be held against values."""

    def __init__(self, schema: Any) -> None:
        self._schema = schema
        self._is_known_usable = False

    def errors(self, value: Any) -> list[ValidationError]:
        """What is wrong with a JSON value, at most MAX_ERRORS; raises SchemaUnusableError."""
        self._check_schema()
        return _errors(self._schema, value)

    def accepts(self, value: Any, part: Any) -> bool:
        """Whether a value satisfies a part of the schema, whose references lead into the whole.

        False too where the schema cannot be used.
        """
        try:
            self._check_schema()
            return not _errors(self._schema, value, part)
        except SchemaUnusableError:
            return False

    def _check_schema(self) -> None:
        if self._is_known_usable:
            return
        try:
            check_value(self._schema)
        except JsonTextError as error:
            raise SchemaUnusableError(f"it {error}") from None
        wrong = next(iter(_errors(_METASCHEMA, self._schema)), None)
        if wrong is not None:
            path = json_path(wrong.absolute_path)
            raise SchemaUnusableError(f"{path} cannot be {shown(wrong.instance)}")
        self._is_known_usable = True


class _OutOfStepsError(Exception):
    """One check has done all the work that it may."""


_steps_left: ContextVar[list[int]] = ContextVar("_steps_left")


def _errors(schema: Any, value: Any, part: Any = None) -> list[ValidationError]:
    before = _steps_left.set([MAX_STEPS])
    try:
        validator = _Validator(schema, registry=Registry())
        if part is not None:
            validator = validator.evolve(schema=part)
        return list(islice(validator.iter_errors(value), MAX_ERRORS))
    except SchemaUnusableError:
        raise
    except Unresolvable:
        raise SchemaUnusableError("a reference in it leads nowhere") from None
    except RecursionError:
        raise SchemaUnusableError("it refers to itself without end") from None
    except _OutOfStepsError:
        raise SchemaUnusableError("checking against it takes too long") from None
    except Exception as error:  # whatever the library stumbles over: a $ref to what is no schema
        raise SchemaUnusableError(f"it cannot be applied ({type(error).__name__})") from None
    finally:
        _steps_left.reset(before)


def _spend(steps: int) -> None:
    left = _steps_left.get()
    left[0] -= steps
    if left[0] < 0:
        raise _OutOfStepsError


def _metered(keyword: _Keyword) -> _Keyword:
    def apply(validator: Any, setting: Any, value: Any, schema: Any) -> _Errors | None:
        sizes = (len(each) for each in (setting, value) if isinstance(each, Mapping | list))
        _spend(1 + sum(sizes) // 16)
        return keyword(validator, setting, value, schema)

    return apply


def _reference(
    validator: Any, reference: Any, value: Any, schema: Any
) -> Iterator[ValidationError]:
    try:
        yield from Draft202012Validator.VALIDATORS["$ref"](validator, reference, value, schema)
    except Unresolvable:
        raise SchemaUnusableError(f"its $ref {shown(reference)} leads nowhere") from None


def _is_found(source: str, text: str) -> bool | None:
    """Whether a pattern is found in a text; None if it is none that can be matched."""
    pattern = read_pattern(source)
    if pattern is None:
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
                yield from validator.descend(each, inner, path=key, schema_path=source)


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
        yield from validator.descend(each, inner, path=key)


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


def _identity(value: Any) -> Any:
    """Equal for values that are equal as JSON: 1 and 1.0, but not 1 and true."""
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, list):
        return ("array", *(_identity(each) for each in value))
    if isinstance(value, Mapping):
        return frozenset((key, _identity(each)) for key, each in value.items())
    return value


def _not_applied(validator: Any, setting: Any, value: Any, schema: Any) -> None:
    return None


_OWN_KEYWORDS: dict[str, _Keyword] = {
    "$ref": _reference,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "required": _required,
    "uniqueItems": _unique_items,
    "unevaluatedItems": _not_applied,
    "unevaluatedProperties": _not_applied,
}
_KEYWORDS: dict[str, _Keyword] = {**Draft202012Validator.VALIDATORS, **_OWN_KEYWORDS}
_Validator: Any = extend(
    Draft202012Validator, {name: _metered(keyword) for name, keyword in _KEYWORDS.items()}
)
