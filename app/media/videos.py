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

from app.media.budget import seen_size, video_tokens
from app.media.limits import VideoLimits
from app.media.prepared import MediaRefused, PreparedMedia, megabytes
from app.media.probe import Abandoned, Clip, opened, probe
from app.media.sentences import MediaSentence

_COPIED: Final = frozenset({"h264", "hevc", "vp9", "av1"})
"""Codecs that go as they are; others inside an mp4 become H.264."""

_WATCHABLE_PIXELS: Final = 854 * 480
"""Pixels a frame below which a clip is not shrunk, however small the model sees it."""

_HIGHEST_RATE: Final = 50_000_000
"""Bits a second that encoding never exceeds."""


def prepare_video(
    data: bytes, name: str, limits: VideoLimits, stopped: Callable[[], bool] = lambda: False
) -> PreparedMedia:
    """The clip as it is sent; blocks. Raises MediaRefused.

    An mp4 whose picture track is copied without metadata, sound or other tracks. It is encoded
    again, as H.264 at the size that the model sees, only when it lies on its side, has too many
    pixels or bytes, or another codec than H.264, HEVC, VP9 or AV1. `stopped` is asked at each
    packet; when it says so, Abandoned is raised. The same bytes in give the same bytes out.
    """
    clip = probe(data, name, limits, stopped)
    size = _encoded_size(clip, limits)
    with tempfile.TemporaryDirectory(prefix="glm-clip-") as folder:
        path = Path(folder) / "clip.mp4"
        with opened(data, name, limits) as container:
            if size is None:
                _copy(container, clip, path, stopped)
            else:
                _check_work(clip, name, limits)
                _encode(container, clip, size, path, limits, stopped)
        sent = path.read_bytes()
    if len(sent) > limits.max_bytes:
        raise MediaRefused("too_large_shrunk", name, most=megabytes(limits.max_bytes))
    sent_size = size or clip.upright_size
    return PreparedMedia.of(
        sent,
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
        raise MediaRefused("too_much_work", name)


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


def _copy(container: Any, clip: Clip, path: Path, stopped: Callable[[], bool]) -> None:
    stream = container.streams[clip.stream]
    with _written(path) as output:
        target = output.add_stream_from_template(stream, opaque=True)  # AV1 has no encoder
        for packet in container.demux(stream):
            if stopped():
                raise Abandoned
            if packet.dts is None or packet.pts is None:  # the empty one that ends a track
                continue
            packet.pts -= clip.start
            packet.dts -= clip.start
            packet.stream = target
            output.mux(packet)


def _encode(
    container: Any,
    clip: Clip,
    size: tuple[int, int],
    path: Path,
    limits: VideoLimits,
    stopped: Callable[[], bool],
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
            if stopped():
                raise Abandoned
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
