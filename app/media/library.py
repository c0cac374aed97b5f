"""Prepared media kept by content hash: who may have them, and the addresses they are had at."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import os
import re
import secrets
import shutil
import tempfile
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from app.chat.messages import Attachment
from app.media.prepared import PreparedMedia

_HASH = re.compile(r"[0-9a-f]{64}")


class MediaUnknown(LookupError):  # noqa: N818 - it names what happened
    """This owner has no such media here: never added, or deleted since."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """One file, and the attachment as each of its owners named it."""

    mime: str
    size: int
    owners: dict[str, Attachment] = field(default_factory=dict)


class MediaLibrary:
    """Media on disk, at most `max_bytes` in all; the least recently used are deleted first.

    The files lie in a private folder made inside `folder` (default: the system's temporary one),
    which `close` deletes. What is kept for whom is held in memory. Used from one event loop; disk
    is touched in worker threads.
    """

    def __init__(
        self,
        *,
        max_bytes: int,
        folder: Path | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._max_bytes = max_bytes
        self._folder = Path(tempfile.mkdtemp(prefix="glm-media-", dir=folder))
        self._now = now
        self._secret = secrets.token_bytes(32)
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._changing = asyncio.Lock()

    async def add(self, owner: str, media: PreparedMedia) -> Attachment:
        """Keeps the media for this owner. The newest is kept even when it alone is over the cap."""
        attachment = media.attachment
        async with self._changing:
            kept = self._kept.get(attachment.hash)
            if kept is None:
                path = self._path(attachment.hash)
                await asyncio.to_thread(_write_atomically, path, media.data)
                kept = self._kept[attachment.hash] = _Kept(attachment.mime, attachment.size)
            kept.owners[owner] = attachment
            self._kept.move_to_end(attachment.hash)
            await asyncio.to_thread(self._delete, self._surplus())
        return attachment

    async def get(self, owner: str, content_hash: str) -> tuple[Attachment, bytes]:
        """The owner's attachment and its bytes. Raises MediaUnknown."""
        kept = self._kept.get(content_hash)
        if kept is None or owner not in kept.owners:
            raise MediaUnknown(f"No media {content_hash[:64]!r} for this owner.")
        self._kept.move_to_end(content_hash)
        try:
            data = await asyncio.to_thread(self._path(content_hash).read_bytes)
        except FileNotFoundError:  # deleted since, as the least recently used
            raise MediaUnknown(f"The media {content_hash!r} was deleted.") from None
        return kept.owners[owner], data

    def sign(self, content_hash: str, lifetime_s: float) -> str:
        """The query string that opens this media for `lifetime_s` seconds from now.

        HMAC-SHA256 with a secret of this process: addresses do not outlive it.
        """
        expires = int(self._now() + lifetime_s)
        return f"expires={expires}&signature={self._signature(content_hash, expires)}"

    def verify(self, content_hash: str, expires: int, signature: str) -> bool:
        """Whether the signature was made here for this media and has not expired (Unix seconds)."""
        expected = self._signature(content_hash, expires).encode()
        return hmac.compare_digest(expected, signature.encode()) and self._now() < expires

    def open_signed(self, content_hash: str) -> tuple[str, Path]:
        """The type and the file of media whose address was verified. Raises MediaUnknown."""
        kept = self._kept.get(content_hash)
        if kept is None:
            raise MediaUnknown(f"No media {content_hash[:64]!r}.")
        self._kept.move_to_end(content_hash)
        return kept.mime, self._path(content_hash)

    def close(self) -> None:
        """Deletes all that is kept."""
        self._kept.clear()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _path(self, content_hash: str) -> Path:
        if not _HASH.fullmatch(content_hash):
            raise ValueError("A content hash is 64 hexadecimal digits.")
        return self._folder / content_hash

    def _signature(self, content_hash: str, expires: int) -> str:
        message = f"{content_hash}:{expires}".encode()
        return hmac.new(self._secret, message, hashlib.sha256).hexdigest()

    def _surplus(self) -> list[Path]:
        """Forgets the least recently used until the rest fits; the files that then must go."""
        total = sum(kept.size for kept in self._kept.values())
        paths = []
        while total > self._max_bytes and len(self._kept) > 1:
            content_hash, kept = self._kept.popitem(last=False)
            total -= kept.size
            paths.append(self._path(content_hash))
        return paths

    @staticmethod
    def _delete(paths: list[Path]) -> None:
        for path in paths:
            path.unlink(missing_ok=True)


def _write_atomically(path: Path, data: bytes) -> None:
    """Writes the whole file or none of it (POSIX rename(2))."""
    unfinished = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    try:
        unfinished.write_bytes(data)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
