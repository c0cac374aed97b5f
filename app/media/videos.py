"""A clip made ready to be sent: its pictures copied as they are, or encoded where they must be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

import av
import av.filter

from app.media.budget import video_tokens
from app.media.clip import Clip, Span
from app.media.cutting import taken
from app.media.limits import VideoLimits
from app.media.plan import Plan, refused
from app.media.prepared import PreparedMedia, megabytes, spoken_length
from app.media.probe import opened
from app.media.sentences import MediaSentence

_HIGHEST_RATE: Final = 50_000_000
"""Bits a second that encoding never exceeds."""


def prepare_video(
    source: BinaryIO,
    clip: Clip,
    plan: Plan,
    target: Path,
    name: str,
    limits: VideoLimits,
    report: Callable[[float], None] = lambda share: None,
) -> PreparedMedia:
    """The clip as it is sent, of what `probe` measured and as `plan_clip` says; blocks.

    An mp4, written at `target`, whose picture track is copied, or encoded as H.264, without
    metadata, sound or other tracks; `report` gets the share that is encoded. The same bytes in give
    the same bytes out. Raises MediaRefused, and MemoryError where there is too little.
    """
    with opened(source, clip.format, name, limits) as container:
        if plan.size is None:
            _copy(container, clip, target)
        else:
            _encode(container, clip, plan.size, target, limits, report)
    sent = target.stat().st_size
    if sent > limits.max_bytes:
        key = "too_many_bytes" if plan.size is None else "too_large_shrunk"
        size, most = megabytes(sent), megabytes(limits.max_bytes)
        raise refused(key, name, clip, limits, size=size, most=most)
    span, sent_size = plan.span, plan.size or clip.upright_size
    return PreparedMedia.of(
        target.read_bytes(),
        kind="video",
        mime="video/mp4",
        name=name,
        size=sent_size,
        seconds=round(span.seconds, 3),
        tokens=video_tokens(*sent_size, span.seconds, span.frames),
        notes=tuple(_notes(clip, span, sent_size)),
    )


def _notes(clip: Clip, sent: Span, sent_size: tuple[int, int]) -> Iterator[MediaSentence]:
    if sent.frames < clip.whole.frames:
        start = spoken_length(clip.seconds_between(clip.whole, sent))
        yield MediaSentence.note("trimmed", length=spoken_length(sent.seconds), start=start)
    if sent.start < clip.part.asked.start:
        earlier = spoken_length(clip.seconds_between(sent, clip.part.asked))
        yield MediaSentence.note("from_key_frame", earlier=earlier)
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
        start = clip.part.copied.start
        packets = taken(container.demux(stream), clip.part, clip.whole)
        for packet in _in_decoding_order(packets):
            packet.pts -= start
            packet.dts -= start
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
    report: Callable[[float], None],
) -> None:
    """Encodes within `limits.max_bytes`. The count of threads is fixed, as it changes the bytes."""
    stream = container.streams[clip.stream]
    span = clip.part.asked
    bits_a_second = min(_HIGHEST_RATE, int(limits.max_bytes * 8 * 0.9 / span.seconds))
    options = {
        "crf": "23",
        "preset": "superfast",
        "maxrate": str(bits_a_second),
        "bufsize": str(bits_a_second),
        "threads": "2",
    }
    with _written(path) as output:
        target = output.add_stream("libx264", rate=span.rate, options=options)
        target.width, target.height = size
        target.pix_fmt = "yuv420p"
        target.codec_context.time_base = stream.time_base
        graph = _upright(stream, clip, size)
        for number, frame in enumerate(_frames(container, stream, clip)):
            frame.pts -= span.start
            graph.vpush(frame)
            output.mux(target.encode(graph.vpull()))
            report(min(1.0, (number + 1) / span.frames))
        output.mux(target.encode(None))


def _frames(container: Any, stream: Any, clip: Clip) -> Iterator[Any]:
    """The frames asked for, decoded from the key frame before them."""
    span, stop = clip.part.asked, clip.part.stop

    def decoded() -> Iterator[Any]:
        for packet in taken(container.demux(stream), clip.part, clip.whole):
            yield from packet.decode()
        yield from stream.codec_context.decode(None)

    return (frame for frame in decoded() if span.start <= frame.pts < stop)


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
