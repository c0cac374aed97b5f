"""The words of a prompt, as arguments and topics are looked for in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

MAX_READ = 4000
"""Characters of a prompt that are searched for words."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STOP_WORDS = _words(
    """a about after again all also am an and any are as at be because been before being between
    both but by can could did do does doing down each few for from get give had has have having he
    hello help her here hey hi him his how i if in into is it its just know let like make many may
    me more most much must my need new no not now of off on once one only or other our out over own
    please put say shall she should show so some such take tell than thank thanks that the their
    them then there these they thing this those through to too under until up us use user using
    very want was we well were what when where which while who whom why will with would yes you
    your current currently given return returns call tool function"""
)

_PLACES = _words(
    "place location city town country region address destination origin where area state"
)
_WHOLE_TEXTS = _words(
    "query question text prompt message search keywords content body note task input title"
)
_CALCULATIONS = _words("expression formula calculation equation sum arithmetic")

VERBS = _words(
    """get set list create find search fetch look lookup read write update delete add remove run
    execute compute calculate check send make do show query request open close start stop call"""
)
"""Words of a tool's name that many tools share."""

_QUOTED = re.compile(
    r"[\"\u201c\u201d`]([^\"\u201c\u201d`\n]{1,200})[\"\u201c\u201d`]"
    r"|(?<!\w)'([^'\n]{1,200})'(?!\w)"
)
_PROPER = re.compile(
    r"\b[A-Z][\w\u2019'-]*(?:[ ](?:de|la|le|of|the|von|van|[A-Z][\w\u2019'-]*)){0,4}"
)
_AFTER_PREPOSITION = re.compile(
    r"\b(?i:in|at|for|near|to|from|of|around)\s+"
    r"([A-Z][\w\u2019'-]*(?:[ ](?:de|la|le|of|von|van|[A-Z][\w\u2019'-]*)){0,4})"
)
_NUMBER = re.compile(r"(?<![\w.])-?\d{1,12}(?:\.\d{1,6})?(?![\w.]*\d)")
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_EMAIL = re.compile(r"\b[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,63}\b")
_URL = re.compile(r"\bhttps?://[^\s<>\"']{1,300}")
_PATH = re.compile(r"(?<!\S)[~./]?[\w-]{0,40}(?:/[\w.-]{1,60}){1,8}|\b[\w-]{1,60}\.[a-z]{1,5}\b")
_CALCULATION = re.compile(r"[-(]{0,3}\d[\d\s.,+*/\u00d7\u00f7^()-]{0,100}\d\)?|\d[+*/-]\d")
_COMMAND = re.compile(
    r"^\s*(?:please\s+|can you\s+|could you\s+)?"
    r"(?:search|look up|find|google|calculate|compute|evaluate|what is|what's|show|tell me)"
    r"(?:\s+(?:the web|online|for|about|me))*\s+",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_][\w\u2019'-]*")


def stems(text: str) -> set[str]:
    """The words of a text in lower case without a plural s, identifiers taken apart."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text).replace("_", " ").lower()
    return {_stem(word) for word in re.findall(r"[^\W_]+", apart)}


def content_stems(text: str) -> set[str]:
    """The same without the words that every prompt has."""
    return {stem for stem in stems(text) if stem not in _STOP_WORDS and len(stem) > 2}


def topics(text: str, limit: int = 4) -> list[str]:
    """The words that a text seems to be about: the longest, in the order in which they stand."""
    seen: dict[str, str] = {}
    for word in _WORD.findall(text[:MAX_READ]):
        if len(word) > 3 and word.lower() not in _STOP_WORDS:
            seen.setdefault(_stem(word.lower()), word)
    longest = sorted(seen.values(), key=len, reverse=True)[:limit]
    return [word for word in seen.values() if word in longest]


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _readable(text: str) -> str:
    return re.sub(r"[^\S\n]+", " ", text[:MAX_READ]).strip()


class Words:
    """Finds in a text what might be meant by an argument. Nearer guesses come first."""

    def __init__(self, text: str, whole: str = "") -> None:
        self._text = _readable(text)
        self._whole = _readable(whole) or self._text
        self._lower = self._whole.lower()
        self._stems = stems(self._text)

    def mention(self, option: Any) -> bool:
        """Whether an option's words stand in the text."""
        if not isinstance(option, str) or not option.strip():
            return False
        return stems(option) <= self._stems

    def assign(self, name: str) -> bool:
        """Whether the text names an argument and gives it something: `unit celsius`, `path=/x`."""
        return any(True for _ in self._assigned(name))

    def strings(self, name: str, hint: str) -> Iterator[str]:
        """Texts that a string argument might want; `hint` is its name, description and format."""
        if not self._text:
            return
        hinted = stems(hint)
        named = stems(name)
        yield from self._assigned(name)
        yield from self._by_form(hinted)
        if named & _CALCULATIONS or hinted & _CALCULATIONS:
            yield from (each.strip() for each in self._all(_CALCULATION))
        yield from self._quoted()
        if named & _PLACES or hinted & _PLACES:
            yield from self._all(_AFTER_PREPOSITION)
        if named & _WHOLE_TEXTS:
            yield self._rest()
        yield from self._all(_AFTER_PREPOSITION)
        yield from self._proper_nouns()
        yield self._rest()

    def several(self, name: str) -> list[str]:
        """Texts for a list of strings."""
        found = list(self._quoted()) or [*self._all(_AFTER_PREPOSITION), *self._proper_nouns()]
        parts = [part for each in found for part in re.split(r",\s*|\s+and\s+", each) if part]
        return list(dict.fromkeys(parts)) or list(self._assigned(name))

    def numbers(self, name: str, *, whole: bool) -> Iterator[int | float]:
        """Numbers that an argument might want: those beside its name, then the others."""
        yield from self.numbers_near(name)
        for text in self._all(_NUMBER):
            yield int(text) if whole and "." not in text else float(text)

    def numbers_near(self, name: str) -> Iterator[int | float]:
        """Numbers that stand beside an argument's name: `3 days`, `days: 3`."""
        for word in stems(name):
            near = (
                rf"(-?\d+(?:\.\d+)?)[ -]{re.escape(word)}s?\b|\b{re.escape(word)}s?\W{{1,3}}(\d+)"
            )
            for match in re.finditer(near, self._lower):
                number = match.group(1) or match.group(2)
                yield float(number) if "." in number else int(number)

    def _assigned(self, name: str) -> Iterator[str]:
        spoken = re.escape(name).replace("_", "[_ ]")
        if not spoken:
            return
        pattern = rf"\b{spoken}\s*[:=]\s*[\"']?([^\s\"',;]{{1,200}})"
        for match in re.finditer(pattern, self._whole, re.IGNORECASE):
            yield match.group(1).rstrip(".?!")

    def _by_form(self, hinted: set[str]) -> Iterator[str]:
        if "date" in hinted:
            yield from self._all(_DATE)
        if "email" in hinted:
            yield from self._all(_EMAIL)
        if hinted & {"url", "uri", "link"}:
            yield from self._all(_URL)
        if hinted & {"path", "file", "filename"}:
            yield from self._all(_PATH)

    def _all(self, pattern: re.Pattern[str]) -> Iterator[str]:
        """Matches in the text at hand, then in the whole prompt."""
        for text in dict.fromkeys((self._text, self._whole)):
            for match in pattern.finditer(text):
                found = match.group(match.lastindex or 0)
                yield re.sub(r"(?:\u2019s|'s)$", "", found)

    def _quoted(self) -> Iterator[str]:
        for text in dict.fromkeys((self._text, self._whole)):
            for match in _QUOTED.finditer(text):
                yield match.group(1) or match.group(2)

    def _proper_nouns(self) -> Iterator[str]:
        for text in dict.fromkeys((self._text, self._whole)):
            for match in _PROPER.finditer(text):
                begins_sentence = match.start() == 0 or text[: match.start()].rstrip()[-1:] in ".?!"
                if not begins_sentence and match.group() != "I":
                    yield match.group()

    def _rest(self) -> str:
        """The text without its command and its last mark."""
        return _COMMAND.sub("", self._text, count=1).strip().rstrip(".?!").strip() or self._text
