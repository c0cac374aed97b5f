"""The regular expressions of JSON Schemas: matched in bounded time, and sampled.

A schema's `pattern` comes from a visitor and meets text from the model: Python's own engine
backtracks, and can be made to run for years. Matching is therefore done by pydantic's, a finite
automaton in linear time, on patterns whose automaton stays small. What it does not know
(lookaround, backreferences) is not matched at all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from pydantic_core import SchemaError, SchemaValidator, core_schema

MAX_SIZE = 2_000
"""Single-character tests in a pattern, its counted repeats written out."""

MAX_TEXT = 1_000
"""Characters of the longest text that a pattern is to be tried on."""

_MAX_DEPTH = 20
_SCRIPT_SIZE = 50
_SAMPLE_CHARACTERS = "abc012ABC" + "".join(chr(code) for code in range(33, 127)) + " \t\n"
_SHORTHANDS = "dDwWsS"
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v"}
_BOUNDARIES = "bBAzZ"
_ASCII_CLASSES = {
    r"\d": "[0-9]",
    r"\D": "[^0-9]",
    r"\w": "[0-9A-Za-z_]",
    r"\W": "[^0-9A-Za-z_]",
}
"""As ECMA-262 has them; the automaton's own take in all scripts, and grow a hundredfold."""

_ESCAPE = re.compile(r"\\.", re.DOTALL)
_COUNTS = re.compile(r"\{(\d{1,6})(?:(,)(\d{0,6}))?\}")
_GROUP_NAME = re.compile(r"\?P?<[A-Za-z_]\w*>|\?:")


class _UnreadableError(ValueError):
    """A pattern holds what is not read here."""


@dataclass(frozen=True, slots=True)
class _Character:
    """One character; `samples` are some that it may be, none where none is known."""

    samples: str
    size: int = 1


@dataclass(frozen=True, slots=True)
class _Repeat:
    node: _Node
    low: int
    high: int | None


@dataclass(frozen=True, slots=True)
class _Choice:
    """Alternatives; each is a sequence of nodes."""

    options: tuple[tuple[_Node, ...], ...]


_Node: TypeAlias = "_Character | _Repeat | _Choice"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern that can be matched; `size` is what its automaton grows with."""

    size: int
    _validator: SchemaValidator

    def found_in(self, text: str) -> bool:
        """Whether it is found anywhere in a text, as JSON Schema has it."""
        return self._validator.isinstance_python(text)


@lru_cache(maxsize=256)
def read_pattern(source: str) -> Pattern | None:
    """A schema's pattern, or None if it is not one that can be matched here."""
    try:
        size = _size(_Parser(source).read())
        if size > MAX_SIZE:
            return None
        ascii_classes = _ESCAPE.sub(lambda match: _ASCII_CLASSES.get(match[0], match[0]), source)
        return Pattern(size, SchemaValidator(core_schema.str_schema(pattern=ascii_classes)))
    except (_UnreadableError, SchemaError):
        return None


def sample_text(pattern: str, least: int = 0, variant: int = 0) -> str | None:
    """A text in which the pattern is found, or None where none is known.

    `least` is the length to reach where an open repeat allows it; another `variant` gives
    another text where the pattern has a choice.
    """
    try:
        node = _Parser(pattern).read()
    except _UnreadableError:
        return None
    if _size(node) > MAX_SIZE:
        return None
    text = _sample(node, 0, variant)
    return text if len(text) >= least else _sample(node, least - len(text), variant)


def _size(node: _Node) -> int:
    match node:
        case _Character(_, size):
            return size
        case _Repeat(inner, low, high):
            return max(1, _size(inner)) * max(1, low, high or 0)
        case _Choice(options):
            return sum(_size(each) for option in options for each in option)


def _sample(node: _Node, more: int, variant: int) -> str:
    """A text for a node; an open repeat takes up to `more` further rounds."""
    match node:
        case _Character(samples, _):
            return samples[variant % len(samples)] if samples else ""
        case _Repeat(inner, low, high):
            count = max(low, 1 if high is None or high > 0 else 0)
            count += more if high is None else min(more, high - count)
            return _sample(inner, 0, variant) * count
        case _Choice(options):
            option = options[variant % len(options)]
            return "".join(_sample(each, more, variant) for each in option)


def _class_of(source: str) -> _Character:
    """A class in the words of Python's engine, which tests single characters in no time."""
    try:
        test = re.compile(source, re.ASCII)
    except re.error as error:
        raise _UnreadableError(source) from error
    return _Character("".join(each for each in _SAMPLE_CHARACTERS if test.fullmatch(each)))


class _Parser:
    """Reads what is common to ECMA-262 and the automaton's dialect."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._depth = 0

    def read(self) -> _Node:
        if len(self._pattern) > MAX_SIZE:
            raise _UnreadableError(self._pattern)
        node = self._choice()
        if self._at < len(self._pattern):
            raise _UnreadableError(self._pattern)
        return node

    def _choice(self) -> _Node:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise _UnreadableError(self._pattern)
        options = [self._sequence()]
        while self._take("|"):
            options.append(self._sequence())
        self._depth -= 1
        return _Choice(tuple(options))

    def _sequence(self) -> tuple[_Node, ...]:
        nodes: list[_Node] = []
        while self._at < len(self._pattern) and self._peek() not in "|)":
            atom = self._atom()
            if atom is not None:
                nodes.append(self._repeated(atom))
        return tuple(nodes)

    def _atom(self) -> _Node | None:
        """The next atom; None for what takes up no character."""
        character = self._next()
        if character in "^$":
            return None
        if character == "(":
            return self._group()
        if character == "[":
            return self._class()
        if character == ".":
            return _class_of(r"[^\n]")
        if character == "\\":
            return self._escape()
        if character in "*+?{":
            raise _UnreadableError(self._pattern)
        return _Character(character)

    def _group(self) -> _Node:
        name = _GROUP_NAME.match(self._pattern, self._at)
        if name:
            self._at = name.end()
        elif self._peek() == "?":
            raise _UnreadableError(self._pattern)
        node = self._choice()
        if not self._take(")"):
            raise _UnreadableError(self._pattern)
        return node

    def _class(self) -> _Node:
        begin = self._at - 1
        self._take("^")
        self._take("]")
        while not self._take("]"):
            if self._next() == "\\":
                self._next()
        source = self._pattern[begin : self._at]
        return _class_of(source[0] + source[1:].replace("[", r"\["))

    def _escape(self) -> _Node | None:
        character = self._next()
        if character in _BOUNDARIES:
            return None
        if character in _SHORTHANDS:
            return _class_of("\\" + character)
        if character in _CONTROLS:
            return _Character(_CONTROLS[character])
        if character in "xu":
            return self._code_point(2 if character == "x" else 4)
        if character in "pP" and self._take("{"):
            while not self._take("}"):
                self._next()
            return _Character("aA" if character == "p" else "-", _SCRIPT_SIZE)
        if character.isalnum():
            raise _UnreadableError(self._pattern)
        return _Character(character)

    def _code_point(self, digits: int) -> _Node:
        code = self._pattern[self._at : self._at + digits]
        self._at += digits
        try:
            return _Character(chr(int(code, 16)))
        except ValueError:
            raise _UnreadableError(self._pattern) from None

    def _repeated(self, atom: _Node) -> _Node:
        counts = _COUNTS.match(self._pattern, self._at)
        if counts:
            self._at = counts.end()
            low = int(counts[1])
            high = low if counts[2] is None else int(counts[3]) if counts[3] else None
        elif self._at < len(self._pattern) and self._peek() in "*+?":
            low, high = {"*": (0, None), "+": (1, None), "?": (0, 1)}[self._next()]
        else:
            return atom
        self._take("?")
        if high is not None and high < low:
            raise _UnreadableError(self._pattern)
        return _Repeat(atom, low, high)

    def _peek(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _next(self) -> str:
        character = self._peek()
        if not character:
            raise _UnreadableError(self._pattern)
        self._at += 1
        return character

    def _take(self, character: str) -> bool:
        found = self._peek() == character
        self._at += found
        return found
