"""What is known of a clip once it was measured, which may travel between processes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from app.media.sniff import ClipFormat


@dataclass(frozen=True, slots=True)
class Span:
    """Consecutive frames: `start` is the time stamp of the first, in units of the time base."""

    start: int
    seconds: float
    frames: int

    @property
    def rate(self) -> Fraction:
        """Frames a second on average."""
        return Fraction(self.frames / self.seconds).limit_denominator(1001)


@dataclass(frozen=True, slots=True)
class Part:
    """What is taken of a clip.

    `asked` are the frames asked for, before the time stamp `stop`; nothing but encoding gives
    exactly those. `copied` are those of the `packets` that can be copied, `size` bytes in all: from
    the key frame at or before the first, and with the frames after the last that it is made from.
    """

    asked: Span
    copied: Span
    stop: int
    packets: int
    size: int


@dataclass(frozen=True, slots=True)
class Clip:
    """What was measured of a clip, and the part of it that is sent: all of it, as a rule.

    `format` is its family, `stream` the index of its picture track, `width` and `height` its pixels
    as stored, `turn` the libavfilter filters that put them upright, `time_base` seconds a unit of
    its time stamps, `whole` all its frames, `size` the bytes of the picture track.
    """

    format: ClipFormat
    stream: int
    codec: str
    width: int
    height: int
    turn: tuple[tuple[str, str], ...]
    time_base: Fraction
    whole: Span
    size: int
    sound: bool
    part: Part

    def seconds_between(self, one: Span, other: Span) -> float:
        """How much later the other begins."""
        return float((other.start - one.start) * self.time_base)

    @property
    def upright_size(self) -> tuple[int, int]:
        """Width and height in pixels as displayed."""
        lying = any(name == "transpose" for name, _ in self.turn)
        return (self.height, self.width) if lying else (self.width, self.height)
