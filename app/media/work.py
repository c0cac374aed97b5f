"""What a worker process does: opens one file within bounds of memory, and makes it ready.

Pillow and libav are imported here alone, and only when there is work: the page's own process never
opens what a visitor has sent. Files lie in a folder of their own, so that their bytes need not
travel through pipes, nor be held beside what is made of them. There too is how far an encoding has
come: a file that grows by a byte with each of its hundredths, which nobody can find half written.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import random
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from app.media.clip import Clip
from app.media.limits import ImageLimits, VideoLimits
from app.media.plan import Plan
from app.media.prepared import MediaRefused, PreparedMedia
from app.media.wish import ClipWish

SOURCE: Final = "source"
"""The file as it came, where it came as bytes."""

RESULT: Final = "result"
"""The bytes of what is sent."""

PROGRESS: Final = "progress"
"""As many bytes as hundredths are encoded; not there before that has begun."""

_PROCESSORS: Final = 2
"""How many a worker may use, and so how many threads its codecs start."""

_ENCODING: Final = 2
"""How much more may be allocated to encode a clip. Half of it is never touched: the stacks of the
codecs' threads, and room for frames that do not come."""


def confine(memory: int) -> None:
    """Bounds this process for good: `memory` in bytes, low priority, two processors.

    Linux alone bounds what a process allocates (setrlimit(2), RLIMIT_DATA) and tells the codecs
    how many processors there are by the affinity of the process (sched_setaffinity(2)).
    """
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # at once, even from inside a decoder
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (memory, memory * _ENCODING))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.nice(10)
        mine = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, random.sample(mine, min(_PROCESSORS, len(mine))))


def picture(source: Path, folder: Path, name: str, limits: ImageLimits) -> PreparedMedia:
    """The picture made ready; its bytes are left in the folder. Raises MediaRefused."""
    from app.media.images import prepare_image

    with _within_memory(name), source.open("rb") as file:
        media = prepare_image(file, name, limits)
        (folder / RESULT).write_bytes(media.data)
        return dataclasses.replace(media, data=b"")


def measured(source: Path, name: str, wish: ClipWish, limits: VideoLimits) -> Clip:
    """What the clip holds, and where it is cut as wished. Raises MediaRefused."""
    from app.media.probe import probe

    with _within_memory(name), source.open("rb") as file:
        return probe(file, name, wish, limits)


def clip(
    source: Path, folder: Path, found: Clip, plan: Plan, name: str, limits: VideoLimits
) -> PreparedMedia:
    """The measured clip made ready; its bytes are left in the folder. Raises MediaRefused."""
    from app.media.videos import prepare_video

    _make_room_to_encode()
    with (
        _within_memory(name),
        source.open("rb") as file,
        (folder / PROGRESS).open("wb", buffering=0) as told,
    ):

        def report(share: float) -> None:
            told.write(b"." * (int(share * 100) - told.tell()))

        media = prepare_video(file, found, plan, folder / RESULT, name, limits, report)
        return dataclasses.replace(media, data=b"")


def share_encoded(folder: Path) -> float | None:
    """How far the encoding has come, 0 to 1; None before it has begun."""
    try:
        return (folder / PROGRESS).stat().st_size / 100
    except FileNotFoundError:
        return None


def _make_room_to_encode() -> None:
    if sys.platform == "linux":
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


@contextlib.contextmanager
def _within_memory(name: str) -> Iterator[None]:
    try:
        yield
    except MemoryError:
        raise MediaRefused("too_heavy", name) from None
