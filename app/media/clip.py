"""What is known of a clip once it was measured, which may travel between processes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from app.media.sniff import ClipFormat


@dataclass(frozen=True, slots=True)
class Clip:
    """What was measured of a clip.

    `format` is its family, `stream` the index of its picture track, `width` and `height` its pixels
    as stored, `turn` the libavfilter filters that put them upright, `size` the bytes of the picture
    track, `start` its first time stamp in units of its time base.
    """

    format: ClipFormat
    stream: int
    codec: str
    width: int
    height: int
    turn: tuple[tuple[str, str], ...]
    seconds: float
    frames: int
    start: int
    size: int
    sound: bool

    @property
    def rate(self) -> Fraction:
        """Frames a second on average."""
        return Fraction(self.frames / self.seconds).limit_denominator(1001)

    @property
    def upright_size(self) -> tuple[int, int]:
        """Width and height in pixels as displayed."""
        lying = any(name == "transpose" for name, _ in self.turn)
        return (self.height, self.width) if lying else (self.width, self.height)
