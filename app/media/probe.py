"""What an mp4 holds, measured before anything is made of it: frames, length, size, turn, sound."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import av

from app.media.budget import sampled_frames
from app.media.limits import VideoLimits
from app.media.prepared import MediaRefused

_DISPLAY_MATRIX = struct.Struct("=9i")


class Abandoned(Exception):  # noqa: N818 - it names what happened
    """Nobody waits for the clip any more."""


@dataclass(frozen=True, slots=True)
class Clip:
    """What was measured of a clip.

    `stream` is the index of its picture track, `width` and `height` are its pixels as stored,
    `turn` the libavfilter filters that put them upright, `size` the bytes of the picture track,
    `start` its first time stamp in units of its time base.
    """

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


def probe(data: bytes, name: str, limits: VideoLimits, stopped: Callable[[], bool]) -> Clip:
    """Measures an mp4: all its packets, and its first frame decoded. Raises MediaRefused."""
    _check_boxes(data, name)
    with opened(data, name, limits) as container:
        stream = _picture_track(container, name)
        width, height = stream.codec_context.width, stream.codec_context.height
        if width * height > limits.max_decoded_pixels:
            raise MediaRefused("frame_too_large", name, width=str(width), height=str(height))
        if stream.duration is not None:
            _check_length(float(stream.duration * stream.time_base), name, limits)
        _check_frames(stream.frames, name, limits)
        start, seconds, frames, size = _measure(container, stream, stopped, name, limits)
        _check_length(seconds, name, limits)
        if sampled_frames(seconds, frames) < 1:
            raise MediaRefused("too_short", name)
        sound = bool(container.streams.audio)
        index = stream.index
    with opened(data, name, limits) as container:
        stream = container.streams[index]
        frame = next(container.decode(stream), None)
        if frame is None:
            raise damaged(name)
        return Clip(
            stream=index,
            codec=stream.codec_context.codec.canonical_name,
            width=frame.width,
            height=frame.height,
            turn=_turn(frame),
            seconds=seconds,
            frames=frames,
            start=start,
            size=size,
            sound=sound,
        )


@contextmanager
def opened(data: bytes, name: str, limits: VideoLimits) -> Iterator[Any]:
    """The mp4 opened for reading; what libav cannot read becomes MediaRefused.

    The format is given rather than guessed, since other formats (playlists) name further files.
    """
    options = {"max_pixels": str(limits.max_decoded_pixels)}
    try:
        with av.open(io.BytesIO(data), format="mp4", options=options) as container:
            for stream in container.streams.video:
                if stream.codec_context is not None:  # a later frame may be larger than the first
                    stream.codec_context.options = options
            yield container
    except (av.FFmpegError, StopIteration, ValueError) as problem:
        if isinstance(problem, MediaRefused):
            raise
        raise damaged(name) from None


def damaged(name: str) -> MediaRefused:
    """The refusal of a clip that cannot be read."""
    return MediaRefused("damaged_clip", name)


def _check_boxes(data: bytes, name: str) -> None:
    """Refuses a file whose last box is cut: libav would read what is there and say nothing.

    Boxes are a 32-bit size and four letters; size 1 means a 64-bit size follows, 0 means up to the
    end (ISO/IEC 14496-12, 4.2).
    """
    offset, seen = 0, set()
    while offset + 8 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, offset)
        seen.add(kind)
        if size == 1 and offset + 16 <= len(data):
            size = struct.unpack_from(">Q", data, offset + 8)[0]
        elif size == 0:
            size = len(data) - offset
        if size < 8:
            if b"moov" in seen:  # what follows the boxes is not read
                return
            raise damaged(name)
        offset += size
    if offset > len(data) or b"moov" not in seen:
        raise MediaRefused("incomplete", name)


def _picture_track(container: Any, name: str) -> Any:
    """The first track of moving pictures; a cover picture is none."""
    for stream in container.streams.video:
        if not stream.disposition & av.stream.Disposition.attached_pic:
            if stream.codec_context is None:
                raise MediaRefused("unreadable_codec", name)
            return stream
    if container.streams.audio:
        raise MediaRefused("sound_alone", name)
    raise MediaRefused("no_picture", name)


def _measure(
    container: Any, stream: Any, stopped: Callable[[], bool], name: str, limits: VideoLimits
) -> tuple[int, float, int, int]:
    """First time stamp, seconds, frames and bytes of a track, from its packets."""
    first, last, frames, size = None, 0, 0, 0
    for packet in container.demux(stream):
        if stopped():
            raise Abandoned
        size += packet.size
        if packet.pts is None or packet.is_discard:
            continue
        frames += 1
        _check_frames(frames, name, limits)
        first = packet.pts if first is None else min(first, packet.pts)
        last = max(last, packet.pts + (packet.duration or 0))
    if first is None:
        raise damaged(name)
    return first, float((last - first) * stream.time_base), frames, size


def _check_length(seconds: float, name: str, limits: VideoLimits) -> None:
    if seconds > limits.max_seconds:
        length, most = _spoken(seconds), _spoken(limits.max_seconds)
        raise MediaRefused("too_long", name, length=length, most=most)


def _check_frames(frames: int, name: str, limits: VideoLimits) -> None:
    if frames > limits.max_frames:
        raise MediaRefused("too_many_frames", name, most=f"{limits.max_frames:,}")


def _spoken(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{seconds:.3g} s"
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"


def _turn(frame: Any) -> tuple[tuple[str, str], ...]:
    """The filters that put a frame upright, by the matrix that its file gives for displaying it.

    The matrix takes a pixel (p, q) to (a p + c q, b p + d q), in the order a b u c d v x y w
    (ISO/IEC 14496-12, 8.3.2). The nearest of the eight upright positions is taken.
    """
    matrix = frame.side_data.get("DISPLAYMATRIX")
    if matrix is None:
        return ()
    a, b, _, c, d, *_ = _DISPLAY_MATRIX.unpack(bytes(matrix))
    if abs(b) > abs(a):
        flipped = (b > 0) == (c > 0)
        if b > 0:
            return (("transpose", "cclock_flip" if flipped else "clock"),)
        return (("transpose", "clock_flip" if flipped else "cclock"),)
    return tuple((flip, "") for flip, back in (("hflip", a < 0), ("vflip", d < 0)) if back)
