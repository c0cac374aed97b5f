"""A copy of an SQLite database, kept where the database itself cannot work: in a mounted bucket.

A bucket takes a file from its beginning to its end, has it once it is closed, and knows no locks;
SQLite writes in the middle of its file and locks it. Source: the README of hf-mount, by which
buckets are mounted, and sqlite.org/howtocorrupt.html, "File locking problems".
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from typing import Final

from app.store.database import StoreError
from app.store.folders import make_private

_EVERY_S: Final = 30.0
_SHARE: Final = 0.05
"""The most of its time that is spent on copying: a large database is copied less often."""

logger = logging.getLogger(__name__)


class DatabaseCopy:
    """`file` is the database, on a local disk, and `copy` the one file that is kept of it."""

    def __init__(self, file: Path, copy: Path, *, every_s: float = _EVERY_S) -> None:
        self.copy = copy
        self._file = file
        self._every_s = every_s
        self._saved: tuple[object, ...] | None = None
        self._copying = threading.Lock()

    async def restore(self) -> None:
        """Puts the copy where the database is missing, to be called before that is opened.

        Raises StoreError where there is a copy that cannot be read: an empty database in its place
        would soon be the copy.
        """
        try:
            await asyncio.to_thread(self._restore)
        except (OSError, sqlite3.Error) as error:
            raise StoreError(
                f"The copy of the chats in {self.copy} cannot be read ({error}): see to it that it "
                "can, or move it elsewhere to begin without it."
            ) from error

    async def save(self) -> None:
        """Replaces the copy, if the database has changed since. What fails is logged."""
        try:
            await asyncio.to_thread(self._save)
        except (OSError, sqlite3.Error):
            logger.exception("The chats could not be copied to %s; it is tried again", self.copy)

    @asynccontextmanager
    async def kept(self) -> AsyncGenerator[None]:
        """Saves every half minute for as long as the block runs, and at its end."""
        task = asyncio.create_task(self._save_for_ever(), name="copy of the database")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait((task,))
            await self.save()

    async def _save_for_ever(self) -> None:
        while True:
            began_s = time.monotonic()
            await self.save()
            took_s = time.monotonic() - began_s
            await asyncio.sleep(max(self._every_s, took_s / _SHARE))

    def _restore(self) -> None:
        if self._file.exists() or not self.copy.exists():
            return
        make_private(self._file.parent)
        incoming = self._beside(".incoming")
        shutil.copyfile(self.copy, incoming)
        with closing(sqlite3.connect(incoming)) as connection:
            connection.execute("SELECT count(*) FROM sqlite_master")  # reads its head
        incoming.replace(self._file)

    def _save(self) -> None:
        with self._copying:
            state = self._state()
            if state == self._saved or not self._file.exists():
                return
            outgoing = self._beside(".outgoing")
            outgoing.unlink(missing_ok=True)
            try:
                with closing(sqlite3.connect(self._file, timeout=10)) as connection:
                    connection.execute("VACUUM INTO ?", (str(outgoing),))
                make_private(self.copy.parent)
                # Under another name first: a copy is whole, or the one before it still stands.
                coming = self.copy.with_name(f"{self.copy.name}.coming")
                shutil.copyfile(outgoing, coming)
                os.replace(coming, self.copy)
            finally:
                outgoing.unlink(missing_ok=True)
            self._saved = state

    def _beside(self, ending: str) -> Path:
        return self._file.with_name(self._file.name + ending)

    def _state(self) -> tuple[object, ...]:
        """What changes whenever the database does."""
        state: list[object] = []
        for path in (self._file, self._beside("-wal")):
            with suppress(FileNotFoundError):
                told = path.stat()
                state += (path.name, told.st_mtime_ns, told.st_size)
        return tuple(state)
