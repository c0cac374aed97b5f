"""What pictures and clips take of the prompt, and how large the model sees them.

The rule is that of the model's processor (vLLM's `processors/glm5next.py`, transformers'
`glm5_next`): a token covers 28 x 28 pixels of a canvas that is rounded up, in a clip those of two
frames; a canvas over the budget is the largest of the same proportions that fits. A picture has 16
to 8000 tokens, a clip at most 30,000 in vLLM. A clip's time stamps, some seven tokens for two
frames, are not counted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from app.chat.messages import Attachment

_PATCH = 28
_FEWEST_TOKENS = 16
_MOST_CLIP_TOKENS = 30_000
_FRAMES_A_SECOND = 2
_MOST_FRAMES = 2048
_USUAL_RATE = 24.0
"""Frames a second of a clip whose own are not kept; they matter only where there are few."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How large the model sees a picture or a frame: pixels, and the tokens of one canvas."""

    width: int
    height: int
    tokens: int


def fit_within(width: int, height: int, max_tokens: int) -> Fit:
    """The largest size of these proportions, not enlarged, whose canvas is within `max_tokens`."""
    if _canvas(width, height) <= max_tokens:
        return Fit(width, height, _canvas(width, height))
    # Searched on the longer side, so that a strip one pixel high shrinks as well.
    longer, shorter = max(width, height), min(width, height)
    low, high = 1, longer
    while low < high:
        middle = (low + high + 1) // 2
        if _canvas(middle, _scaled(shorter, middle, longer)) <= max_tokens:
            low = middle
        else:
            high = middle - 1
    other = _scaled(shorter, low, longer)
    size = (low, other) if width >= height else (other, low)
    return Fit(*size, _canvas(*size))


def image_tokens(width: int, height: int, max_tokens: int = 8000) -> int:
    """Tokens of a picture of this size in pixels; one over the budget is counted as shrunk."""
    tokens = fit_within(width, height, max_tokens).tokens
    if tokens >= _FEWEST_TOKENS:
        return tokens
    enlarged = math.sqrt(_FEWEST_TOKENS * _PATCH**2 / (width * height))
    return _canvas(math.ceil(width * enlarged), math.ceil(height * enlarged))


def video_tokens(width: int, height: int, seconds: float, frames: int) -> int:
    """Tokens of a clip: the even number of frames that the model takes of it, two to a canvas."""
    return _canvases(seconds, frames) * seen_size(width, height, seconds, frames).tokens


def media_tokens(media: Attachment) -> int:
    """Tokens of a picture or a clip by what is kept of it; 0 where its size is not known."""
    if media.width is None or media.height is None:
        return 0
    if media.kind == "image":
        return image_tokens(media.width, media.height)
    seconds = media.seconds or 0.0
    return video_tokens(media.width, media.height, seconds, int(seconds * _USUAL_RATE))


def seen_size(width: int, height: int, seconds: float, frames: int) -> Fit:
    """How large the model sees the frames of a clip: the smaller, the more of them it takes."""
    return fit_within(width, height, _MOST_CLIP_TOKENS // _canvases(seconds, frames))


def canvas_tokens(width: int, height: int) -> int:
    """Tokens of a canvas of this size unshrunk: a second of a clip, as two frames share one."""
    return _canvas(width, height)


def sampled_frames(seconds: float, frames: int) -> int:
    """Frames the model takes of a clip: two a second, at most 2048; none of under half a second."""
    return min(int(seconds * _FRAMES_A_SECOND), _MOST_FRAMES, frames)


def _canvases(seconds: float, frames: int) -> int:
    return max(1, math.ceil(sampled_frames(seconds, frames) / 2))


def _canvas(width: int, height: int) -> int:
    return math.ceil(width / _PATCH) * math.ceil(height / _PATCH)


def _scaled(side: int, numerator: int, denominator: int) -> int:
    return max(1, side * numerator // denominator)
