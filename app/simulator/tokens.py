"""Something like a tokenizer: cuts a text into pieces of about four characters, and counts."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKEN = re.compile(
    r" ?[A-Za-z]{1,6}|\d{1,3}| ?[^\W\d_]{1,2}|\n+| ?[^\w\s]{1,2}|[^\S\n]+|.", re.DOTALL
)

CHARACTERS_A_TOKEN = 4


def split_tokens(text: str) -> Iterator[str]:
    """The pieces in which a text is generated; joined, they are the text."""
    return (match.group() for match in _TOKEN.finditer(text))


def rough_count(characters: int) -> int:
    """Tokens of a prompt of so many characters: coarse, quick, and the same each time."""
    return -(-characters // CHARACTERS_A_TOKEN)
