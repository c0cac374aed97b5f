"""The setup of a chat as JSON in its row, and back."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.chat.setup import ToolSetup
from app.store.database import StoreError
from app.store.schema import chats
from app.store.texts import storable


def setup_columns(setup: ToolSetup | None) -> dict[str, Any]:
    """What the columns of a chat hold of its setup; `setup_size` is in bytes."""
    if setup is None:
        return {"setup": None, "setup_size": 0}
    values = msgspec.to_builtins(setup)
    text = storable(json.dumps(values, ensure_ascii=False, separators=(",", ":")))
    return {"setup": text, "setup_size": len(text.encode())}


async def read_setup(connection: AsyncConnection, owner: str, chat: str) -> ToolSetup | None:
    """The setup of the owner's chat; None where there is none, or no such chat.

    Raises StoreError where its JSON is none of ours.
    """
    found = await connection.scalar(
        select(chats.c.setup).where(chats.c.owner == owner, chats.c.id == chat)
    )
    if found is None:
        return None
    try:
        return msgspec.convert(json.loads(found), ToolSetup)
    except (ValueError, RecursionError) as error:
        raise StoreError(f"The setup of the chat {chat} cannot be read: {error}") from error
