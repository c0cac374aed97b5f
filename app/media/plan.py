"""How a measured clip is made ready: copied, encoded, or refused. Opens nothing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from app.media.budget import canvas_tokens, seen_size, video_tokens
from app.media.clip import Clip, Span
from app.media.limits import VideoLimits
from app.media.prepared import MediaRefused, megabytes, spoken_length
from app.media.wish import ClipFacts, ClipWish, Offer

_COPIED: Final = frozenset({"h264", "hevc", "vp9", "av1"})
"""Codecs that go as they are; others, or those that no mp4 holds (VP8), become H.264."""

_WATCHABLE_PIXELS: Final = 854 * 480
"""Pixels a frame below which a clip is not shrunk, however small the model sees it."""


_MOST_DECODED: Final = 3
"""How many frames may be decoded for one that is encoded: those from the key frame before."""

SLACK: Final = 2
"""Frames that a part may have above a limit: its beginning and its end lie between two."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is sent of a clip: these frames, encoded at `size` or, where that is None, copied."""

    span: Span
    size: tuple[int, int] | None


def plan_clip(clip: Clip, wish: ClipWish, name: str, limits: VideoLimits) -> Plan:
    """How the clip's part is made ready. Raises MediaRefused, with figures.

    It is encoded, at the size that the model sees, only when it lies on its side, has too many
    pixels, another codec than H.264, HEVC, VP9 or AV1, when the wish is to shrink it, or to begin
    between two key frames. Where the last would be too much work, it begins at the key frame.
    """
    part = clip.part
    too_much = _is_too_much(clip, limits)
    is_exact = part.copied.start == part.asked.start
    must_be_encoded = wish.shrink or _must_be_encoded(clip, limits)
    if not must_be_encoded and (is_exact or too_much):
        _check_bytes(clip, name, limits)
        return Plan(part.copied, None)
    if too_much:
        raise _too_much_work(clip, name, limits)
    return Plan(part.asked, _size_to_encode(clip, part.asked, limits))


def refused(key: str, name: str, clip: Clip, limits: VideoLimits, **values: str) -> MediaRefused:
    """A refusal that trimming would mend, or where bytes are too many shrinking as well."""
    width, height = clip.upright_size
    offers: tuple[Offer, ...] = ("trim", "shrink") if key == "too_many_bytes" else ("trim",)
    facts = ClipFacts(
        seconds=round(clip.whole.seconds, 3),
        frames=clip.whole.frames,
        width=width,
        height=height,
        bytes=clip.size,
        most_seconds=_most_seconds(clip, limits),
        tokens=video_tokens(width, height, clip.whole.seconds, clip.whole.frames),
        tokens_a_second=canvas_tokens(width, height),
        offers=offers,
    )
    return MediaRefused(key, name, facts=facts, **values)


def _is_too_much(clip: Clip, limits: VideoLimits) -> bool:
    """Whether the part takes more work to be encoded than is done here."""
    frames = max(clip.part.asked.frames, clip.part.packets // _MOST_DECODED) - SLACK
    return frames * clip.width * clip.height > limits.max_encoding_pixels


def _must_be_encoded(clip: Clip, limits: VideoLimits) -> bool:
    too_many_pixels = clip.width * clip.height > limits.max_pixels
    return too_many_pixels or bool(clip.turn) or clip.codec not in _COPIED


def _size_to_encode(clip: Clip, span: Span, limits: VideoLimits) -> tuple[int, int]:
    """Width and height, upright and even as H.264 needs."""
    width, height = clip.upright_size
    seen = seen_size(width, height, span.seconds, span.frames)
    budget = min(limits.max_pixels, max(seen.width * seen.height, _WATCHABLE_PIXELS))
    scale = min(1.0, math.sqrt(budget / (width * height)))
    return _even(width * scale), _even(height * scale)


def _even(side: float) -> int:
    return max(2, int(side) // 2 * 2)


def _check_bytes(clip: Clip, name: str, limits: VideoLimits) -> None:
    if clip.part.size > limits.max_bytes:
        size, most = megabytes(clip.part.size), megabytes(limits.max_bytes)
        raise refused("too_many_bytes", name, clip, limits, size=size, most=most)


def _too_much_work(clip: Clip, name: str, limits: VideoLimits) -> MediaRefused:
    return refused(
        "too_much_work",
        name,
        clip,
        limits,
        length=spoken_length(clip.part.asked.seconds),
        width=str(clip.width),
        height=str(clip.height),
        most=spoken_length(_most_seconds(clip, limits)),
    )


def _most_seconds(clip: Clip, limits: VideoLimits) -> float:
    """The longest part that fits all limits, by the averages of the whole; whole tenths."""
    rate = clip.whole.frames / clip.whole.seconds
    most = [limits.max_seconds, limits.max_frames / rate, clip.whole.seconds]
    if _must_be_encoded(clip, limits):
        most.append(limits.max_encoding_pixels / (clip.width * clip.height * rate))
    else:
        most.append(limits.max_bytes / max(1, clip.size) * clip.whole.seconds)
    return math.floor(min(most) * 10) / 10
