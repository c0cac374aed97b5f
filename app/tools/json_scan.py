"""Going through a JSON text by character: where each value stands, and what is wrong where.

The value of a text is read by `json_text`, in C. What is here is slower, and is asked only where
a person is to find something in what they typed: the place of a value, or a mistake, in the words
of whoever makes it. It takes what RFC 8259 takes, less what `json_text` does not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeAlias

from app.tools.json_text import HALF_CHARACTER, MAX_DEPTH, MAX_NUMBER, shortened

Steps: TypeAlias = "tuple[str | int, ...]"
"""The keys and indexes that lead to a value from the root."""

_SPACE = re.compile(r"[ \t\n\r]*+")
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"')
_STRING_SO_FAR = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?")
_NUMBER_LIKE = re.compile(r"[-+.]?[0-9][0-9a-zA-Z_.+-]*+|[-+]")
_WORD = re.compile(r"[^\W\d][\w$-]*+|\$[\w$-]*+")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\(.)")
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}

_CONSTANTS = ("true", "false", "null")
_OTHER_LANGUAGES = {
    "True": "true",
    "False": "false",
    "TRUE": "true",
    "FALSE": "false",
    "None": "null",
    "nil": "null",
    "NULL": "null",
    "undefined": "null",
}
_NO_NUMBERS = ("NaN", "Infinity", "-Infinity", "+Infinity", "-NaN")
_CURLY_QUOTES = "“”„‟«»\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}"
_CLOSING = {"{": "}", "[": "]"}


@dataclass(frozen=True, slots=True)
class JsonFault:
    """The first mistake of a text: a key of `finding_texts`, its values, and where in the text."""

    key: str
    offset: int
    values: Mapping[str, str] = field(default_factory=dict)


class _FaultFoundError(Exception):
    """The way out of the scan."""

    def __init__(self, fault: JsonFault) -> None:
        super().__init__(fault.key)
        self.fault = fault


def fault_in(text: str) -> JsonFault | None:
    """What is wrong with a text that should be JSON; None where nothing is."""
    try:
        _Scan(text, ()).run()
    except _FaultFoundError as found:
        return found.fault
    return None


def offsets_in(text: str, wanted: Collection[Steps]) -> dict[Steps, int]:
    """Where the values that the steps lead to begin, in characters; those found of a JSON text."""
    scan = _Scan(text, frozenset(wanted))
    with suppress(_FaultFoundError):
        scan.run()
    return scan.found


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Both from 1; a column is a character (a code point)."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


class _Scan:
    """One way through a text. It recurses, as deep as MAX_DEPTH."""

    def __init__(self, text: str, wanted: Collection[Steps]) -> None:
        self.found: dict[Steps, int] = {}
        self._text = text
        self._wanted = wanted
        self._at = 0
        self._open: list[int] = []

    def run(self) -> None:
        self._skip()
        if self._text.startswith("```", self._at):
            raise self._fault("code_fence")
        self._value(())
        self._check_rest()

    def _value(self, steps: Steps) -> None:
        if len(self._open) > MAX_DEPTH:
            raise self._fault("too_deep", most=str(MAX_DEPTH))
        if steps in self._wanted:
            self.found[steps] = self._at
        match self._text[self._at : self._at + 1]:
            case "{":
                self._object(steps)
            case "[":
                self._array(steps)
            case '"':
                self._string()
            case character if character and character in "-0123456789":
                self._number()
            case _:
                self._constant()

    def _object(self, steps: Steps) -> None:
        self._begin()
        keys: dict[str, int] = {}
        while self._goes_on(bool(keys)):
            begin = self._at
            key = self._key()
            if key in keys:
                first, _ = line_and_column(self._text, keys[key])
                raise self._fault("duplicate_key", begin, name=shortened(key), line=str(first))
            keys[key] = begin
            self._skip()
            if not self._take(":"):
                self._check_end()
                raise self._fault("missing_colon", name=shortened(key))
            self._skip()
            self._value((*steps, key))

    def _array(self, steps: Steps) -> None:
        self._begin()
        count = 0
        while self._goes_on(bool(count)):
            self._value((*steps, count))
            count += 1

    def _begin(self) -> None:
        self._open.append(self._at)
        self._at += 1

    def _goes_on(self, has_some: bool) -> bool:
        """Whether another member follows; it is then where the text stands. Else all is closed."""
        self._skip()
        closing = _CLOSING[self._text[self._open[-1]]]
        if self._take(closing):
            self._open.pop()
            return False
        if not has_some:
            self._check_bracket(closing)
            return True
        comma = self._at
        if not self._take(","):
            self._check_end()
            self._check_bracket(closing)
            self._check_foreign()
            raise self._fault("missing_comma", self._end_of_last())
        self._skip()
        if self._text[self._at : self._at + 1] in ("]", "}"):
            raise self._fault("trailing_comma", comma, bracket=self._text[self._at])
        return True

    def _end_of_last(self) -> int:
        return len(self._text[: self._at].rstrip(" \t\r\n"))

    def _key(self) -> str:
        self._check_end()
        if self._text[self._at] == '"':
            return self._string()
        self._check_foreign()
        word = _WORD.match(self._text, self._at)
        if word:
            raise self._fault("unquoted_key", name=shortened(word[0]))
        raise self._fault("expected_key", found=self._text[self._at])

    def _string(self) -> str:
        found = _STRING.match(self._text, self._at)
        if found:
            text = _unescaped(found[0][1:-1])
            if HALF_CHARACTER.search(text):
                raise self._fault("half_character")
            self._at = found.end()
            return text
        begin = self._at
        good = _STRING_SO_FAR.match(self._text, begin)
        end = good.end() if good else begin + 1
        if end >= len(self._text):
            raise self._fault("text_not_closed", begin)
        if self._text[end] == "\\":
            if end + 1 >= len(self._text):
                raise self._fault("text_not_closed", begin)
            raise self._fault("bad_escape", end, escape=self._text[end : end + 2])
        if self._text[end] in "\r\n":
            raise self._fault("line_break_in_text", begin)
        raise self._fault("control_character", end, code=f"U+{ord(self._text[end]):04X}")

    def _number(self) -> None:
        like = _NUMBER_LIKE.match(self._text, self._at)
        found = _NUMBER.match(self._text, self._at)
        if not like or not found or like.end() != found.end():
            raise self._bad_number()
        if len(found[0]) > MAX_NUMBER or math.isinf(float(found[0])):
            raise self._fault("number_too_large", number=shortened(found[0]))
        self._at = found.end()

    def _bad_number(self) -> _FaultFoundError:
        for name in _NO_NUMBERS:
            if self._text.startswith(name, self._at):
                return self._fault("no_number", name=name)
        like = _NUMBER_LIKE.match(self._text, self._at)
        return self._fault(
            "bad_number", number=shortened(like[0] if like else self._text[self._at])
        )

    def _constant(self) -> None:
        self._check_end()
        word = _WORD.match(self._text, self._at)
        if word and word[0] in _CONSTANTS:
            self._at = word.end()
            return
        self._check_foreign()
        if word and word[0] in _OTHER_LANGUAGES:
            raise self._fault("other_language", name=word[0], right=_OTHER_LANGUAGES[word[0]])
        if word and word[0] in _NO_NUMBERS:
            raise self._fault("no_number", name=word[0])
        if word:
            raise self._fault("unquoted_text", name=shortened(word[0]))
        if _NUMBER_LIKE.match(self._text, self._at):
            raise self._bad_number()
        raise self._fault("expected_value", found=self._text[self._at])

    def _check_foreign(self) -> None:
        """What other notations have, wherever it stands."""
        rest = self._text[self._at : self._at + 2]
        if rest.startswith("'"):
            raise self._fault("single_quotes")
        if rest in ("//", "/*") or rest.startswith("#"):
            raise self._fault("comment")
        if rest[:1] in _CURLY_QUOTES:
            raise self._fault("curly_quotes", name=rest[:1])

    def _check_bracket(self, closing: str) -> None:
        found = self._text[self._at : self._at + 1]
        if found in ("]", "}"):
            line, column = line_and_column(self._text, self._open[-1])
            opened = self._text[self._open[-1]]
            raise self._fault(
                "wrong_bracket",
                found=found,
                opened=opened,
                right=closing,
                line=str(line),
                column=str(column),
            )

    def _check_rest(self) -> None:
        self._skip()
        if self._at == len(self._text):
            return
        self._check_foreign()
        several = self._text[self._at] in ",{["
        raise self._fault("several_values" if several else "extra_text")

    def _check_end(self) -> None:
        """A text that ends too early is told by what it leaves open."""
        if self._at < len(self._text):
            return
        if not self._open:
            raise self._fault("empty")
        opened = self._open[-1]
        line, column = line_and_column(self._text, opened)
        bracket = self._text[opened]
        raise self._fault(
            "ends_early",
            opened=bracket,
            right=_CLOSING[bracket],
            line=str(line),
            column=str(column),
        )

    def _fault(self, key: str, at: int | None = None, **values: str) -> _FaultFoundError:
        return _FaultFoundError(JsonFault(key, self._at if at is None else at, values))

    def _skip(self) -> None:
        space = _SPACE.match(self._text, self._at)
        if space:
            self._at = space.end()

    def _take(self, character: str) -> bool:
        found = self._text.startswith(character, self._at)
        self._at += found
        return found


def _unescaped(inner: str) -> str:
    """The text that is meant, so that a key that is spelt in two ways counts as the same."""
    if "\\" not in inner:
        return inner
    plain = _ESCAPE.sub(
        lambda found: chr(int(found[1], 16)) if found[1] else _ESCAPED.get(found[2], found[2]),
        inner,
    )
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
