"""A value that satisfies a JSON Schema: the same one each time, and a plain one.

Schemas come from anybody: the work is bounded, and a value that is returned has been held
against the schema.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from typing import Any

from app.tools.errors import NoSampleError, SchemaUnusableError
from app.tools.json_text import compact
from app.tools.patterns import sample_text
from app.tools.schema_check import SchemaCheck
from app.tools.schema_keywords import bounded_work
from app.tools.schema_merge import merged, types_of

MAX_TRIES = 2_000
"""Schemas looked at for one sample."""

MAX_ITEMS = 100
MAX_LENGTH = 10_000
"""Items and characters of the longest list and text that are made."""

_FORMATS = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    "time": "12:00:00Z",
    "duration": "PT1H",
    "email": "someone@example.com",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.com/",
    "uuid": "00000000-0000-4000-8000-000000000000",
}


def sample(schema: Any) -> Any:
    """A JSON value that satisfies the schema; optional properties are filled in where they can be.

    Raises NoSampleError where none was found, or the schema cannot be used.
    """
    try:
        with bounded_work():
            check = SchemaCheck(schema)
            return _Sampler(check).value(check.root(), _Place())
    except SchemaUnusableError as error:
        raise NoSampleError(f"The schema cannot be used: {error}.") from None
    except (RecursionError, ArithmeticError):  # a long chain of references, a number beyond floats
        raise NoSampleError("The schema leads too deep, or to numbers too large.") from None


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a value stands: inside which references, and which of several different ones it is.

    A reference inside itself is not followed: what it leads to has a smaller sample without.
    """

    inside: frozenset[str] = frozenset()
    variant: int = 0


class _Sampler:
    def __init__(self, check: SchemaCheck) -> None:
        self._check = check
        self._tries = 0

    def value(self, schema: Any, place: _Place) -> Any:
        """The first candidate that the schema accepts."""
        flat, place = self._flat(schema, place)
        for candidate in self._candidates(flat, place):
            self._count()
            if self._check.accepts(candidate, schema):
                return candidate
        raise NoSampleError("No value was found that satisfies the schema.")

    def _count(self) -> None:
        self._tries += 1
        if self._tries > MAX_TRIES:
            raise SchemaUnusableError("a sample takes too long to make")

    def _flat(self, schema: Any, place: _Place) -> tuple[Any, _Place]:
        """The schema with its references followed and its `allOf` joined in."""
        self._count()
        if not isinstance(schema, Mapping):
            return (schema, place)
        flat: Any = {key: each for key, each in schema.items() if key not in ("$ref", "allOf")}
        parts = list(schema.get("allOf", ()))
        reference = schema.get("$ref")
        if reference is not None:
            if reference in place.inside:
                raise NoSampleError("The schema refers to itself without end.")
            place = replace(place, inside=place.inside | {reference})
            parts.append(self._check.target(reference))
        inside = place.inside
        for part in parts:
            inner, within = self._flat(part, place)
            flat, inside = merged(flat, inner), inside | within.inside
        return flat, replace(place, inside=inside)

    def _candidates(self, schema: Any, place: _Place) -> Iterator[Any]:
        if schema is False:
            return
        if schema is True:
            schema = {}
        if "const" in schema:
            yield schema["const"]
            return
        if "enum" in schema:
            yield from _rotated(schema["enum"], place.variant)
            return
        offered = [schema["default"]] if "default" in schema else []
        examples = schema.get("examples")
        offered += examples if isinstance(examples, list) else []
        yield from offered[place.variant :]
        yield from self._made(schema, place)
        yield from offered

    def _made(self, schema: Mapping[str, Any], place: _Place) -> Iterator[Any]:
        for word in ("anyOf", "oneOf"):
            if word in schema:
                rest = {key: each for key, each in schema.items() if key != word}
                yield from self._alternatives(rest, schema[word], place)
                return
        for kind in types_of(schema):
            try:
                yield from self._of_type(kind, schema, place)
            except NoSampleError:
                continue

    def _alternatives(
        self, rest: Mapping[str, Any], options: Sequence[Any], place: _Place
    ) -> Iterator[Any]:
        for option in _rotated(options, place.variant):
            try:
                flat, inside = self._flat(option, place)
                yield from self._candidates(merged(rest, flat), inside)
            except NoSampleError:
                continue

    def _of_type(self, kind: str, schema: Mapping[str, Any], place: _Place) -> Iterator[Any]:
        match kind:
            case "object":
                yield from self._objects(schema, place)
            case "array":
                yield from self._arrays(schema, place)
            case "string":
                yield from _texts(schema, place.variant)
            case "integer" | "number":
                yield from _numbers(schema, place.variant, whole=kind == "integer")
            case "boolean":
                yield from _rotated([True, False], place.variant)
            case "null":
                yield None

    def _objects(self, schema: Mapping[str, Any], place: _Place) -> Iterator[Any]:
        """With all declared properties, else with those that are required alone."""
        required = list(schema.get("required", ()))
        declared = [key for key in schema.get("properties", {}) if key not in required]
        yield self._object(schema, required, declared, place)
        yield self._object(schema, required, [], place)

    def _object(
        self, schema: Mapping[str, Any], required: list[str], optional: list[str], place: _Place
    ) -> dict[str, Any]:
        made: dict[str, Any] = {}
        most = schema.get("maxProperties", math.inf)
        order = [*schema.get("properties", {}), *required]
        for key in dict.fromkeys(key for key in order if key in required or key in optional):
            if key in required:
                made[key] = self.value(_property(schema, key), place)
            elif len(made) + len(required) < most:
                try:
                    made[key] = self.value(_property(schema, key), place)
                except NoSampleError:
                    continue
        for key in self._further_keys(schema, made):
            made[key] = self.value(_property(schema, key), place)
        return made

    def _further_keys(self, schema: Mapping[str, Any], made: Mapping[str, Any]) -> list[str]:
        """As many more keys as the schema asks for."""
        dependent = schema.get("dependentRequired", {})
        asked = chain.from_iterable(each for key, each in dependent.items() if key in made)
        keys = [key for key in dict.fromkeys(asked) if key not in made]
        missing = min(schema.get("minProperties", 0), MAX_ITEMS) - len(made) - len(keys)
        return keys + [self._key(schema, number) for number in range(max(0, missing))]

    def _key(self, schema: Mapping[str, Any], number: int) -> str:
        if "propertyNames" in schema:
            names = merged({"type": "string"}, schema["propertyNames"])
            return str(self.value(names, _Place(variant=number)))
        pattern = next(iter(schema.get("patternProperties", ())), None)
        begin = "key " if pattern is None else sample_text(pattern) or ""
        return f"{begin}{number + 1}"

    def _arrays(self, schema: Mapping[str, Any], place: _Place) -> Iterator[list[Any]]:
        least, most = schema.get("minItems", 0), schema.get("maxItems", MAX_ITEMS)
        if "contains" in schema:
            least = max(least, schema.get("minContains", 1))
        if least > MAX_ITEMS:
            return
        first = len(schema.get("prefixItems", ()))
        for count in dict.fromkeys((min(max(least, first, 1), most), least)):
            try:
                yield self._array(schema, int(count), place)
            except NoSampleError:
                continue

    def _array(self, schema: Mapping[str, Any], count: int, place: _Place) -> list[Any]:
        items: list[Any] = []
        seen: set[str] = set()
        contained = schema.get("minContains", 1) if "contains" in schema else 0
        variant = place.variant
        while len(items) < count:
            inner = _item(schema, len(items))
            if len(items) < contained:
                inner = {"allOf": [inner, schema["contains"]]}
            item = self.value(inner, replace(place, variant=variant))
            variant += 1
            if schema.get("uniqueItems") and compact(item) in seen:
                if variant > place.variant + 4 * MAX_ITEMS:
                    raise NoSampleError("Not enough different items were found.")
                continue
            seen.add(compact(item))
            items.append(item)
        return items


def _property(schema: Mapping[str, Any], key: str) -> Any:
    """The schema of a property: its own, and that of each pattern which its name might fit."""
    properties = schema.get("properties", {})
    if key in properties:
        return properties[key]
    patterns = schema.get("patternProperties", {})
    if patterns:
        return {"anyOf": [*patterns.values(), schema.get("additionalProperties", True)]}
    return schema.get("additionalProperties", True)


def _item(schema: Mapping[str, Any], at: int) -> Any:
    prefix = schema.get("prefixItems", ())
    return prefix[at] if at < len(prefix) else schema.get("items", True)


def _rotated(values: Sequence[Any], by: int) -> list[Any]:
    by = by % len(values) if values else 0
    return [*values[by:], *values[:by]]


def _texts(schema: Mapping[str, Any], variant: int) -> Iterator[str]:
    least, most = schema.get("minLength", 0), schema.get("maxLength", MAX_LENGTH)
    if least > MAX_LENGTH:
        return
    if "pattern" in schema:
        text = sample_text(schema["pattern"], int(least), variant)
        if text is not None:
            yield text
    known = _FORMATS.get(str(schema.get("format")))
    if known is not None and variant == 0:
        yield known
    text = "text" if variant == 0 else f"{variant + 1} text"
    text += " text" * (max(0, int(least) - len(text)) // len(" text") + 1)
    yield text[: int(min(most, max(least, len("text") + 2 * bool(variant))))]


def _numbers(schema: Mapping[str, Any], variant: int, *, whole: bool) -> Iterator[int | float]:
    """Whole steps from a bound first; then, for narrow ranges, what lies between the bounds."""
    low = _bound(schema, "minimum", "exclusiveMinimum", max)
    high = _bound(schema, "maximum", "exclusiveMaximum", min)
    step = Fraction(str(schema.get("multipleOf", 1)))
    if whole:
        step = Fraction(step.numerator)
    begin = step if low is None or low <= step else math.ceil(low / step) * step
    above: float = math.inf
    if high is not None:
        begin = min(begin, math.floor(high / step) * step)
        above = (high - begin) // step
    for count in (variant, variant + 1, variant + 2, 0, 1):
        yield _plain(begin + (count if count <= above else int(above) - count) * step)
    if low is not None and high is not None:
        yield _plain(low + (high - low) / (variant + 2))


def _bound(schema: Mapping[str, Any], closed: str, opened: str, pick: Any) -> Fraction | None:
    bounds = [Fraction(str(schema[word])) for word in (closed, opened) if word in schema]
    return pick(bounds) if bounds else None


def _plain(number: Fraction) -> int | float:
    return int(number) if number.denominator == 1 else float(number)
