"""How long things stay: chats that are deleted, that expire, that go over to another owner."""

from __future__ import annotations

from uuid import uuid4

from sqlalchemy import delete, func, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.store.schema import chats, media, node_media, nodes


async def delete_chat(connection: AsyncConnection, owner: str, chat: str) -> tuple[str, ...]:
    """Deletes a chat, and the rows of its media that the owner uses nowhere else; their hashes."""
    mine = select(nodes.c.id).where(nodes.c.owner == owner, nodes.c.chat_id == chat)
    elsewhere = select(node_media.c.hash).where(
        node_media.c.owner == owner, node_media.c.node_id.not_in(mine)
    )
    found = await connection.scalars(
        select(node_media.c.hash)
        .where(node_media.c.node_id.in_(mine), node_media.c.hash.not_in(elsewhere))
        .distinct()
    )
    unused = tuple(found)
    await connection.execute(delete(chats).where(chats.c.owner == owner, chats.c.id == chat))
    await connection.execute(delete(media).where(media.c.owner == owner, media.c.hash.in_(unused)))
    return unused


async def adopt(connection: AsyncConnection, owner_from: str, owner_to: str) -> None:
    """Moves chats and media of one owner to another; what both have is kept once or renamed."""
    theirs = select(chats.c.id).where(chats.c.owner == owner_to)
    taken = await connection.scalars(
        select(chats.c.id).where(chats.c.owner == owner_from, chats.c.id.in_(theirs))
    )
    for chat in taken.all():
        await connection.execute(
            update(chats)
            .where(chats.c.owner == owner_from, chats.c.id == chat)
            .values(id=uuid4().hex)
        )
    known = select(media.c.hash).where(media.c.owner == owner_to)
    await connection.execute(
        delete(media).where(media.c.owner == owner_from, media.c.hash.in_(known))
    )
    for table in (chats, node_media, media):  # nodes follow their chats
        await connection.execute(
            update(table).where(table.c.owner == owner_from).values(owner=owner_to)
        )


async def expire(
    connection: AsyncConnection,
    before: float | None,
    max_bytes: int | None,
    in_use: tuple[str, str] = ("", ""),
) -> int:
    """Deletes chats unchanged since `before`, then the longest unchanged over `max_bytes`.

    The latter spares the chat `in_use`, by its owner and its id.
    """
    deleted = 0
    if before is not None:
        gone = await connection.execute(delete(chats).where(chats.c.updated < before))
        deleted += gone.rowcount
    if max_bytes is not None:
        newest_first = (chats.c.updated.desc(), chats.c.owner, chats.c.id)
        running = select(
            chats.c.owner,
            chats.c.id,
            func.sum(chats.c.size + chats.c.setup_size).over(order_by=newest_first).label("to"),
        ).subquery()
        over = select(running.c.owner, running.c.id).where(running.c.to > max_bytes)
        name = tuple_(chats.c.owner, chats.c.id)
        gone = await connection.execute(
            delete(chats).where(name.in_(over), name != tuple_(*in_use))
        )
        deleted += gone.rowcount
    return deleted
