"""Pictures and clips, once each by content hash: whose they are, and the addresses they are had at.

The bytes are files in a folder, the rows say whose they are. Who changes both holds the lock
"media", so that no row is left without its file.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import os
import re
import secrets
import time
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import asynccontextmanager
from functools import cached_property
from pathlib import Path
from typing import Final

from filelock import FileLock
from sqlalchemy import delete, exists, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.chat.messages import Attachment
from app.store.database import Database, StoreError, uninterrupted
from app.store.folders import make_private
from app.store.schema import media, node_media
from app.store.texts import storable

_HASH: Final = re.compile(r"[0-9a-f]{64}")

_USE_COUNTS_AFTER_S: Final = 60.0
"""Uses within this time of the last are one, which spares the database a change for each."""


class MediaUnknown(LookupError):  # noqa: N818 - it names what happened
    """This owner has no such media here: never added, or deleted since."""


class MediaStore:
    """Media in a folder, at most `max_bytes` in all; the least recently used are deleted first.

    Several processes may use the folder. `now` gives Unix seconds. Disk is touched in worker
    threads.
    """

    def __init__(
        self,
        database: Database,
        folder: Path,
        *,
        max_bytes: int,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._folder = folder
        self._max_bytes = max_bytes
        self._now = now

    @uninterrupted
    async def add(self, owner: str, attachment: Attachment, data: bytes) -> Attachment:
        """Keeps the media for this owner. The newest is kept even when it alone is over the cap.

        Raises StoreError where the disk is full.
        """
        path = self._path(attachment.hash)
        try:
            unfinished = await asyncio.to_thread(_write_beside, path, data)
        except OSError as error:
            raise StoreError(f"A picture or a clip cannot be written: {error}.") from error
        try:
            async with self._changing() as connection:
                await asyncio.to_thread(os.replace, unfinished, path)
                await self._keep(connection, owner, attachment)
                await self._delete_files(await self._drop_surplus(connection, attachment.hash))
        finally:
            await asyncio.to_thread(unfinished.unlink, missing_ok=True)
        return attachment

    async def find(self, owner: str, content_hash: str) -> Attachment:
        """The owner's attachment. Raises MediaUnknown."""
        async with self._database.connect() as connection:
            found = await connection.execute(
                select(media).where(media.c.owner == owner, media.c.hash == content_hash)
            )
            row = found.one_or_none()
        if row is None:
            raise MediaUnknown(f"No media {content_hash[:64]!r} for this owner.")
        return Attachment(
            hash=row.hash,
            kind=row.kind,
            size=row.size,
            name=row.name,
            mime=row.mime,
            width=row.width,
            height=row.height,
            seconds=row.seconds,
        )

    async def get(self, owner: str, content_hash: str) -> tuple[Attachment, bytes]:
        """The owner's attachment and its bytes. Raises MediaUnknown."""
        attachment = await self.find(owner, content_hash)
        try:
            data = await asyncio.to_thread(self._path(content_hash).read_bytes)
        except FileNotFoundError:  # deleted since, as the least recently used
            raise MediaUnknown(f"The media {content_hash!r} was deleted.") from None
        await self._touch(content_hash)
        return attachment, data

    def sign(self, content_hash: str, lifetime_s: float) -> str:
        """The query string that opens this media for `lifetime_s` seconds from now.

        HMAC-SHA256 with the folder's secret: addresses outlive a restart.
        """
        expires = int(self._now() + lifetime_s)
        return f"expires={expires}&signature={self._signature(content_hash, expires)}"

    def verify(self, content_hash: str, expires: int, signature: str) -> bool:
        """Whether the signature was made here for this media and has not expired (Unix seconds)."""
        expected = self._signature(content_hash, expires).encode()
        given = signature.encode("utf-8", "replace")
        return hmac.compare_digest(expected, given) and self._now() < expires

    async def open_signed(self, content_hash: str) -> tuple[str, Path]:
        """The type and the file of media whose address was verified. Raises MediaUnknown."""
        async with self._database.connect() as connection:
            mime = await connection.scalar(
                select(media.c.mime).where(media.c.hash == content_hash).limit(1)
            )
        if mime is None:
            raise MediaUnknown(f"No media {content_hash[:64]!r}.")
        await self._touch(content_hash)
        return mime, self._path(content_hash)

    @uninterrupted
    async def clean(self, hashes: Iterable[str]) -> None:
        """Deletes the files of those media that nobody has any more."""
        wanted = {each for each in hashes if _HASH.fullmatch(each)}
        if wanted:
            async with self._changing() as connection:
                await self._delete_files(wanted - await _owned(connection))

    @uninterrupted
    async def expire(self, unused_before: float) -> None:
        """Deletes media that are in no chat and were not used since (Unix seconds), and remains."""
        in_a_chat = exists().where(
            node_media.c.owner == media.c.owner, node_media.c.hash == media.c.hash
        )
        async with self._changing() as connection:
            await connection.execute(delete(media).where(media.c.used < unused_before, ~in_a_chat))
        old = await asyncio.to_thread(self._files_before, unused_before)
        if old:
            async with self._changing() as connection:
                owned = await _owned(connection)
                remains = [path for path in old if path.name not in owned]
                await asyncio.to_thread(_unlink, remains)

    @asynccontextmanager
    async def _changing(self) -> AsyncGenerator[AsyncConnection]:
        """A transaction in which nobody else changes rows or files of media."""
        async with self._database.begin() as connection:
            await self._database.lock(connection, "media")
            yield connection

    async def _keep(self, connection: AsyncConnection, owner: str, attachment: Attachment) -> None:
        values = {
            "kind": attachment.kind,
            "name": storable(attachment.name),
            "mime": attachment.mime,
            "size": attachment.size,
            "width": attachment.width,
            "height": attachment.height,
            "seconds": attachment.seconds,
            "used": self._now(),
        }
        mine = (media.c.owner == owner, media.c.hash == attachment.hash)
        known = await connection.execute(update(media).where(*mine).values(values))
        if not known.rowcount:
            await connection.execute(
                insert(media).values(
                    owner=owner, hash=attachment.hash, added=values["used"], **values
                )
            )

    async def _drop_surplus(self, connection: AsyncConnection, newest: str) -> set[str]:
        """Forgets the least recently used until the rest fits; the hashes that then must go."""
        each = (
            select(media.c.hash, func.max(media.c.size).label("size"))
            .add_columns(func.max(media.c.used).label("used"))
            .group_by(media.c.hash)
            .subquery()
        )
        order = ((each.c.hash == newest).desc(), each.c.used.desc(), each.c.hash)
        sums = select(
            each.c.hash, func.sum(each.c.size).over(order_by=order).label("to")
        ).subquery()
        found = await connection.scalars(
            select(sums.c.hash).where(sums.c.to > self._max_bytes, sums.c.hash != newest)
        )
        surplus = set(found)
        if surplus:
            await connection.execute(delete(media).where(media.c.hash.in_(surplus)))
        return surplus

    @uninterrupted
    async def _touch(self, content_hash: str) -> None:
        now = self._now()
        is_old = (media.c.hash == content_hash, media.c.used < now - _USE_COUNTS_AFTER_S)
        async with self._database.connect() as connection:
            if await connection.scalar(select(exists().where(*is_old))) is not True:
                return
        async with self._database.begin() as connection:
            await connection.execute(update(media).where(*is_old).values(used=now))

    def _path(self, content_hash: str) -> Path:
        if not _HASH.fullmatch(content_hash):
            raise ValueError("A content hash is 64 hexadecimal digits.")
        return self._folder / content_hash[:2] / content_hash

    async def _delete_files(self, hashes: Iterable[str]) -> None:
        await asyncio.to_thread(_unlink, [self._path(each) for each in hashes])

    def _files_before(self, time_s: float) -> list[Path]:
        """Files of media, whole or unfinished, that were written before that time."""
        found = []
        for path in self._folder.glob("[0-9a-f][0-9a-f]/*"):
            try:
                if path.stat().st_mtime < time_s:
                    found.append(path)
            except FileNotFoundError:
                continue
        return found

    def _signature(self, content_hash: str, expires: int) -> str:
        message = f"{content_hash}:{expires}".encode()
        return hmac.new(self._secret, message, hashlib.sha256).hexdigest()

    @cached_property
    def _secret(self) -> bytes:
        """The folder's secret, made by the first process that asks for it."""
        make_private(self._folder)
        path = self._folder / "secret"
        with FileLock(self._folder / "secret.lock", mode=0o600):
            if not path.exists():
                os.replace(_write_beside(path, secrets.token_bytes(32)), path)
            return path.read_bytes()


async def _owned(connection: AsyncConnection) -> set[str]:
    """The hashes of all media that somebody has."""
    return set(await connection.scalars(select(media.c.hash).distinct()))


def _write_beside(path: Path, data: bytes) -> Path:
    """Writes the bytes under another name, readable for nobody else: to be renamed when whole.

    What cannot be written whole leaves nothing. Raises OSError.
    """
    make_private(path.parent)
    unfinished = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    try:
        with open(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise
    return unfinished


def _unlink(paths: Iterable[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)
