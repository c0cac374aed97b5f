"""The list of an owner's chats, and the search in it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, Integer, Select, case, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import GenericFunction

from app.store.schema import AnyRow, chats, nodes
from app.store.texts import SNIPPET_BEFORE, SNIPPET_CHARACTERS, search_words, snippet


@dataclass(frozen=True, slots=True)
class ChatLine:
    """A chat as the list shows it; times in Unix seconds.

    `snippet` is what stands around the first match of a search in the chat's text, "" without.
    """

    id: str
    title: str
    pinned: bool
    created: float
    updated: float
    snippet: str = ""


class _Position(GenericFunction[int]):
    """Where the second text begins in the first, from 1; 0 where it does not occur."""

    type = Integer()
    inherit_cache = True
    name = "instr"


@compiles(_Position, "postgresql")
def _position_in_postgresql(element: _Position, compiler: SQLCompiler, **options: Any) -> str:
    return f"strpos{compiler.process(element.clause_expr, **options)}"


def lines() -> Select[*tuple[Any, ...]]:
    """The columns that `line_of` reads."""
    title = func.coalesce(chats.c.title, chats.c.first_title, "").label("title")
    return select(chats.c.id, title, chats.c.pinned, chats.c.created, chats.c.updated)


def line_of(row: AnyRow) -> ChatLine:
    """A row of `lines`."""
    return ChatLine(row.id, row.title, row.pinned, row.created, row.updated)


async def list_chats(
    connection: AsyncConnection, owner: str, search: str, offset: int, limit: int
) -> tuple[list[ChatLine], bool]:
    """The chats that hold every word of the search, pinned ones first, then the newest.

    Returns at most `limit`, and whether there are more.
    """
    words = search_words(search)
    found = await connection.execute(
        lines()
        .where(chats.c.owner == owner, chats.c.size > 0, *map(_occurs, words))
        .order_by(chats.c.pinned.desc(), chats.c.updated.desc(), chats.c.id.desc())
        .offset(offset)
        .limit(limit + 1)
    )
    listed = [line_of(row) for row in found]
    more, listed = len(listed) > limit, listed[:limit]
    if words and listed:
        snippets = await _snippets(connection, owner, [line.id for line in listed], words)
        listed = [replace(line, snippet=snippets.get(line.id, "")) for line in listed]
    return listed, more


def _occurs(word: str) -> ColumnElement[bool]:
    """Whether the word stands in the chat's title or in the text of any node."""
    in_text = (
        select(1)
        .where(
            nodes.c.owner == chats.c.owner,
            nodes.c.chat_id == chats.c.id,
            _Position(nodes.c.folded, word) > 0,
        )
        .correlate(chats)
        .exists()
    )
    return or_(_Position(chats.c.title_folded, word) > 0, in_text)


async def _snippets(
    connection: AsyncConnection, owner: str, ids: list[str], words: list[str]
) -> dict[str, str]:
    """By chat: what stands around a word in the oldest node that holds one.

    The database cuts the texts, which may be as long as a book: `folded` and `text` hold each
    character at the same place.
    """
    places = [func.nullif(_Position(nodes.c.folded, word), 0) for word in words]
    at = func.coalesce(*places, None)  # the last, since SQLite's takes two at least
    oldest = func.row_number().over(
        partition_by=nodes.c.chat_id, order_by=(nodes.c.created, nodes.c.depth, nodes.c.id)
    )
    matches = (
        select(nodes.c.id, at.label("at"), oldest.label("place"))
        .where(nodes.c.owner == owner, nodes.c.chat_id.in_(ids), at.is_not(None))
        .subquery()
    )
    start = case((matches.c.at > SNIPPET_BEFORE, matches.c.at - SNIPPET_BEFORE), else_=1)
    window = func.substr(nodes.c.text, start, SNIPPET_CHARACTERS + 1)
    found = await connection.execute(
        select(nodes.c.chat_id, matches.c.at, window.label("window"))
        .join(matches, matches.c.id == nodes.c.id)
        .where(matches.c.place == 1)
    )
    return {row.chat_id: _snippet(row) for row in found}


def _snippet(row: AnyRow) -> str:
    before = min(row.at - 1, SNIPPET_BEFORE)
    return snippet(row.window, before, begins=row.at - 1 <= before)
