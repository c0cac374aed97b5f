"""What a worker process does: opens one file within bounds of memory, and makes it ready.

Pillow and libav are imported here alone, and only when there is work: the page's own process never
opens what a visitor has sent. Files lie in a folder of their own, so that their bytes need not
travel through pipes, nor be held beside what is made of them.
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
from app.media.prepared import MediaRefused, PreparedMedia

SOURCE: Final = "source"
"""The file as it came, in its folder."""

RESULT: Final = "result"
"""The bytes of what is sent, beside it."""

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


def picture(folder: Path, name: str, limits: ImageLimits) -> PreparedMedia:
    """The picture in the folder, made ready; its bytes are left there. Raises MediaRefused."""
    from app.media.images import prepare_image

    with _within_memory(name), (folder / SOURCE).open("rb") as source:
        media = prepare_image(source, name, limits)
        (folder / RESULT).write_bytes(media.data)
        return dataclasses.replace(media, data=b"")


def measured(folder: Path, name: str, limits: VideoLimits) -> Clip:
    """What the clip in the folder holds. Raises MediaRefused."""
    from app.media.probe import probe

    with _within_memory(name), (folder / SOURCE).open("rb") as source:
        return probe(source, name, limits)


def clip(folder: Path, found: Clip, name: str, limits: VideoLimits) -> PreparedMedia:
    """The measured clip in the folder, made ready; its bytes are left there.

    Raises MediaRefused.
    """
    from app.media.videos import prepare_video

    _make_room_to_encode()
    with _within_memory(name), (folder / SOURCE).open("rb") as source:
        media = prepare_video(source, found, folder / RESULT, name, limits)
        return dataclasses.replace(media, data=b"")


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
