"""What a clip holds, measured before anything is made of it: frames, length, size, turn, sound."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import av

from app.media.budget import sampled_frames
from app.media.clip import Clip
from app.media.limits import VideoLimits
from app.media.prepared import MediaRefused, spoken_length
from app.media.sniff import HEAD, ClipFormat, sniff_clip
from app.media.wholeness import iso_wholeness, matroska_wholeness

_DISPLAY_MATRIX = struct.Struct("=9i")


def probe(source: BinaryIO, name: str, limits: VideoLimits) -> Clip:
    """Measures a clip: all its packets, and its first frame decoded. Raises MediaRefused."""
    clip_format = _whole(source, name)
    with opened(source, clip_format, name, limits) as container:
        stream = _picture_track(container, name)
        _check_frame_size(stream, name, limits)
        if stream.duration is not None:
            _check_length(float(stream.duration * stream.time_base), name, limits)
        _check_frames(stream.frames, name, limits)
        start, seconds, frames, size = _measure(container, stream, name, limits)
        _check_length(seconds, name, limits)
        if frames == 1:
            raise MediaRefused("one_frame", name)
        if sampled_frames(seconds, frames) < 1:
            raise MediaRefused("too_short", name)
        sound = bool(container.streams.audio)
        index = stream.index
    with opened(source, clip_format, name, limits) as container:
        stream = container.streams[index]
        frame = next(container.decode(stream), None)
        if frame is None:
            raise damaged(name)
        return Clip(
            format=clip_format,
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
def opened(
    source: BinaryIO, clip_format: ClipFormat, name: str, limits: VideoLimits
) -> Iterator[Any]:
    """The clip opened for reading; what libav cannot read becomes MediaRefused.

    The format is given rather than guessed, since other formats (playlists) name further files.
    Raises MemoryError where there is too little.
    """
    options = {"max_pixels": str(limits.max_decoded_pixels)}
    source.seek(0)
    try:
        with av.open(source, format=clip_format, options=options) as container:
            for stream in container.streams.video:
                if stream.codec_context is not None:  # a later frame may be larger than the first
                    stream.codec_context.options = options
            yield container
    except (av.FFmpegError, StopIteration, ValueError) as problem:
        if isinstance(problem, MediaRefused | MemoryError):
            raise
        raise damaged(name) from None


def damaged(name: str) -> MediaRefused:
    """The refusal of a clip that cannot be read."""
    return MediaRefused("damaged_clip", name)


def _whole(source: BinaryIO, name: str) -> ClipFormat:
    """The family of the clip. Refuses one that is cut."""
    source.seek(0)
    clip_format = sniff_clip(source.read(HEAD))
    if clip_format is None:
        raise damaged(name)
    is_iso = clip_format == "mp4"
    match iso_wholeness(source, b"moov") if is_iso else matroska_wholeness(source):
        case "cut":
            raise MediaRefused("incomplete", name)
        case "broken":
            raise damaged(name)
        case "whole":
            return clip_format


def _check_frame_size(stream: Any, name: str, limits: VideoLimits) -> None:
    width, height = stream.codec_context.width, stream.codec_context.height
    if width * height > limits.max_decoded_pixels:
        most = f"{limits.max_decoded_pixels / 1_000_000:g}"
        size = {"width": str(width), "height": str(height)}
        raise MediaRefused("frame_too_large", name, most=most, **size)


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
    container: Any, stream: Any, name: str, limits: VideoLimits
) -> tuple[int, float, int, int]:
    """First time stamp, seconds, frames and bytes of a track, from its packets.

    A last frame that does not say how long it stays, as in clips recorded live, is taken to stay
    as long as the others do on average.
    """
    first, last, newest, frames, size = None, 0, 0, 0, 0
    for packet in container.demux(stream):
        size += packet.size
        if packet.pts is None or packet.is_discard:
            continue
        frames += 1
        _check_frames(frames, name, limits)
        first = packet.pts if first is None else min(first, packet.pts)
        newest = max(newest, packet.pts)
        last = max(last, packet.pts + (packet.duration or 0))
    if first is None:
        raise damaged(name)
    if last == newest and frames > 1:
        last += round((newest - first) / (frames - 1))
    return first, float((last - first) * stream.time_base), frames, size


def _check_length(seconds: float, name: str, limits: VideoLimits) -> None:
    if seconds > limits.max_seconds:
        length, most = spoken_length(seconds), spoken_length(limits.max_seconds)
        raise MediaRefused("too_long", name, length=length, most=most)


def _check_frames(frames: int, name: str, limits: VideoLimits) -> None:
    if frames > limits.max_frames:
        raise MediaRefused("too_many_frames", name, most=f"{limits.max_frames:,}")


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
