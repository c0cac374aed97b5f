"""Chats out of the store as cases, and cases into it as chats."""

from __future__ import annotations

import asyncio
import secrets
import tempfile
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.chat.messages import Attachment
from app.export.case_reading import CaseError
from app.media import MediaRefused, prepare
from app.media.workers import WorkerDied, Workers
from app.store.chats import ChatStore
from app.store.media import MediaUnknown
from app.turns.case_packing import CASE_FILE, Unpacked, load, pack, save, unpack
from app.turns.cases import attached, attachments_of
from app.turns.file_names import plain_name
from app.turns.media_routes import MediaDesk

_SMALL: Final = 500_000
"""Bytes that are worked on in a thread: that takes milliseconds, a process half a second."""

_WORKING_S: Final = 60.0
_WORKERS: Final = Workers(1, memory=1_500_000_000)


@dataclass(frozen=True, slots=True)
class Taken:
    """A chat that was imported; `notes` say what of it could not be kept, a sentence each."""

    chat: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CaseDesk:
    """Exports and imports the chats of an owner. `max_bytes` is the most of one import."""

    store: ChatStore
    media: MediaDesk
    max_bytes: int

    @asynccontextmanager
    async def exported(self, me: str, chat: str) -> AsyncGenerator[Path]:
        """The case file of a chat, which is there while the block runs.

        Raises ChatUnknown, and CaseError where the chat is too large to be written.
        """
        with _folder() as folder:
            whole = await self.store.whole(me, chat)
            media: dict[str, Attachment] = {}
            for content_hash, attachment in attachments_of(whole).items():
                try:
                    _, data = await self.media.store.get(me, content_hash)
                except MediaUnknown:
                    continue
                await asyncio.to_thread((folder / content_hash).write_bytes, data)
                media[content_hash] = attachment
            await asyncio.to_thread(save, folder, Unpacked(whole, media))
            await _work(pack, folder)
            yield folder / CASE_FILE

    async def take(self, me: str, extract: Callable[[Path], None]) -> Taken:
        """Adds the chat of a case file, which `extract` writes to a path, blocking.

        Raises CaseError, also what `extract` raises; nothing of the chat is kept then.
        """
        with _folder() as folder:
            await asyncio.to_thread(extract, folder / CASE_FILE)
            await _work(unpack, folder)
            unpacked = await asyncio.to_thread(load, folder)
            kept, notes = await self._keep_media(me, folder, unpacked.media)
        whole = await asyncio.to_thread(attached, unpacked.chat, kept)
        chat = secrets.token_urlsafe(12)
        await self.store.add_whole(me, chat, whole)
        return Taken(chat, notes)

    async def _keep_media(
        self, me: str, folder: Path, media: Mapping[str, Attachment]
    ) -> tuple[dict[str, Attachment], tuple[str, ...]]:
        """Makes pictures and clips ready as if they were uploaded; a refused one is left out.

        What the owner has already is not encoded once more: it came from here.
        """
        kept: dict[str, Attachment] = {}
        notes: list[str] = []
        for content_hash, brought in media.items():
            try:
                kept[content_hash] = (await self.media.store.get(me, content_hash))[0]
                continue
            except MediaUnknown:
                source, name = folder / content_hash, plain_name(brought.name)
            try:
                prepared = await prepare(source, name, self.media.limits)
            except MediaRefused as refused:
                notes.append(str(refused))
                continue
            kept[content_hash] = await self.media.store.add(me, prepared.attachment, prepared.data)
        return kept, tuple(notes)


@contextmanager
def _folder() -> Generator[Path]:
    with tempfile.TemporaryDirectory(prefix="glm-case-", ignore_cleanup_errors=True) as place:
        yield Path(place)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


async def _work(task: Callable[[Path], None], folder: Path) -> None:
    """Has it done, where it keeps nobody waiting. Raises CaseError, also where it is too much."""
    if _size(folder) <= _SMALL:
        await asyncio.to_thread(task, folder)
        return
    try:
        await _WORKERS.run(_WORKING_S, task, folder)
    except (WorkerDied, TimeoutError, MemoryError):
        raise CaseError(
            "The chat takes too much memory or time to be read or written here: take pictures or "
            "clips out of it."
        ) from None
