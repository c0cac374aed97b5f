"""The chats of each owner: trees of messages and answers, kept in the database.

Every method asks for the owner, and none reaches what is another's: to everybody else a chat is
as if it did not exist.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError

from app.chat.entries import Entry, Feedback, Node, TurnEntry, WholeChat
from app.chat.exchange import Exchange
from app.chat.setup import ToolSetup
from app.store.database import Database, uninterrupted
from app.store.exchanges import add_exchange, read_exchanges
from app.store.listing import ChatLine, line_of, lines, list_chats
from app.store.owned import ChatUnknown, change_chat, chat_row, node_row
from app.store.paths import end_of_version, follow, go_on, lead_to, read_node, read_path
from app.store.payloads import columns_of, media_rows, row_of
from app.store.retention import adopt, delete_chat, expire
from app.store.schema import chats, node_media, nodes
from app.store.setups import read_setup, setup_columns
from app.store.texts import folded, plain_title, storable
from app.store.totals import CallCounts, Totals, read_call_counts, read_totals
from app.store.whole import insert_whole, read_whole, rows_of

__all__ = ["CallCounts", "ChatLine", "ChatStore", "ChatUnknown", "Page", "Totals"]


_LOOKS = 50
"""How often it is looked whether the chats fit while the room for them is filled once."""


@dataclass(frozen=True, slots=True)
class Page:
    """A stretch of a path, oldest first, and how many entries of the path stand before it."""

    nodes: tuple[Node, ...]
    earlier: int


class ChatStore:
    """Chats in a database. `now` gives Unix seconds.

    `max_bytes` is what all chats together may take, None for any: past it the chats that rested
    longest go.
    """

    def __init__(
        self,
        database: Database,
        now: Callable[[], float] = time.time,
        *,
        max_bytes: int | None = None,
    ) -> None:
        self._database = database
        self._now = now
        self._max_bytes = max_bytes
        self._added_bytes = 0

    async def list(
        self, owner: str, *, search: str = "", offset: int = 0, limit: int = 50
    ) -> tuple[list[ChatLine], bool]:
        """The owner's chats, pinned ones first, then the newest; and whether there are more.

        With `search`, those in whose title or text (of any version) each of its words occurs.
        Chats in which nothing was said are left out.
        """
        async with self._database.connect() as connection:
            return await list_chats(connection, owner, search, offset, limit)

    async def find(self, owner: str, chat: str) -> ChatLine | None:
        """The chat's line, also where nothing was said in it yet."""
        async with self._database.connect() as connection:
            found = await connection.execute(
                lines().where(chats.c.owner == owner, chats.c.id == chat)
            )
            row = found.one_or_none()
            return None if row is None else line_of(row)

    @uninterrupted
    async def open(self, owner: str, chat: str) -> None:
        """Makes the chat where there is none."""
        if await self.find(owner, chat) is not None:
            return
        now = self._now()
        try:
            async with self._database.begin() as connection:
                await connection.execute(
                    insert(chats).values(
                        owner=owner,
                        id=chat,
                        title_folded="",
                        pinned=False,
                        created=now,
                        updated=now,
                        size=0,
                    )
                )
        except IntegrityError:
            return  # somebody else has just made it

    async def page(
        self, owner: str, chat: str, *, before: str | None = None, limit: int | None = None
    ) -> Page:
        """The last `limit` entries of the active path; with `before`, of what leads to that entry.

        Raises ChatUnknown.
        """
        async with self._database.connect() as connection:
            if before is None:
                end = (await chat_row(connection, owner, chat)).leaf
            else:
                end = (await node_row(connection, owner, chat, before)).parent
            if end is None:
                return Page((), 0)
            return Page(*await read_path(connection, owner, chat, end, limit))

    async def path_to(self, owner: str, chat: str, node: str | None) -> tuple[Node, ...]:
        """From the first message to that node, on the active path or off it; nothing for None.

        Raises ChatUnknown.
        """
        if node is None:
            return ()
        async with self._database.connect() as connection:
            await node_row(connection, owner, chat, node)
            return (await read_path(connection, owner, chat, node))[0]

    async def node(self, owner: str, chat: str, node: str) -> Node | None:
        """One entry of the chat, on the active path or off it."""
        async with self._database.connect() as connection:
            return await read_node(connection, owner, chat, node)

    async def exchanges(self, owner: str, chat: str, node: str) -> tuple[Exchange, ...]:
        """The requests that an answer came of, in their order; none where nothing was recorded.

        Raises ChatUnknown.
        """
        async with self._database.connect() as connection:
            await node_row(connection, owner, chat, node)
            return await read_exchanges(connection, owner, chat, node)

    @uninterrupted
    async def add(
        self,
        owner: str,
        chat: str,
        entry: Entry,
        parent: str | None,
        *,
        updated: bool = True,
        belated: bool = False,
        exchange: Exchange | None = None,
    ) -> Node:
        """Adds an entry below `parent`, None for a first message; the active path ends there now.

        `updated` False leaves the chat's place in the list. `belated`: the chat may have gone on
        without the entry, which then is a version beside the active path. `exchange` is what an
        answer came of. Raises ChatUnknown, also where `parent` is of another chat.
        """
        now = self._now()
        row = row_of(entry, owner, chat, parent)
        async with self._database.begin() as connection:
            line = await chat_row(connection, owner, chat, to_change=True)
            above = None if parent is None else await node_row(connection, owner, chat, parent)
            found = await connection.scalars(
                select(nodes.c.id)
                .where(nodes.c.owner == owner, nodes.c.chat_id == chat, nodes.c.parent == parent)
                .order_by(nodes.c.number)
            )
            versions = (*found.all(), entry.id)
            place = {
                "number": len(versions),
                "depth": 1 if above is None else above.depth + 1,
                "created": now,
            }
            await connection.execute(insert(nodes).values(row | place))
            if media := media_rows(entry, owner):
                await connection.execute(insert(node_media), media)
            if above is not None and parent == line.leaf:
                await go_on(connection, owner, chat, above.id, entry.id)
            elif not belated:
                await lead_to(connection, owner, chat, entry.id)
            elif above is not None:
                await follow(connection, above.id, entry.id)
            added = row["size"]
            if exchange is not None:
                added += await add_exchange(connection, entry.id, exchange)
            await change_chat(
                connection,
                owner,
                chat,
                size=chats.c.size + added,
                updated=now if updated else chats.c.updated,
            )
        await self._keep_within(added, (owner, chat))
        return Node(entry, parent, versions, now)

    async def whole(self, owner: str, chat: str) -> WholeChat:
        """The chat with all its versions and all that was recorded. Raises ChatUnknown."""
        async with self._database.connect() as connection:
            return await read_whole(connection, owner, chat)

    @uninterrupted
    async def add_whole(self, owner: str, chat: str, whole: WholeChat) -> None:
        """Adds a chat that is not there yet, as the newest: all of it, or nothing."""
        rows = await asyncio.to_thread(rows_of, owner, chat, whole, self._now())
        async with self._database.begin() as connection:
            await insert_whole(connection, rows)
        await self._keep_within(rows.size, (owner, chat))

    @uninterrupted
    async def replace(
        self, owner: str, chat: str, entry: TurnEntry, exchange: Exchange | None = None
    ) -> None:
        """The turn of this id is now this one: it was gone on with. Raises ChatUnknown."""
        columns = columns_of(entry)
        async with self._database.begin() as connection:
            await chat_row(connection, owner, chat, to_change=True)
            known = await node_row(connection, owner, chat, entry.id)
            await connection.execute(update(nodes).where(nodes.c.id == entry.id).values(columns))
            added = columns["size"] - known.size
            if exchange is not None:
                added += await add_exchange(connection, entry.id, exchange)
            await change_chat(
                connection,
                owner,
                chat,
                size=chats.c.size + added,
                updated=self._now(),
            )

    @uninterrupted
    async def choose(self, owner: str, chat: str, node: str) -> None:
        """The active path now runs through this entry, and on as it last did from there.

        Raises ChatUnknown.
        """
        async with self._database.begin() as connection:
            await chat_row(connection, owner, chat, to_change=True)
            await node_row(connection, owner, chat, node)
            await lead_to(connection, owner, chat, await end_of_version(connection, node))

    @uninterrupted
    async def end_at(self, owner: str, chat: str, node: str) -> None:
        """The active path now ends at this entry; what followed it stays as versions.

        Raises ChatUnknown.
        """
        async with self._database.begin() as connection:
            await chat_row(connection, owner, chat, to_change=True)
            await node_row(connection, owner, chat, node)
            await lead_to(connection, owner, chat, node)

    @uninterrupted
    async def step_back(self, owner: str, chat: str, node: str) -> None:
        """The active path now ends before this entry, which stays as a version.

        Raises ChatUnknown.
        """
        async with self._database.begin() as connection:
            await chat_row(connection, owner, chat, to_change=True)
            parent = (await node_row(connection, owner, chat, node)).parent
            if parent is None:
                await change_chat(connection, owner, chat, leaf=None)
            else:
                await lead_to(connection, owner, chat, parent)

    @uninterrupted
    async def rename(self, owner: str, chat: str, title: str | None) -> None:
        """Calls the chat so; None, or nothing but blanks, calls it by its first message again.

        At most `TITLE_CHARACTERS` are kept. Raises ChatUnknown.
        """
        words = plain_title(title)
        async with self._database.begin() as connection:
            await change_chat(
                connection, owner, chat, title=words or None, title_folded=folded(words)
            )

    @uninterrupted
    async def pin(self, owner: str, chat: str, pinned: bool) -> None:
        """Whether the chat stands above the others. Raises ChatUnknown."""
        async with self._database.begin() as connection:
            await change_chat(connection, owner, chat, pinned=pinned)

    @uninterrupted
    async def delete(self, owner: str, chat: str) -> tuple[str, ...]:
        """Deletes the chat, and the owner's media that are used nowhere else.

        Returns the hashes of those media, for `MediaStore.clean`. Raises ChatUnknown.
        """
        async with self._database.begin() as connection:
            await chat_row(connection, owner, chat, to_change=True)
            return await delete_chat(connection, owner, chat)

    @uninterrupted
    async def rate(self, owner: str, chat: str, node: str, feedback: Feedback | None) -> None:
        """What the owner thinks of an entry; None takes it back. Raises ChatUnknown."""
        async with self._database.begin() as connection:
            await node_row(connection, owner, chat, node)
            await connection.execute(
                update(nodes)
                .where(nodes.c.id == node)
                .values(
                    feedback_value=feedback.value if feedback else None,
                    feedback_comment=storable(feedback.comment) if feedback else None,
                )
            )

    async def totals(self, owner: str, chat: str) -> Totals:
        """What the chat took so far; nothing where there is no such chat."""
        async with self._database.connect() as connection:
            return await read_totals(connection, owner, chat)

    async def call_counts(self, owner: str, chat: str) -> CallCounts:
        """The calls that the model made so far; none where there is no such chat."""
        async with self._database.connect() as connection:
            return await read_call_counts(connection, owner, chat)

    async def setup(self, owner: str, chat: str) -> ToolSetup | None:
        """What is set up for the chat's tools; None where nothing ever was, or no such chat is."""
        async with self._database.connect() as connection:
            return await read_setup(connection, owner, chat)

    @uninterrupted
    async def set_up(self, owner: str, chat: str, setup: ToolSetup) -> None:
        """Keeps the setup in place of what was set up before; the chat is made where none is.

        The chat's place in the list stays.
        """
        columns = await asyncio.to_thread(setup_columns, setup)
        await self.open(owner, chat)
        async with self._database.begin() as connection:
            await change_chat(connection, owner, chat, **columns)
        await self._keep_within(columns["setup_size"], (owner, chat))

    @uninterrupted
    async def adopt(self, owner_from: str, owner_to: str) -> None:
        """All that was the first owner's is now the second's: chats, pictures and clips.

        A chat whose id the second one has already gets a fresh one.
        """
        if owner_from != owner_to:
            async with self._database.begin() as connection:
                await adopt(connection, owner_from, owner_to)

    @uninterrupted
    async def expire(self, before: float | None = None) -> int:
        """Deletes chats of all owners, pinned or not; returns how many.

        Those that have not changed since `before` (Unix seconds), then the longest unchanged
        until the rest fits. Media that they leave behind are for `MediaStore.expire`.
        """
        async with self._database.begin() as connection:
            return await expire(connection, before, self._max_bytes)

    async def _keep_within(self, added: int, in_use: tuple[str, str]) -> None:
        """Looks whether all chats still fit, whenever a good part of the room was added.

        The chat that was added to stays, even when it alone is over the cap.
        """
        self._added_bytes += added
        if self._max_bytes is not None and self._added_bytes * _LOOKS > self._max_bytes:
            self._added_bytes = 0
            async with self._database.begin() as connection:
                await expire(connection, None, self._max_bytes, in_use)
