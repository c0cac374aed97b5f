"""A clip made ready to be sent: its pictures copied as they are, or encoded where they must be."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

import av
import av.filter

from app.media.budget import seen_size, video_tokens
from app.media.clip import Clip
from app.media.limits import VideoLimits
from app.media.prepared import MediaRefused, PreparedMedia, megabytes, spoken_length
from app.media.probe import opened
from app.media.sentences import MediaSentence

_COPIED: Final = frozenset({"h264", "hevc", "vp9", "av1"})
"""Codecs that go as they are; others, or those that no mp4 holds (VP8), become H.264."""

_WATCHABLE_PIXELS: Final = 854 * 480
"""Pixels a frame below which a clip is not shrunk, however small the model sees it."""

_HIGHEST_RATE: Final = 50_000_000
"""Bits a second that encoding never exceeds."""


def prepare_video(
    source: BinaryIO, clip: Clip, target: Path, name: str, limits: VideoLimits
) -> PreparedMedia:
    """The clip as it is sent, of what `probe` measured of it; blocks. Raises MediaRefused.

    An mp4, written at `target`, whose picture track is copied without metadata, sound or other
    tracks. It is encoded again, as H.264 at the size that the model sees, only when it lies on its
    side, has too many pixels or bytes, or another codec than H.264, HEVC, VP9 or AV1. The same
    bytes in give the same bytes out. Raises MemoryError where there is too little.
    """
    size = _encoded_size(clip, limits)
    with opened(source, clip.format, name, limits) as container:
        if size is None:
            _copy(container, clip, target)
        else:
            _check_work(clip, name, limits)
            _encode(container, clip, size, target, limits)
    sent = target.stat().st_size
    if sent > limits.max_bytes:
        most = megabytes(limits.max_bytes)
        raise MediaRefused("too_large_shrunk", name, size=megabytes(sent), most=most)
    sent_size = size or clip.upright_size
    return PreparedMedia.of(
        target.read_bytes(),
        kind="video",
        mime="video/mp4",
        name=name,
        size=sent_size,
        seconds=round(clip.seconds, 3),
        tokens=video_tokens(*sent_size, clip.seconds, clip.frames),
        notes=tuple(_notes(clip, sent_size)),
    )


def _encoded_size(clip: Clip, limits: VideoLimits) -> tuple[int, int] | None:
    """Width and height to encode at, upright and even as H.264 needs; None to copy the track."""
    width, height = clip.upright_size
    too_many_bytes = clip.size > limits.max_bytes
    too_many_pixels = width * height > limits.max_pixels
    if not (too_many_bytes or too_many_pixels or clip.turn) and clip.codec in _COPIED:
        return None
    seen = seen_size(width, height, clip.seconds, clip.frames)
    budget = min(limits.max_pixels, max(seen.width * seen.height, _WATCHABLE_PIXELS))
    scale = min(1.0, math.sqrt(budget / (width * height)))
    return _even(width * scale), _even(height * scale)


def _even(side: float) -> int:
    return max(2, int(side) // 2 * 2)


def _check_work(clip: Clip, name: str, limits: VideoLimits) -> None:
    if clip.frames * clip.width * clip.height > limits.max_encoding_pixels:
        length, width, height = spoken_length(clip.seconds), str(clip.width), str(clip.height)
        raise MediaRefused("too_much_work", name, length=length, width=width, height=height)


def _notes(clip: Clip, sent_size: tuple[int, int]) -> Iterator[MediaSentence]:
    if clip.sound:
        yield MediaSentence.note("soundless")
    width, height = clip.upright_size
    if sent_size[0] < width - 1 or sent_size[1] < height - 1:  # more than made even
        after = f"{sent_size[0]} x {sent_size[1]}"
        yield MediaSentence.note("shrunk", before=f"{width} x {height}", after=after)


@contextmanager
def _written(path: Path) -> Iterator[Any]:
    """An mp4 to write: its index first, so that it plays while it loads, and nothing of the day."""
    options = {"movflags": "+faststart", "fflags": "+bitexact"}
    with av.open(str(path), "w", format="mp4", options=options) as output:
        yield output


def _copy(container: Any, clip: Clip, path: Path) -> None:
    stream = container.streams[clip.stream]
    with _written(path) as output:
        target = output.add_stream_from_template(stream, opaque=True)  # AV1 has no encoder
        for packet in _in_decoding_order(container.demux(stream)):
            packet.pts -= clip.start
            packet.dts -= clip.start
            packet.stream = target
            output.mux(packet)


def _in_decoding_order(packets: Iterator[Any]) -> Iterator[Any]:
    """The packets that hold a frame, each with the time at which it is decoded.

    Matroska keeps only the times of display. libav works the others out, but for those before it
    has seen how far the frames are out of order: they are counted back from the first known.
    """
    waiting: list[Any] = []
    is_known = False
    for packet in packets:
        if packet.pts is None:  # the empty one that ends a track
            continue
        if is_known:
            if packet.dts is not None:
                yield packet
            continue
        waiting.append(packet)
        if packet.dts is None:
            continue
        is_known = True
        for place, early in enumerate(waiting):
            early.dts = packet.dts - (len(waiting) - 1 - place) * (packet.duration or 1)
            yield early
    if not is_known:
        raise ValueError("No packet says when it is to be decoded.")


def _encode(
    container: Any,
    clip: Clip,
    size: tuple[int, int],
    path: Path,
    limits: VideoLimits,
) -> None:
    """Encodes within `limits.max_bytes`. The count of threads is fixed, as it changes the bytes."""
    stream = container.streams[clip.stream]
    bits_a_second = min(_HIGHEST_RATE, int(limits.max_bytes * 8 * 0.9 / clip.seconds))
    options = {
        "crf": "23",
        "preset": "superfast",
        "maxrate": str(bits_a_second),
        "bufsize": str(bits_a_second),
        "threads": "2",
    }
    with _written(path) as output:
        target = output.add_stream("libx264", rate=clip.rate, options=options)
        target.width, target.height = size
        target.pix_fmt = "yuv420p"
        target.codec_context.time_base = stream.time_base
        graph = _upright(stream, clip, size)
        for packet in container.demux(stream):
            for frame in packet.decode():
                frame.pts -= clip.start
                graph.vpush(frame)
                output.mux(target.encode(graph.vpull()))
        output.mux(target.encode(None))


def _upright(stream: Any, clip: Clip, size: tuple[int, int]) -> Any:
    """The filters that turn a frame and bring it to `size`; one frame in gives one frame out."""
    graph = av.filter.Graph()
    width, height = size if (clip.width, clip.height) == clip.upright_size else size[::-1]
    scale = ("scale", f"{width}:{height}:flags=area")
    steps = [scale, *clip.turn, ("format", "yuv420p"), ("setsar", "1")]
    nodes = [graph.add_buffer(template=stream)]
    nodes += [graph.add(name, argument or None) for name, argument in steps]
    nodes.append(graph.add("buffersink"))
    graph.link_nodes(*nodes).configure()
    return graph
