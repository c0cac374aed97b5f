"""What a docstring says of a function or a class, in the styles of Google, NumPy and Sphinx."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import docstring_parser

MAX_DOCSTRING = 10_000
"""Characters that are read; the parser's work grows faster than the text."""

_FIELD = re.compile(r"^[ \t]*[:@]\w+", re.MULTILINE)
_SECTION = re.compile(
    r"^[ \t]*(?:(?:Args|Arguments|Parameters|Params|Returns?|Yields?|Raises|Attributes|Examples?|"
    r"Notes?|Keyword Args):[ \t]*$|-{3,}[ \t]*$)",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Docstring:
    """The first paragraph, and by their names what is said of parameters and their types."""

    summary: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    returns: str = ""


@lru_cache(maxsize=128)  # a class is read for each function that names it
def read_docstring(text: str | None) -> Docstring:
    """The parts of a docstring; one that cannot be taken apart is its first paragraph alone."""
    if not text:
        return Docstring()
    plain = inspect.cleandoc(text[:MAX_DOCSTRING])
    try:
        parsed = docstring_parser.parse(plain)
    except docstring_parser.ParseError:
        return Docstring(_summary(plain))
    parameters, types = {}, {}
    for each in parsed.params:
        for name in each.arg_name.split(","):
            bare = name.strip().lstrip("*")
            parameters[bare] = _one_line(each.description)
            if each.type_name:
                types[bare] = each.type_name
    returns = parsed.returns.description if parsed.returns else None
    return Docstring(_summary(plain), parameters, types, _one_line(returns))


def _summary(plain: str) -> str:
    first = plain.split("\n\n", 1)[0]
    begins = [found.start() for found in (_FIELD.search(first), _SECTION.search(first)) if found]
    return _one_line(first[: min(begins)] if begins else first)


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split())
