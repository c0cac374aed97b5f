"""Values that satisfy a JSON Schema, made from the words of a prompt where they fit.

Schemas come from visitors: recursion has a bottom, references are followed inside the schema
only, and patterns that could take long to match are not tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, UnknownType, ValidationError
from referencing import Registry
from referencing.exceptions import Unresolvable

from app.simulator.words import Words

_MAX_DEPTH = 8
_MAX_NODES = 500
_MAX_REFERENCES = 24
"""References in a schema that is still validated: a few more could multiply for very long."""
_MAX_ITEMS = 16
_MAX_NAME = 100
_MAX_LENGTH = 4096

_FORMATS = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    "time": "12:00:00Z",
    "email": "someone@example.com",
    "uri": "https://example.com/",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "ipv4": "192.0.2.1",
}
_FOR_PATTERNS = (
    "example", "EXAMPLE", "A", "a", "1", "12", "123", "1234", "12345", "AB", "ABC", "AB12",
    "ABCD", "abc123", "ABC-123", "A1", "2026-01-31", "12:00", "+15550100", "#336699", "1.0.0",
    "example.txt", "/example", "someone@example.com",
)  # fmt: skip


def sample(schema: Mapping[str, Any], words: Words) -> Any:
    """A value for a schema: from the words where they fit, else the plainest one."""
    value = _Sampler(schema, words).value(schema, name="", depth=0)
    if satisfies(value, schema):
        return value
    plain = _Sampler(schema, Words("")).value(schema, name="", depth=0)
    return plain if satisfies(plain, schema) else value


def satisfies(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether a value is valid; False too for a schema that cannot be read."""
    if _references(schema) > _MAX_REFERENCES:
        return True
    try:
        Draft202012Validator(_without_wild_patterns(schema), registry=Registry()).validate(value)
    except (ValidationError, SchemaError, UnknownType, Unresolvable, RecursionError):
        return False
    except (AttributeError, KeyError, TypeError, ValueError, re.error):
        return False  # what jsonschema raises for keywords of the wrong type
    return True


class _Sampler:
    def __init__(self, root: Mapping[str, Any], words: Words) -> None:
        self._root = root
        self._words = words
        self._nodes = 0

    def value(self, schema: Any, *, name: str, depth: int) -> Any:
        """A value for one place in the schema; `name` is the property it stands under."""
        self._nodes += 1
        name = name[:_MAX_NAME]
        schema = self._resolve(schema)
        if "const" in schema:
            return schema["const"]
        if _is_list(schema.get("enum")):
            return self._choice(schema["enum"])
        kind = _kind(schema)
        if kind == "object":
            return self._object(schema, depth)
        if kind == "array":
            return self._array(schema, name, depth)
        fitted = self._fitted(kind, schema, name)
        return fitted if fitted is not None else _plain(kind, schema, name)

    def _object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        properties = schema.get("properties")
        properties = properties if isinstance(properties, Mapping) else {}
        required = schema.get("required")
        required = (
            [key for key in required if isinstance(key, str)] if isinstance(required, list) else []
        )
        if depth >= _MAX_DEPTH or self._nodes > _MAX_NODES:
            return {}
        made: dict[str, Any] = {}
        for key, inner in properties.items():
            if key in required or self._is_asked_for(inner, key):
                made[key] = self.value(inner, name=key, depth=depth + 1)
        for key in required:
            made.setdefault(key, "example")
        return made

    def _array(self, schema: Mapping[str, Any], name: str, depth: int) -> list[Any]:
        items = schema.get("items")
        low = schema.get("minItems")
        count = min(_MAX_ITEMS, low if isinstance(low, int) else 0)
        if depth >= _MAX_DEPTH or self._nodes > _MAX_NODES:
            return []
        inner = self._resolve(items)
        if _kind(inner) == "string" and not inner.get("enum"):
            listed = [word for word in self._words.several(name) if satisfies(word, inner)]
            if len(listed) >= max(1, count):
                return listed[:_MAX_ITEMS]
        return [self.value(items, name=name, depth=depth + 1) for _ in range(max(1, count))]

    def _choice(self, options: Sequence[Any]) -> Any:
        said = (option for option in options if self._words.mention(option))
        return next(said, options[0] if options else None)

    def _fitted(self, kind: str, schema: Mapping[str, Any], name: str) -> Any:
        """The first of the prompt's words that fits and is valid."""
        candidates: Iterable[Any] = ()
        if kind in ("integer", "number"):
            candidates = self._words.numbers(name, whole=kind == "integer")
        elif kind == "string":
            hint = f"{name} {schema.get('description') or ''} {schema.get('format') or ''}"
            candidates = self._words.strings(name, hint)
        return next((each for each in candidates if satisfies(each, schema)), None)

    def _is_asked_for(self, schema: Any, name: str) -> bool:
        """An optional property is filled only where the prompt plainly speaks of it."""
        schema = self._resolve(schema)
        if _is_list(schema.get("enum")):
            return any(self._words.mention(option) for option in schema["enum"])
        kind = _kind(schema)
        if kind in ("integer", "number"):
            return next(iter(self._words.numbers_near(name)), None) is not None
        return kind in ("string", "boolean") and self._words.assign(name)

    def _resolve(self, schema: Any) -> Mapping[str, Any]:
        """A schema with its reference followed and its first alternative taken."""
        for _ in range(_MAX_DEPTH):
            if not isinstance(schema, Mapping):
                return {}
            if isinstance(schema.get("$ref"), str):
                schema = _look_up(self._root, schema["$ref"])
                continue
            branches = schema.get("anyOf") or schema.get("oneOf")
            if _is_list(branches) and branches:
                rest = {key: each for key, each in schema.items() if key not in ("anyOf", "oneOf")}
                first = next((each for each in branches if not _is_null(each)), branches[0])
                schema = {**rest, **first} if isinstance(first, Mapping) else rest
                continue
            if _is_list(schema.get("allOf")):
                schema = _merged(schema)
                continue
            return schema
        return {}


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_null(schema: Any) -> bool:
    return isinstance(schema, Mapping) and schema.get("type") == "null"


def _kind(schema: Mapping[str, Any]) -> str:
    declared = schema.get("type")
    if isinstance(declared, list):
        declared = next((each for each in declared if each != "null"), "null")
    if isinstance(declared, str):
        return declared
    if "properties" in schema:
        return "object"
    return "array" if "items" in schema else "string"


def _look_up(root: Mapping[str, Any], reference: str) -> Any:
    """The place that a reference inside the schema points at; None for any other."""
    if not reference.startswith("#"):
        return None
    found: Any = root
    for step in filter(None, reference[1:].split("/")):
        key = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, Mapping):
            return None
        found = found.get(key)
    return found


def _merged(schema: Mapping[str, Any]) -> dict[str, Any]:
    merged = {key: each for key, each in schema.items() if key != "allOf"}
    for branch in schema["allOf"]:
        if not isinstance(branch, Mapping):
            continue
        for key, each in branch.items():
            if key == "properties" and isinstance(each, Mapping):
                merged[key] = {**merged.get(key, {}), **each}
            elif key == "required" and _is_list(each):
                merged[key] = [*merged.get(key, []), *each]
            else:
                merged.setdefault(key, each)
    return merged


def _plain(kind: str, schema: Mapping[str, Any], name: str) -> Any:
    """The plainest value of a type within the schema's bounds."""
    for key in ("default", "examples"):
        offered = schema.get(key)
        offered = offered[0] if key == "examples" and _is_list(offered) and offered else offered
        if offered is not None and satisfies(offered, schema):
            return offered
    if kind in ("integer", "number"):
        return _plain_number(kind, schema)
    if kind == "boolean":
        return True
    if kind == "null":
        return None
    return _plain_string(schema, name)


def _plain_number(kind: str, schema: Mapping[str, Any]) -> int | float:
    bounds = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf")
    numbers = {key: schema[key] for key in bounds if isinstance(schema.get(key), int | float)}
    low = numbers.get("minimum", numbers.get("exclusiveMinimum"))
    high = numbers.get("maximum", numbers.get("exclusiveMaximum"))
    step = numbers.get("multipleOf", 1)
    tries = [1, 0, low, low and low + 1, high, high and high - 1, step, low and low + step]
    if isinstance(low, int | float) and isinstance(high, int | float):
        tries.append((low + high) / 2)
    if step and low is not None:
        tries.append((low // step + 1) * step)
    for value in tries:
        if value is not None and satisfies(value, schema):
            return int(value) if kind == "integer" else value
    return 1


def _plain_string(schema: Mapping[str, Any], name: str) -> str:
    known = _FORMATS.get(str(schema.get("format")))
    if known is not None:
        return known
    text = name.replace("_", " ") or "example"
    if "pattern" in schema:
        return next((each for each in _FOR_PATTERNS if satisfies(each, schema)), text)
    low, high = schema.get("minLength"), schema.get("maxLength")
    if isinstance(low, int) and len(text) < low <= _MAX_LENGTH:
        text = (text + " ") * (low // (len(text) + 1) + 1)
        text = text[:low]
    return text[:high] if isinstance(high, int) else text


def _references(schema: Any) -> int:
    if isinstance(schema, Mapping):
        return ("$ref" in schema) + sum(map(_references, schema.values()))
    return sum(map(_references, schema)) if isinstance(schema, list) else 0


def _without_wild_patterns(schema: Any) -> Any:
    """The schema without regular expressions whose matching might not end soon."""
    if isinstance(schema, Mapping):
        return {
            key: _without_wild_patterns(each)
            for key, each in schema.items()
            if key != "patternProperties"
            and not (key == "pattern" and isinstance(each, str) and not _is_tame(each))
        }
    if isinstance(schema, list):
        return [_without_wild_patterns(each) for each in schema]
    return schema


def _is_tame(pattern: str) -> bool:
    """Short, few repeats, and none of a group: matching then takes polynomial time."""
    repeats = re.findall(r"[*+]|\{\d*,\d*\}", pattern)
    return len(pattern) <= 100 and len(repeats) <= 3 and not re.search(r"\)[*+{]", pattern)
