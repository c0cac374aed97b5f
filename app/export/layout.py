"""How a JSON value is laid out over lines, whichever language it is written in.

What fits on a line stands on it; what does not has a member a line, indented, as Black and the
examples of the model's page have it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

_BRACKETS: Final = ("[]", "{}")
_WIDTH: Final = 88
"""Columns of a line: Black's."""


@dataclass(frozen=True, slots=True)
class Notation:
    """How a language writes JSON's values.

    `string` gives a string's literal, `indent` is one step. `last_comma` stands behind the last of
    members that have a line each. Numbers are written alike in all languages here.
    """

    string: Callable[[str], str]
    true: str
    false: str
    null: str
    last_comma: str
    indent: str


def request_members(
    body: Mapping[str, Any], notation: Notation, *, indent: str, label: Callable[[str], str]
) -> list[str]:
    """The members of a request's body, for a line each, indented.

    `label` writes what stands before a value. As on the model's page, so has each message and each
    tool, short as it may be.
    """
    return [
        indent
        + (name := label(key))
        + _laid_out(
            value,
            notation,
            indent=indent,
            taken=len(indent) + len(name),
            opened=key in ("messages", "tools"),
        )
        for key, value in body.items()
    ]


def _laid_out(
    value: Any, notation: Notation, *, indent: str, taken: int, opened: bool = False
) -> str:
    """The value's text; its first line has no indentation of its own.

    `indent` is that of the line on which it begins, and `taken` how many columns are taken there
    already. A list or an object that is `opened` has a member a line even where it would fit.
    """
    if not isinstance(value, list | Mapping):
        return _scalar(value, notation)
    before, after = _BRACKETS[isinstance(value, Mapping)]
    if not value:
        return before + after
    # A comma may follow.
    line = None if opened else _on_one_line(value, notation, _WIDTH - taken - 1)
    if line is not None:
        return line
    inner = indent + notation.indent
    members = ",\n".join(
        f"{inner}{key}" + _laid_out(member, notation, indent=inner, taken=len(inner) + len(key))
        for key, member in _members(value, notation)
    )
    return f"{before}\n{members}{notation.last_comma}\n{indent}{after}"


def _on_one_line(value: Any, notation: Notation, room: int) -> str | None:
    """The value in at most `room` columns, or None; what cannot fit is not written out first."""
    if isinstance(value, str) and len(value) > room:
        return None
    if not isinstance(value, list | Mapping):
        text = _scalar(value, notation)
        return text if len(text) <= room else None
    before, after = _BRACKETS[isinstance(value, Mapping)]
    texts: list[str] = []
    room -= len(before + after)
    for key, member in _members(value, notation):
        room -= len(key) + len(", ") * bool(texts)
        line = _on_one_line(member, notation, room)
        if line is None:
            return None
        room -= len(line)
        texts.append(key + line)
    return f"{before}{', '.join(texts)}{after}" if room >= 0 else None


def _members(value: Any, notation: Notation) -> list[tuple[str, Any]]:
    """The members of a list or an object, each with what stands before it."""
    if isinstance(value, Mapping):
        return [(f"{notation.string(key)}: ", member) for key, member in value.items()]
    return [("", member) for member in value]


def _scalar(value: Any, notation: Notation) -> str:
    if isinstance(value, str):
        return notation.string(value)
    if value is None:
        return notation.null
    if isinstance(value, bool):
        return notation.true if value else notation.false
    return repr(value)
