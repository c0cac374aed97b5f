"""The tree of a chat: the path to an entry, the versions of one, and which of them is shown.

A chat's active path runs from a first message to its leaf. Along it each node's `chosen` is the
next node; off it `chosen` remembers where a version went on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy import CTE, Integer, cast, literal_column, null, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.chat.entries import Feedback, Node, UserEntry
from app.store.payloads import read_payload
from app.store.schema import AnyRow, chats, nodes
from app.store.texts import storable

_SHOWN = (
    nodes.c.id,
    nodes.c.parent,
    nodes.c.depth,
    nodes.c.kind,
    nodes.c.created,
    nodes.c.feedback_value,
    nodes.c.feedback_comment,
    nodes.c.payload,
)


async def read_path(
    connection: AsyncConnection, owner: str, chat: str, end: str, limit: int | None = None
) -> tuple[tuple[Node, ...], int]:
    """The last `limit` nodes of the path that ends at `end`, and how many stand before them."""
    path = _path_to(end, limit)
    found = await connection.execute(
        select(*_SHOWN).join(path, path.c.id == nodes.c.id).order_by(nodes.c.depth)
    )
    rows = found.all()
    versions = await _versions(connection, owner, chat, rows)
    earlier = rows[0].depth - 1 if rows else 0
    return tuple(_node(row, versions[row.parent]) for row in rows), earlier


async def read_node(
    connection: AsyncConnection, owner: str, chat: str, node_id: str
) -> Node | None:
    """One node of the chat."""
    found = await connection.execute(
        select(*_SHOWN).where(
            nodes.c.id == node_id, nodes.c.owner == owner, nodes.c.chat_id == chat
        )
    )
    row = found.one_or_none()
    if row is None:
        return None
    versions = await _versions(connection, owner, chat, [row])
    return _node(row, versions[row.parent])


async def end_of_version(connection: AsyncConnection, node_id: str) -> str:
    """The end of what was last shown below a node; the node itself where nothing follows it."""
    first = select(nodes.c.id, nodes.c.chosen).where(nodes.c.id == node_id)
    below = first.cte("below", recursive=True)
    below = below.union_all(
        select(nodes.c.id, nodes.c.chosen).join(below, nodes.c.id == below.c.chosen)
    )
    found = await connection.scalars(select(below.c.id).where(below.c.chosen.is_(None)))
    end: str = found.one()
    return end


async def go_on(
    connection: AsyncConnection, owner: str, chat: str, leaf: str, following: str
) -> None:
    """The active path, which ends at `leaf`, now ends at the node that follows it."""
    await connection.execute(update(nodes).where(nodes.c.id == leaf).values(chosen=following))
    await connection.execute(
        update(chats).where(chats.c.owner == owner, chats.c.id == chat).values(leaf=following)
    )


async def follow(connection: AsyncConnection, above: str, following: str) -> None:
    """Where a version ended at the first node, it now goes on with the second."""
    await connection.execute(
        update(nodes).where(nodes.c.id == above, nodes.c.chosen.is_(None)).values(chosen=following)
    )


async def lead_to(connection: AsyncConnection, owner: str, chat: str, leaf: str) -> None:
    """The active path now ends at this node: each node above it shows the one that leads there.

    The first message of the path names the chat.
    """
    path = _path_to(leaf)
    await connection.execute(
        update(nodes)
        .where(nodes.c.id == path.c.id, nodes.c.chosen.is_distinct_from(path.c.follower))
        .values(chosen=path.c.follower)
    )
    await connection.execute(
        update(chats)
        .where(chats.c.owner == owner, chats.c.id == chat)
        .values(leaf=leaf, first_title=await _title_of(connection, leaf))
    )


async def _title_of(connection: AsyncConnection, leaf: str) -> str | None:
    path = _path_to(leaf)
    found = await connection.execute(
        select(nodes.c.id, nodes.c.kind, nodes.c.payload)
        .join(path, path.c.id == nodes.c.id)
        .where(path.c.parent.is_(None))
    )
    first = read_payload(*found.one())
    return storable(first.title) if isinstance(first, UserEntry) else None


def _path_to(end: str, limit: int | None = None) -> CTE:
    """The nodes of the path, or the last `limit` of them: id, parent, and which node follows."""
    stop = literal_column("0", Integer) if limit is None else nodes.c.depth - limit
    nobody = cast(null(), nodes.c.id.type).label("follower")
    last = select(nodes.c.id, nodes.c.parent, nobody, stop.label("stop")).where(nodes.c.id == end)
    path = last.cte("path", recursive=True)
    above = select(nodes.c.id, nodes.c.parent, path.c.id, path.c.stop)
    above = above.join(path, nodes.c.id == path.c.parent)
    return path.union_all(above.where(nodes.c.depth > path.c.stop))


async def _versions(
    connection: AsyncConnection, owner: str, chat: str, rows: Sequence[AnyRow]
) -> dict[str | None, tuple[str, ...]]:
    """By parent: the ids of all nodes that follow the same node as one of the rows."""
    parents = {row.parent for row in rows}
    follows = [nodes.c.parent.in_(parents - {None})]
    if None in parents:
        follows.append(nodes.c.parent.is_(None))
    found = await connection.execute(
        select(nodes.c.parent, nodes.c.id)
        .where(nodes.c.owner == owner, nodes.c.chat_id == chat, or_(*follows))
        .order_by(nodes.c.number)
    )
    ids: defaultdict[str | None, list[str]] = defaultdict(list)
    for parent, node_id in found:
        ids[parent].append(node_id)
    return {parent: tuple(versions) for parent, versions in ids.items()}


def feedback_of(row: AnyRow) -> Feedback | None:
    """What a person thinks of the entry in a row."""
    if row.feedback_value is None:
        return None
    return Feedback(row.feedback_value, row.feedback_comment or "")


def _node(row: AnyRow, versions: tuple[str, ...]) -> Node:
    return Node(
        entry=read_payload(row.id, row.kind, row.payload),
        parent=row.parent,
        versions=versions,
        created=row.created,
        feedback=feedback_of(row),
    )
