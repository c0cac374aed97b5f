"""A clip made ready to be sent: its pictures copied as they are, or encoded where they must be."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import av
import av.filter
from av.container import Flags

from app.media.budget import video_tokens
from app.media.limits import VideoLimits
from app.media.prepared import MediaRefused, PreparedMedia, megabytes, quoted
from app.media.probe import Abandoned, Clip, opened, probe

_COPIED: Final = frozenset({"h264", "hevc", "vp9", "libdav1d", "av1"})
"""Codecs that go as they are; others inside an mp4 become H.264."""

_SMALLER_PIXELS: Final = 1280 * 720
"""Pixels a frame of a clip that was too many bytes."""


def prepare_video(
    data: bytes, name: str, limits: VideoLimits, stopped: Callable[[], bool] = lambda: False
) -> PreparedMedia:
    """The clip as it is sent; blocks. Raises MediaRefused.

    An mp4 whose picture track is copied without metadata, sound or other tracks. It is encoded
    again (H.264) only when it lies on its side, has too many pixels or bytes, or another codec
    than H.264, HEVC, VP9 or AV1. `stopped` is asked at each packet; when it says so, Abandoned is
    raised. The same bytes in give the same bytes out.
    """
    clip = probe(data, name, limits, stopped)
    size = _size_to_send(clip, limits)
    copied = not clip.turn and size == clip.upright_size and clip.codec in _COPIED
    notes = []
    if clip.sound:
        notes.append("Its sound is left out: the model does not hear.")
    with tempfile.TemporaryDirectory(prefix="glm-clip-") as folder:
        path = Path(folder) / "clip.mp4"
        with opened(data, name, limits) as container:
            if copied:
                _copy(container, clip, path, stopped)
            else:
                _check_work(clip, name, limits)
                _encode(container, clip, size, path, limits, stopped)
        sent = path.read_bytes()
    if len(sent) > limits.max_bytes:
        raise MediaRefused(
            f"{quoted(name)} is larger than the {megabytes(limits.max_bytes)} that can be sent, "
            "even when shrunk: trim it."
        )
    if size != clip.upright_size:
        width, height = clip.upright_size
        notes.append(f"It was shrunk from {width} × {height} to {size[0]} × {size[1]} pixels.")
    return PreparedMedia.of(
        sent,
        kind="video",
        mime="video/mp4",
        name=name,
        size=size,
        seconds=round(clip.seconds, 3),
        tokens=video_tokens(*size, clip.seconds, clip.frames),
        notes=tuple(notes),
    )


def _size_to_send(clip: Clip, limits: VideoLimits) -> tuple[int, int]:
    """Width and height in pixels, upright; even where the clip is shrunk, as H.264 needs."""
    budget = limits.max_pixels
    if clip.size > limits.max_bytes:
        budget = min(budget, _SMALLER_PIXELS)
    width, height = clip.upright_size
    if width * height <= budget and clip.size <= limits.max_bytes:
        return width, height
    scale = min(1.0, math.sqrt(budget / (width * height)))
    return _even(width * scale), _even(height * scale)


def _even(side: float) -> int:
    return max(2, int(side) // 2 * 2)
