"""Preparing an upload off the event loop: a few at a time, and given up when nobody waits."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from app.media.images import prepare_image
from app.media.limits import MediaLimits
from app.media.prepared import MediaRefused, PreparedMedia, megabytes
from app.media.sniff import name_of_kind, sniff_kind
from app.media.videos import prepare_video

_AT_ONCE = 2


def _yield_to_streams() -> None:
    """Lowers this thread's priority, and so that of the codecs' threads that it starts.

    Linux keeps a priority for each thread (setpriority(2)); elsewhere it is the whole process's.
    """
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)


_WORKERS = ThreadPoolExecutor(_AT_ONCE, "media", initializer=_yield_to_streams)


async def prepare(data: bytes, name: str, limits: MediaLimits) -> PreparedMedia:
    """The picture or clip as it is sent. Raises MediaRefused.

    Two uploads are worked on at once, the others wait. When the caller is cancelled, work that
    waits is dropped, and work on a clip stops at its next packet.
    """
    stopped = threading.Event()
    work = _WORKERS.submit(_prepare, data, name, limits, stopped.is_set)
    try:
        return await asyncio.wrap_future(work)
    finally:
        stopped.set()


def _prepare(
    data: bytes, name: str, limits: MediaLimits, stopped: Callable[[], bool]
) -> PreparedMedia:
    if not data:
        raise MediaRefused("empty", name)
    if len(data) > limits.max_bytes:
        raise MediaRefused("too_large", name, most=megabytes(limits.max_bytes))
    match sniff_kind(data):
        case "image":
            return prepare_image(data, name, limits.image)
        case "video":
            return prepare_video(data, name, limits.video, stopped)
        case None:
            raise _wrong_kind(data, name)


def _wrong_kind(data: bytes, name: str) -> MediaRefused:
    noun = name_of_kind(data)
    if noun is None:
        return MediaRefused("unknown_kind", name)
    return MediaRefused("wrong_kind", name, kind=noun)
