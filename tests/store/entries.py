"""Messages and answers as the tests of the store keep them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import insert, update

from app.chat.entries import TurnEntry, UserEntry
from app.chat.messages import Attachment, Reasoning, Text
from app.chat.turn import Timings, Turn
from app.store.chats import ChatStore, Page
from app.store.database import Database
from app.store.payloads import columns_of, kind_of
from app.store.schema import chats, nodes


def said(entry_id: str, text: str = "Hello", **rest: Any) -> UserEntry:
    """A message of a person."""
    return UserEntry(entry_id, text, **rest)


def answered(
    entry_id: str,
    text: str = "Hi",
    *,
    thought: str = "",
    usage: dict[str, Any] | None = None,
    seconds: float = 1.0,
    stats: dict[str, Any] | None = None,
) -> TurnEntry:
    """A turn of the model."""
    parts = (*([Reasoning(thought)] * bool(thought)), Text(text))
    turn = Turn(parts, "stop", usage=usage, timings=Timings(total_s=seconds))
    return TurnEntry(entry_id, turn, (), (), stats or {})


def picture(content_hash: str, name: str = "cat.png", size: int = 100) -> Attachment:
    """A picture by its hash, of which a letter is given."""
    return Attachment(content_hash * 64, "image", size, name, "image/png", 40, 30)


def ids(page: Page) -> list[str]:
    """The entries of a page, by name."""
    return [node.entry.id for node in page.nodes]


async def long_talk(database: Database, owner: str, chat: str, rounds: int) -> None:
    """As `talk`, many rounds at once: rows as the store writes them one by one."""
    entries = [
        entry
        for number in range(1, rounds + 1)
        for entry in (
            said(f"m{number}", f"Question {number}"),
            answered(f"a{number}", f"Answer {number}"),
        )
    ]
    names = [None, *(entry.id for entry in entries), None]
    rows = [
        {
            "id": entry.id,
            "owner": owner,
            "chat_id": chat,
            "parent": names[place],
            "number": 1,
            "depth": place + 1,
            "chosen": names[place + 2],
            "kind": kind_of(entry),
            "created": 1_800_000_000.0 + place,
            **dict.fromkeys(("prompt_tokens", "cached_tokens", "completion_tokens", "seconds")),
            **columns_of(entry),
        }
        for place, entry in enumerate(entries)
    ]
    await ChatStore(database).open(owner, chat)
    async with database.begin() as connection:
        await connection.execute(insert(nodes), rows)
        await connection.execute(
            update(chats)
            .where(chats.c.owner == owner, chats.c.id == chat)
            .values(leaf=entries[-1].id, size=sum(row["size"] for row in rows))
        )


async def talk(store: ChatStore, owner: str, chat: str, rounds: int) -> None:
    """Fills a chat: messages m1, m2, …, each with its answer a1, a2, …."""
    await store.open(owner, chat)
    parent = None
    for number in range(1, rounds + 1):
        await store.add(owner, chat, said(f"m{number}", f"Question {number}"), parent)
        parent = f"a{number}"
        await store.add(owner, chat, answered(parent, f"Answer {number}"), f"m{number}")
