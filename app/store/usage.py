"""What each visitor took of the server in a day, and what each owner keeps on it.

It is kept: a restart gives nobody a new day, and servers of one database count together.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sqlalchemy import delete, func, insert, select, update

from app.store.database import Database, uninterrupted
from app.store.schema import chats, media, usage

DAY_S: Final = 86_400
"""Days are those of UTC."""


@dataclass(frozen=True, slots=True)
class Used:
    """What a visitor took today."""

    tokens: int = 0
    upload_bytes: int = 0


class UsageStore:
    """Counts by visitor and day in the database. `now` gives Unix seconds.

    A visitor is any name, such as an address: a digest of it is kept, for as long as the day lasts.
    """

    def __init__(self, database: Database, now: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = now

    @property
    def seconds_left(self) -> int:
        """Seconds until the next day begins, 1 at least."""
        return DAY_S - int(self._now()) % DAY_S

    async def today(self, visitor: str) -> Used:
        """What the visitor took so far. Raises StoreError."""
        async with self._database.connect() as connection:
            found = await connection.execute(
                select(usage.c.tokens, usage.c.upload_bytes).where(
                    usage.c.day == self._day, usage.c.visitor == _digest(visitor)
                )
            )
            row = found.one_or_none()
        return Used() if row is None else Used(row.tokens, row.upload_bytes)

    @uninterrupted
    async def add(self, visitor: str, *, tokens: int = 0, upload_bytes: int = 0) -> Used:
        """Counts what the visitor takes; returns the day's sum. Days before are forgotten.

        Raises StoreError.
        """
        mine = (usage.c.day == self._day, usage.c.visitor == _digest(visitor))
        async with self._database.begin() as connection:
            await self._database.lock(connection, "usage")
            more = {
                "tokens": usage.c.tokens + tokens,
                "upload_bytes": usage.c.upload_bytes + upload_bytes,
            }
            known = await connection.execute(update(usage).where(*mine).values(more))
            if not known.rowcount:
                await connection.execute(delete(usage).where(usage.c.day < self._day))
                await connection.execute(
                    insert(usage).values(
                        day=self._day,
                        visitor=_digest(visitor),
                        tokens=tokens,
                        upload_bytes=upload_bytes,
                    )
                )
            sums = await connection.execute(
                select(usage.c.tokens, usage.c.upload_bytes).where(*mine)
            )
            row = sums.one()
        return Used(row.tokens, row.upload_bytes)

    async def kept_bytes(self, owner: str) -> int:
        """Bytes of all chats, setups, pictures and clips of the owner. Raises StoreError."""
        of_chats = select(func.sum(chats.c.size + chats.c.setup_size)).where(chats.c.owner == owner)
        of_media = select(func.sum(media.c.size)).where(media.c.owner == owner)
        async with self._database.connect() as connection:
            text = await connection.scalar(of_chats)
            files = await connection.scalar(of_media)
        return int(text or 0) + int(files or 0)

    @property
    def _day(self) -> int:
        return int(self._now()) // DAY_S


def _digest(visitor: str) -> str:
    return hashlib.sha256(visitor.encode()).hexdigest()
