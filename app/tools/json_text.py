"""Reading JSON that a model or a person wrote: strictly, and within limits.

Python's reader takes more than JSON (RFC 8259) and answers some texts with other errors than
its own: NaN, keys that stand twice, numbers of any length, nesting without end. Here each of
them is one kind of error with a place.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from app.tools.errors import JsonTextError

MAX_DEPTH = 64
"""Arrays and objects inside each other; a checker needs several frames of the stack for each."""

MAX_VALUES = 500_000
"""Values inside a value, at every depth."""

MAX_NUMBER = 300
"""Characters of a number: what is longer may not fit a 64-bit float."""

_TOO_LARGE = 10**MAX_NUMBER

HALF_CHARACTER = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair: no text, and nothing that UTF-8 could hold."""

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")

_Place: TypeAlias = "tuple[_Place, str | int] | None"
"""A value's place: that of the value it stands in, and the last step; None is the root."""


@dataclass(frozen=True, slots=True)
class _RepeatedKey:
    """Stands where an object holds a key twice, until its place is known."""

    key: str


def read_json(text: str, *, max_characters: int) -> Any:
    """The value of a JSON text. Raises JsonTextError.

    A repeated key, NaN, a number too long, half of a surrogate pair and nesting deeper than
    MAX_DEPTH are refused.
    """
    if len(text) > max_characters:
        raise JsonTextError(f"is too long: {len(text):,} characters, at most {max_characters:,}")
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_number,
            parse_constant=_constant,
        )
    except json.JSONDecodeError as error:
        raise JsonTextError(_explained(error)) from None
    except RecursionError:
        raise JsonTextError(_too_deep()) from None
    check_value(value)
    return value


def check_value(value: Any) -> None:
    """Holds a value against the limits that its text may not break. Raises JsonTextError."""
    for count, (place, depth, each) in enumerate(_walk(value)):
        if count == MAX_VALUES:
            raise JsonTextError(f"holds more than {MAX_VALUES:,} values")
        if depth > MAX_DEPTH:
            raise JsonTextError(_too_deep())
        if isinstance(each, _RepeatedKey):
            raise JsonTextError(f"has the key {shown(each.key)} twice", _path_of(place))
        if isinstance(each, int | float) and not -_TOO_LARGE < each < _TOO_LARGE:  # nor NaN
            raise JsonTextError("holds a number that is too large, or none", _path_of(place))
        texts = each if isinstance(each, Mapping) else (each,)
        if any(isinstance(text, str) and HALF_CHARACTER.search(text) for text in texts):
            raise JsonTextError("holds half of a surrogate pair, which is no text", _path_of(place))


def json_path(steps: Iterable[str | int]) -> str:
    """A JSON path (RFC 9535) such as `$.items[2].name`."""
    return "$" + "".join(_step(step) for step in steps)


def shown(value: Any) -> str:
    """A value as a sentence can hold it: short, on one line."""
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list):
        return "an array"
    return shortened(json.dumps(value, ensure_ascii=False))


def shortened(text: str, limit: int = 60) -> str:
    """A text of at most `limit` characters."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def compact(value: Any) -> str:
    """A value as JSON on one line, its characters unescaped."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _explained(error: json.JSONDecodeError) -> str:
    """A text that ends too early is said to be cut: that is what a token limit does."""
    unterminated = error.msg.startswith("Unterminated string")
    if error.doc.strip() and (unterminated or error.pos >= len(error.doc.rstrip())):
        return f"is cut off after {len(error.doc):,} characters"
    what = error.msg[0].lower() + error.msg[1:].removesuffix(" at")
    return f"is not JSON: {what} at line {error.lineno}, column {error.colno}"


def _too_deep() -> str:
    return f"is nested deeper than {MAX_DEPTH} levels"


def _object(pairs: list[tuple[str, Any]]) -> Any:
    read = dict(pairs)
    if len(read) == len(pairs):
        return read
    count = Counter(key for key, _ in pairs)
    return _RepeatedKey(count.most_common(1)[0][0])


def _integer(digits: str) -> int:
    _check_length(digits)
    return int(digits)


def _number(digits: str) -> float:
    _check_length(digits)
    value = float(digits)
    if math.isinf(value):
        raise JsonTextError(f"holds a number that is too large: {digits}")
    return value


def _check_length(digits: str) -> None:
    if len(digits) > MAX_NUMBER:
        raise JsonTextError(f"holds a number of more than {MAX_NUMBER} characters")


def _constant(name: str) -> Any:
    raise JsonTextError(f"is not JSON: {name} is no JSON value")


def _walk(value: Any) -> Iterator[tuple[_Place, int, Any]]:
    """Every value inside, its place and its depth; without recursion, since depth is in doubt."""
    waiting: list[tuple[_Place, int, Any]] = [(None, 0, value)]
    while waiting:
        place, depth, each = waiting.pop()
        yield place, depth, each
        if isinstance(each, Mapping):
            waiting += (((place, key), depth + 1, inner) for key, inner in each.items())
        elif isinstance(each, list | tuple):
            waiting += (((place, at), depth + 1, inner) for at, inner in enumerate(each))


def _path_of(place: _Place) -> str:
    steps: list[str | int] = []
    while place is not None:
        place, step = place
        steps.append(step)
    return json_path(reversed(steps))


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if _PLAIN_KEY.match(step) else f"[{json.dumps(step, ensure_ascii=False)}]"
