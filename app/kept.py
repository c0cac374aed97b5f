"""What is kept between visits: the stores, put together as the settings say."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from app.settings import PROJECT, Settings
from app.spaces import Ending, is_mounted, what_ends
from app.store.chats import ChatStore
from app.store.copies import DatabaseCopy
from app.store.database import Database, database_url, sqlite_file, sqlite_url
from app.store.journal import Journals
from app.store.media import MediaStore

_OWN: Final = PROJECT / "data"
"""On a Space's own disk, for what cannot work in a bucket."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept between visits, and where; `ending` is what ends when this Space restarts.

    `copy` is there where the chats are kept in a bucket, in which no database can work.
    """

    database: Database
    chats: ChatStore
    media: MediaStore
    journals: Journals
    ending: Ending | None
    copy: DatabaseCopy | None

    @classmethod
    def of(cls, settings: Settings, own: Path = _OWN) -> Kept:
        """As the settings say; `own` is a folder for what cannot be in a bucket.

        Raises StoreError where the database's address cannot be used.
        """
        folder = settings.data_path()
        named = settings.database_url.get_secret_value() if settings.database_url else None
        url, copy = database_url(named, folder), None
        file = sqlite_file(url)
        if file is not None and is_mounted(file.parent):
            url, copy = sqlite_url(own / file.name), DatabaseCopy(own / file.name, file)
        database = Database(url)
        media_bytes = int(settings.media_mb * 1_000_000)
        return cls(
            database,
            ChatStore(database, max_bytes=settings.chats_bytes()),
            MediaStore(database, folder / "media", max_bytes=media_bytes),
            # Appended to all the time, which a bucket does not take.
            Journals((own if is_mounted(folder) else folder) / "journal"),
            what_ends(file.parent if file else None, folder),
            copy,
        )

    @property
    def place(self) -> str:
        """Where the chats are, for a reader; never a password."""
        at = self.database.place
        return at if self.copy is None else f"{at}, with a copy in {self.copy.copy}"

    @asynccontextmanager
    async def opened(self) -> AsyncGenerator[None]:
        """Open for as long as the block runs. Raises StoreError where that cannot be."""
        copied: AbstractAsyncContextManager[Any] = nullcontext()
        if self.copy is not None:
            await self.copy.restore()
            copied = self.copy.kept()
        await self.database.open()
        # The last copy is made once the database is closed, and whole in one file.
        async with copied:
            try:
                self.journals.open()
                yield
            finally:
                self.journals.close()
                await self.database.close()
