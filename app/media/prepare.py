"""Preparing an upload in a process of its own: bounded in memory and time, and given up at once."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import tempfile
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from app.media import work
from app.media.limits import MediaLimits
from app.media.plan import plan_clip
from app.media.prepared import MediaRefused, PreparedMedia, megabytes
from app.media.sniff import HEAD, is_sound, name_of_kind, sniff_kind
from app.media.wish import WHOLE, ClipWish
from app.media.workers import WorkerDied, Workers

_MEMORY: Final = 300_000_000
_QUICK: Final = Workers(2, memory=_MEMORY)

_ENCODING: Final = Workers(min(2, max(1, (os.cpu_count() or 1) // 2)), memory=_MEMORY)
"""Apart from the others, so that a picture never waits for a clip. An encoder takes two processors:
on a small machine one clip is encoded at a time."""

_LOOKED_EVERY_S: Final = 0.2

OnProgress = Callable[[float | None], None]
"""Gets the share of a clip that is encoded, 0 to 1; None while it waits for its turn."""


async def prepare(
    source: Path | bytes,
    name: str,
    limits: MediaLimits,
    *,
    wish: ClipWish = WHOLE,
    on_progress: OnProgress | None = None,
) -> PreparedMedia:
    """The picture, or the wished part of the clip, as it is sent. Raises MediaRefused.

    Two uploads are worked on at once, and on a small machine one clip encoded; the others wait.
    `on_progress` is called while a clip is encoded, a few times a second. When the caller is
    cancelled, the process that works for it is ended. A file that takes more memory or time than
    the limits is refused as too heavy.
    """
    with tempfile.TemporaryDirectory(prefix="glm-media-", ignore_cleanup_errors=True) as place:
        folder = Path(place)
        head, size = await asyncio.to_thread(_beginning, source)
        if not size:
            raise MediaRefused("empty", name)
        if size > limits.max_bytes:
            most = megabytes(limits.max_bytes)
            raise MediaRefused("too_large", name, size=megabytes(size), most=most)
        kind = sniff_kind(head)
        if kind is None:
            raise _wrong_kind(head, name)
        if isinstance(source, bytes):
            path = folder / work.SOURCE
            await asyncio.to_thread(path.write_bytes, source)
        else:
            path = source
        try:
            if kind == "image":
                media = await _QUICK.run(
                    limits.opening_seconds, work.picture, path, folder, name, limits.image
                )
            else:
                media = await _clip(path, folder, name, limits, wish, on_progress)
        except (WorkerDied, TimeoutError):
            raise MediaRefused("too_heavy", name) from None
        result = await asyncio.to_thread((folder / work.RESULT).read_bytes)
        return dataclasses.replace(media, data=result)


async def _clip(
    path: Path,
    folder: Path,
    name: str,
    limits: MediaLimits,
    wish: ClipWish,
    on_progress: OnProgress | None,
) -> PreparedMedia:
    video = limits.video
    found = await _QUICK.run(limits.opening_seconds, work.measured, path, name, wish, video)
    plan = plan_clip(found, wish, name, video)
    rest = (path, folder, found, plan, name, video)
    if plan.size is None:
        return await _QUICK.run(video.writing_seconds, work.clip, *rest)
    async with _told(folder, on_progress):
        return await _ENCODING.run(video.writing_seconds, work.clip, *rest)


@asynccontextmanager
async def _told(folder: Path, on_progress: OnProgress | None) -> AsyncGenerator[None]:
    """Tells how far the encoding has come for as long as the block runs."""
    if on_progress is None:
        yield
        return
    telling = asyncio.create_task(_tell(folder, on_progress))
    try:
        yield
    finally:
        telling.cancel()


async def _tell(folder: Path, on_progress: OnProgress) -> None:
    while True:
        on_progress(work.share_encoded(folder))
        await asyncio.sleep(_LOOKED_EVERY_S)


def _beginning(source: Path | bytes) -> tuple[bytes, int]:
    """The first bytes of a file, and how many it has."""
    if isinstance(source, bytes):
        return source[:HEAD], len(source)
    with source.open("rb") as file:
        return file.read(HEAD), source.stat().st_size


def _wrong_kind(head: bytes, name: str) -> MediaRefused:
    if is_sound(head):
        return MediaRefused("sound_alone", name)
    noun = name_of_kind(head)
    if noun is None:
        return MediaRefused("unknown_kind", name)
    return MediaRefused("wrong_kind", name, kind=noun)
