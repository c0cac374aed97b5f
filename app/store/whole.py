"""A chat read or written as a whole: each message, version and recorded answer, in one go.

What one chat holds may be as long as a book: it is read in parts, and what takes the processor a
while happens in worker threads, since others are being answered meanwhile.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, TypeAlias

from sqlalchemy import Table, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.chat.entries import UserEntry, WholeChat, WholeNode
from app.chat.exchange import Exchange
from app.store.exchanges import exchange_row, exchange_size, read_exchange
from app.store.owned import chat_row
from app.store.paths import feedback_of
from app.store.payloads import media_rows, read_payload, row_of
from app.store.schema import AnyRow, chats, exchanges, node_media, nodes
from app.store.setups import read_setup, setup_columns
from app.store.texts import folded, plain_title, storable

_Row: TypeAlias = dict[str, Any]

_READ_AT_ONCE: Final = 20
_WRITTEN_AT_ONCE: Final = 100
"""Rows; the drivers turn so many into their own form without a pause."""


@dataclass(frozen=True, slots=True)
class WholeRows:
    """All rows of a chat, as they are inserted; `size` is in bytes."""

    chat: _Row
    nodes: Sequence[_Row]
    media: Sequence[_Row]
    exchanges: Sequence[_Row]
    size: int


async def read_whole(connection: AsyncConnection, owner: str, chat: str) -> WholeChat:
    """The owner's chat. Raises ChatUnknown, and StoreError where an entry cannot be read."""
    head = await chat_row(connection, owner, chat)
    setup = await read_setup(connection, owner, chat)
    recorded: defaultdict[str, list[Exchange]] = defaultdict(list)
    query = (
        select(exchanges.c.node_id, exchanges.c.record, exchanges.c.wire)
        .join(nodes, nodes.c.id == exchanges.c.node_id)
        .where(nodes.c.owner == owner, nodes.c.chat_id == chat)
        .order_by(exchanges.c.node_id, exchanges.c.number)
    )
    async with connection.stream(query) as found:
        async for rows in found.partitions(_READ_AT_ONCE):
            for node_id, exchange in await asyncio.to_thread(_exchanges, rows):
                recorded[node_id].append(exchange)
    whole: list[WholeNode] = []
    tree = (
        select(nodes)
        .where(nodes.c.owner == owner, nodes.c.chat_id == chat)
        .order_by(nodes.c.depth, nodes.c.number)
    )
    async with connection.stream(tree) as found:
        async for rows in found.partitions(_READ_AT_ONCE):
            whole += await asyncio.to_thread(_nodes, rows, recorded)
    return WholeChat(head.title, head.leaf, tuple(whole), setup)


def rows_of(owner: str, chat: str, whole: WholeChat, now: float) -> WholeRows:
    """The rows of a chat that is added now (Unix seconds). Takes a while: not for the event loop.

    Raises KeyError for an entry that follows one which is unknown, or comes later.
    """
    depths: dict[str | None, int] = {None: 0}
    versions: defaultdict[str | None, list[str]] = defaultdict(list)
    node_rows: list[_Row] = []
    for node in whole.nodes:
        entry, parent = node.entry, node.parent
        depths[entry.id] = depths[parent] + 1
        versions[parent].append(entry.id)
        rating = node.feedback
        node_rows.append(
            row_of(entry, owner, chat, parent)
            | {
                "number": len(versions[parent]),
                "depth": depths[entry.id],
                "created": node.created,
                "feedback_value": rating.value if rating else None,
                "feedback_comment": storable(rating.comment) if rating else None,
            }
        )
    chosen = _chosen(whole, versions)
    for row in node_rows:
        row["chosen"] = chosen.get(row["id"])
    exchange_rows = [
        exchange_row(node.entry.id, number, exchange)
        for node in whole.nodes
        for number, exchange in enumerate(node.exchanges)
    ]
    size = sum(row["size"] for row in node_rows) + sum(map(exchange_size, exchange_rows))
    title = plain_title(whole.title)
    chat_values = {
        "owner": owner,
        "id": chat,
        "title": title or None,
        "title_folded": folded(title),
        "first_title": _first_title(whole),
        "pinned": False,
        "created": now,
        "updated": now,
        "leaf": whole.leaf,
        "size": size,
        **setup_columns(whole.setup),
    }
    media = [row for node in whole.nodes for row in media_rows(node.entry, owner)]
    return WholeRows(chat_values, node_rows, media, exchange_rows, size)


async def insert_whole(connection: AsyncConnection, rows: WholeRows) -> None:
    """Writes all rows of a chat that is not there yet."""
    await connection.execute(insert(chats).values(rows.chat))
    kinds: tuple[tuple[Table, Sequence[_Row]], ...] = (
        (nodes, rows.nodes),
        (node_media, rows.media),
        (exchanges, rows.exchanges),
    )
    for table, all_rows in kinds:
        remaining = iter(all_rows)
        while batch := list(islice(remaining, _WRITTEN_AT_ONCE)):
            await connection.execute(insert(table), batch)


def _exchanges(rows: Sequence[AnyRow]) -> list[tuple[str, Exchange]]:
    return [(row.node_id, read_exchange(row.node_id, row)) for row in rows]


def _nodes(rows: Sequence[AnyRow], recorded: defaultdict[str, list[Exchange]]) -> list[WholeNode]:
    return [
        WholeNode(
            entry=read_payload(row.id, row.kind, row.payload),
            parent=row.parent,
            created=row.created,
            feedback=feedback_of(row),
            exchanges=tuple(recorded.get(row.id, ())),
        )
        for row in rows
    ]


def _chosen(
    whole: WholeChat, versions: defaultdict[str | None, list[str]]
) -> dict[str | None, str | None]:
    """Which entry each goes on with: as along the active path, else with its newest version."""
    newest = {parent: followers[-1] for parent, followers in versions.items()}
    return {**newest, **dict(_steps_up(whole))}


def _steps_up(whole: WholeChat) -> Iterator[tuple[str, str | None]]:
    """The active path from its end: each entry, and the one that follows it on the path."""
    parents = {node.entry.id: node.parent for node in whole.nodes}
    at, follower = whole.leaf, None
    while at is not None:
        yield at, follower
        at, follower = parents[at], at


def _first_title(whole: WholeChat) -> str | None:
    """What the chat is called by where nobody has named it: the first message that is shown."""
    first = next(iter(whole.nodes), None)
    path = [at for at, _ in _steps_up(whole)]
    if path:
        first = next(node for node in whole.nodes if node.entry.id == path[-1])
    if first is None or not isinstance(first.entry, UserEntry):
        return None
    return storable(first.entry.title)
