"""Texts as the database takes them, and as a search finds them."""

from __future__ import annotations

from typing import Final

from app.chat.entries import Entry, ResultsEntry, TurnEntry
from app.store.schema import TITLE_CHARACTERS

SEARCH_CHARACTERS: Final = 200
"""How much of a search is looked for."""

SNIPPET_BEFORE: Final = 40
SNIPPET_CHARACTERS: Final = 120
"""How much of a text is shown around what was found, and how much of that before it."""


def storable(text: str) -> str:
    """The text with U+FFFD for what no database takes: NUL, and halves of surrogate pairs."""
    text = text.replace("\0", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def plain_title(title: str | None) -> str:
    """A title as it is kept: on one line, at most `TITLE_CHARACTERS` of it; "" for none."""
    return " ".join(storable(title or "").split())[:TITLE_CHARACTERS]


def folded(text: str) -> str:
    """The text without case, each character at its place (so "ß" stays, which is "ss" else)."""
    whole = text.casefold()
    if len(whole) == len(text):  # no character became longer, and none becomes shorter
        return whole
    return "".join(
        lower if len(lower := character.casefold()) == 1 else character for character in text
    )


def search_words(search: str) -> list[str]:
    """The words of a search, folded, each once."""
    return list(dict.fromkeys(folded(storable(search[:SEARCH_CHARACTERS])).split()))


def searched_text(entry: Entry) -> str:
    """What a search finds an entry by: words, names and contents of files, results of calls;
    never the thought.
    """
    if isinstance(entry, TurnEntry):
        return storable(entry.turn.content)
    if isinstance(entry, ResultsEntry):
        return storable("\n".join(result.content for result in entry.results))
    texts = [entry.text]
    for file in entry.files:
        texts += [file.name, file.text]
    texts += [attachment.name for attachment in entry.attachments]
    return storable("\n".join(filter(None, texts)))


def snippet(window: str, at: int, *, begins: bool) -> str:
    """The words around what stands at `at` in this part of a text, on one line.

    `begins` says that the part is the text's beginning. The part is longer than a snippet where
    the text goes on.
    """
    before, after = window[:at], window[at:]
    room = SNIPPET_CHARACTERS - len(before)
    cut = len(after) > room
    after = after[:room]
    if not begins:
        before = before.split(maxsplit=1)[-1] if before.strip() else before
    if cut and any(character.isspace() for character in after[room // 2 :]):
        after = after.rsplit(maxsplit=1)[0]
    words = " ".join((before + after).split())
    return f"{'' if begins else '…'}{words}{'…' if cut else ''}"
