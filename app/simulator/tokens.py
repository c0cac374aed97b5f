"""Something like a tokenizer: cuts a text into pieces of about four characters, and counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from zlib import crc32

_TOKEN = re.compile(
    r" ?[A-Za-z]{1,6}|\d{1,3}| ?[^\W\d_]{1,2}|\n+| ?[^\w\s]{1,2}|[^\S\n]+|.", re.DOTALL
)

LONGEST_TOKEN = 7
"""Characters in the longest token of ordinary text."""
CHARACTERS_A_TOKEN = 4
VOCABULARY = 154_820


def split_tokens(text: str) -> Iterator[str]:
    """The pieces in which a text is generated; joined, they are the text."""
    return (match.group() for match in _TOKEN.finditer(text))


def first_tokens(text: str, count: int) -> str:
    """So many tokens from the beginning of a text."""
    return "".join(islice(split_tokens(text), count))


def rough_count(characters: int) -> int:
    """Tokens of a prompt of so many characters: coarse, quick, and the same each time."""
    return -(-characters // CHARACTERS_A_TOKEN)


def token_ids(text: str, count: int | None = None) -> list[int]:
    """Ids as /tokenize lists them: of a text, repeated or cut to `count` where that is known."""
    ids = [
        crc32(text[at : at + CHARACTERS_A_TOKEN].encode("utf-8", "replace")) % VOCABULARY
        for at in range(0, len(text), CHARACTERS_A_TOKEN)
    ]
    if count is None:
        return ids
    return [(ids[at] if at < len(ids) else at % VOCABULARY) for at in range(count)]
