"""Preparing an upload in a process of its own: bounded in memory and time, and given up at once."""

from __future__ import annotations

import asyncio
import dataclasses
import tempfile
from pathlib import Path
from typing import Final

from app.media import work
from app.media.limits import MediaLimits
from app.media.prepared import MediaRefused, PreparedMedia, megabytes
from app.media.sniff import HEAD, is_sound, name_of_kind, sniff_kind
from app.media.workers import WorkerDied, Workers

_WORKERS: Final = Workers(2, memory=300_000_000)


async def prepare(data: bytes, name: str, limits: MediaLimits) -> PreparedMedia:
    """The picture or clip as it is sent. Raises MediaRefused.

    Two uploads are worked on at once, the others wait. When the caller is cancelled, the process
    that works for it is ended. A file that takes more memory or time than the limits is refused as
    too heavy.
    """
    if not data:
        raise MediaRefused("empty", name)
    if len(data) > limits.max_bytes:
        size, most = megabytes(len(data)), megabytes(limits.max_bytes)
        raise MediaRefused("too_large", name, size=size, most=most)
    kind = sniff_kind(data[:HEAD])
    if kind is None:
        raise _wrong_kind(data[:HEAD], name)
    with tempfile.TemporaryDirectory(prefix="glm-media-", ignore_cleanup_errors=True) as place:
        folder = Path(place)
        await asyncio.to_thread((folder / work.SOURCE).write_bytes, data)
        try:
            if kind == "image":
                media = await _WORKERS.run(
                    limits.opening_seconds, work.picture, folder, name, limits.image
                )
            else:
                found = await _WORKERS.run(
                    limits.opening_seconds, work.measured, folder, name, limits.video
                )
                media = await _WORKERS.run(
                    limits.video.writing_seconds, work.clip, folder, found, name, limits.video
                )
        except (WorkerDied, TimeoutError):
            raise MediaRefused("too_heavy", name) from None
        result = await asyncio.to_thread((folder / work.RESULT).read_bytes)
        return dataclasses.replace(media, data=result)


def _wrong_kind(head: bytes, name: str) -> MediaRefused:
    if is_sound(head):
        return MediaRefused("sound_alone", name)
    noun = name_of_kind(head)
    if noun is None:
        return MediaRefused("unknown_kind", name)
    return MediaRefused("wrong_kind", name, kind=noun)
