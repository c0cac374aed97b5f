"""What a clip holds, measured before anything is made of it: frames, length, size, turn, sound."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, Final

import av

from app.media.budget import sampled_frames
from app.media.clip import Clip, Part, Span
from app.media.cutting import cut
from app.media.limits import VideoLimits
from app.media.plan import SLACK, refused
from app.media.prepared import MediaRefused, spoken_length
from app.media.sniff import HEAD, ClipFormat, sniff_clip
from app.media.wholeness import iso_wholeness, matroska_wholeness
from app.media.wish import ClipWish

_DISPLAY_MATRIX = struct.Struct("=9i")

_END: Final = 1 << 63
"""A time stamp that comes after all others."""

_ROUNDING_S: Final = 0.5
"""Seconds by which the length that a player tells may be over: sound may go on for longer."""


def probe(source: BinaryIO, name: str, wish: ClipWish, limits: VideoLimits) -> Clip:
    """Measures a clip: all its packets, and its first frame decoded. Raises MediaRefused.

    It is refused where the part that is wished for, or all of it, is over the limits.
    """
    clip_format = _whole(source, name)
    with opened(source, clip_format, name, limits) as container:
        stream = _picture_track(container, name)
        _check_frame_size(stream, name, limits)
        whole, packets, size = _measure(container, stream, name)
        if whole.frames == 1:
            raise MediaRefused("one_frame", name)
        _check_sampled(whole, name)
        sound = bool(container.streams.audio)
        index = stream.index
    part = Part(whole, whole, stop=_END, packets=packets, size=size)
    if wish.trims:
        part = _part(source, clip_format, index, whole, wish, name, limits)
    with opened(source, clip_format, name, limits) as container:
        stream = container.streams[index]
        frame = next(container.decode(stream), None)
        if frame is None:
            raise damaged(name)
        clip = Clip(
            format=clip_format,
            stream=index,
            codec=stream.codec_context.codec.canonical_name,
            width=frame.width,
            height=frame.height,
            turn=_turn(frame),
            time_base=stream.time_base,
            whole=whole,
            size=size,
            sound=sound,
            part=part,
        )
    _check_length(clip, name, limits)
    return clip


@contextmanager
def opened(
    source: BinaryIO, clip_format: ClipFormat, name: str, limits: VideoLimits
) -> Iterator[Any]:
    """The clip opened for reading; what libav cannot read becomes MediaRefused.

    The format is given rather than guessed, since other formats (playlists) name further files.
    Raises MemoryError where there is too little.
    """
    # Of AV1 one frame is decoded at a time: those ahead would take 80 MB of 4K, and no time less.
    options = {"max_pixels": str(limits.max_decoded_pixels), "max_frame_delay": "1"}
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
        raise MediaRefused("frame_too_large", name, most=most, width=str(width), height=str(height))


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


def _measure(container: Any, stream: Any, name: str) -> tuple[Span, int, int]:
    """All frames of a track, the packets that have a time, and their bytes.

    A last frame that does not say how long it stays, as in clips recorded live, is taken to stay
    as long as the others do on average.
    """
    first, last, newest, frames, packets, size = None, 0, 0, 0, 0, 0
    for packet in container.demux(stream):
        if packet.pts is None:
            continue
        packets += 1
        size += packet.size
        if packet.is_discard:
            continue
        frames += 1
        first = packet.pts if first is None else min(first, packet.pts)
        newest = max(newest, packet.pts)
        last = max(last, packet.pts + (packet.duration or 0))
    if first is None:
        raise damaged(name)
    if last == newest and frames > 1:
        last += round((newest - first) / (frames - 1))
    whole = Span(first, float((last - first) * stream.time_base), frames)
    return whole, packets, size


def _part(
    source: BinaryIO,
    clip_format: ClipFormat,
    index: int,
    whole: Span,
    wish: ClipWish,
    name: str,
    limits: VideoLimits,
) -> Part:
    """The part wished for: from the frame that is seen at its beginning to the last before its end.

    Refused where it does not lie within the clip; that the end is a little after the clip's is
    taken for how a player rounds.
    """
    end_s = whole.seconds if wish.end_s is None else wish.end_s
    within = wish.start_s < min(end_s, whole.seconds) and end_s <= whole.seconds + _ROUNDING_S
    if not within:
        raise MediaRefused("outside", name, length=spoken_length(whole.seconds))
    with opened(source, clip_format, name, limits) as container:
        stream = container.streams[index]
        begin = whole.start + round(wish.start_s / stream.time_base)
        stop = _END if end_s >= whole.seconds else whole.start + round(end_s / stream.time_base)
        part = cut(container.demux(stream), whole, begin, stop, stream.time_base)
    if part is None:
        raise damaged(name)
    if part.asked.frames == 1:
        raise MediaRefused("too_short", name)
    _check_sampled(part.asked, name)
    return part


def _check_sampled(span: Span, name: str) -> None:
    if sampled_frames(span.seconds, span.frames) < 1:
        raise MediaRefused("too_short", name)


def _check_length(clip: Clip, name: str, limits: VideoLimits) -> None:
    span = clip.part.asked
    if span.seconds - SLACK / span.rate > limits.max_seconds:
        length, most = spoken_length(span.seconds), spoken_length(limits.max_seconds)
        raise refused("too_long", name, clip, limits, length=length, most=most)
    if span.frames - SLACK > limits.max_frames:
        frames, most = f"{span.frames:,}", f"{limits.max_frames:,}"
        raise refused("too_many_frames", name, clip, limits, frames=frames, most=most)


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
