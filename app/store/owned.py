"""The rows of one owner: a chat or a node that is another's is unknown."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.store.schema import AnyRow, chats, nodes


class ChatUnknown(LookupError):  # noqa: N818 - it names what happened
    """This owner has no such chat, or no such message in it."""


async def chat_row(
    connection: AsyncConnection, owner: str, chat: str, *, to_change: bool = False
) -> AnyRow:
    """The chat's leaf and given title; `to_change` makes others who change it wait.

    Raises ChatUnknown.
    """
    query = select(chats.c.leaf, chats.c.title).where(chats.c.owner == owner, chats.c.id == chat)
    found = await connection.execute(query.with_for_update() if to_change else query)
    row = found.one_or_none()
    if row is None:
        raise _unknown_chat(chat)
    return row


async def node_row(connection: AsyncConnection, owner: str, chat: str, node: str) -> AnyRow:
    """Where the node stands, and its size. Raises ChatUnknown."""
    found = await connection.execute(
        select(nodes.c.id, nodes.c.parent, nodes.c.depth, nodes.c.size).where(
            nodes.c.id == node, nodes.c.owner == owner, nodes.c.chat_id == chat
        )
    )
    row = found.one_or_none()
    if row is None:
        raise ChatUnknown(f"No message {node[:32]!r} in this chat.")
    return row


async def change_chat(connection: AsyncConnection, owner: str, chat: str, **values: Any) -> None:
    """Sets columns of the chat. Raises ChatUnknown."""
    changed = await connection.execute(
        update(chats).where(chats.c.owner == owner, chats.c.id == chat).values(values)
    )
    if not changed.rowcount:
        raise _unknown_chat(chat)


def _unknown_chat(chat: str) -> ChatUnknown:
    return ChatUnknown(f"No chat {chat[:64]!r} of this owner.")
