"""Pictures and clips that the tests make: four quarters of known colours, of any kind."""

from __future__ import annotations

import io
import struct
import tempfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import av
import numpy as np
from PIL import Image

from app.media import ImageLimits, PreparedMedia, VideoLimits, images, videos
from app.media.plan import plan_clip
from app.media.probe import probe
from app.media.wish import WHOLE, ClipWish

RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)
QUARTERS = ("red", "green", "blue", "white")
"""The quarters of every sample, in reading order."""

_PIXELS = {"mjpeg": "yuvj420p", "prores_ks": "yuv422p10le"}
_RATE = 48_000
_SOUND = {"webm": "libopus", "ogg": "libopus", "wav": "pcm_s16le", "flac": "flac", "mp3": "mp3"}

_NAMES = {"red": RED, "green": GREEN, "blue": BLUE, "white": WHITE}


def quarters(width: int = 64, height: int = 48) -> Image.Image:
    """Red and green above, blue and white below."""
    image = Image.new("RGB", (width, height), WHITE)
    image.paste(RED, (0, 0, width // 2, height // 2))
    image.paste(GREEN, (width // 2, 0, width, height // 2))
    image.paste(BLUE, (0, height // 2, width // 2, height))
    return image


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    """The picture as a file of this kind (Pillow's name for it)."""
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def prepare_image(data: bytes, name: str, limits: ImageLimits) -> PreparedMedia:
    """The picture made ready in this very process."""
    return images.prepare_image(io.BytesIO(data), name, limits)


def prepare_video(
    data: bytes, name: str, limits: VideoLimits, wish: ClipWish = WHOLE
) -> PreparedMedia:
    """The clip measured and made ready in this very process."""
    source = io.BytesIO(data)
    found = probe(source, name, wish, limits)
    plan = plan_clip(found, wish, name, limits)
    with tempfile.TemporaryDirectory() as folder:
        return videos.prepare_video(source, found, plan, Path(folder) / "clip.mp4", name, limits)


def png(width: int, height: int, depth: int, rows: bytes) -> bytes:
    """A PNG of these bits a channel in RGB, of rows as its filters left them."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        checksum = zlib.crc32(kind + body)
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", checksum)

    header = struct.pack(">IIBBBBB", width, height, depth, 2, 0, 0, 0)
    body = chunk(b"IDAT", zlib.compress(rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + body + chunk(b"IEND", b"")


def picture(media: PreparedMedia) -> Image.Image:
    """The picture that would be sent."""
    return Image.open(io.BytesIO(media.data))


def colours(image: Image.Image) -> tuple[str, ...]:
    """The nearest named colour in the middle of each quarter, in reading order."""
    rgb = image.convert("RGB")
    return tuple(
        _nearest(rgb.getpixel((rgb.width * across // 4, rgb.height * down // 4)))
        for down in (1, 3)
        for across in (1, 3)
    )


def _nearest(pixel: Any) -> str:
    return min(
        _NAMES, key=lambda name: sum(abs(a - b) for a, b in zip(pixel, _NAMES[name], strict=True))
    )


def clip(
    width: int = 64,
    height: int = 48,
    frames: int = 20,
    rate: int = 10,
    codec: str = "libx264",
    metadata: Mapping[str, str] | None = None,
    sound: bool = False,
    container: str = "mp4",
    options: Mapping[str, str] | None = None,
) -> bytes:
    """A clip of still quarters: an mp4, or in another container by libav's name for it."""
    out = io.BytesIO()
    with av.open(out, "w", format=container, options=dict(options or {})) as file:
        file.metadata.update(metadata or {})
        stream = file.add_stream(codec, rate=rate)
        stream.width, stream.height = width, height
        stream.pix_fmt = _PIXELS.get(codec, "yuv420p")
        audio = file.add_stream(_SOUND.get(container, "aac"), rate=_RATE) if sound else None
        for _ in range(frames):
            frame = av.VideoFrame.from_image(quarters(width, height))
            file.mux(stream.encode(frame))
        file.mux(stream.encode(None))
        if audio is not None:
            _add_silence(file, audio)
    return out.getvalue()


def numbered(
    frames: int = 40,
    rate: int = 10,
    codec: str = "libx264",
    container: str = "mp4",
    key_every: int = 10,
    reordered: bool = False,
    width: int = 64,
    height: int = 48,
    grain: int = 0,
) -> bytes:
    """A clip of grey frames, each lighter than the one before, by 6 of 255.

    Every so many are key frames; `reordered` ones between them are made from later ones as well.
    `grain` is how much its pixels are lighter at random, which takes bytes.
    """
    out = io.BytesIO()
    random = np.random.default_rng(0)
    options = {"bf": "3" if reordered else "0", "sc_threshold": "0", "crf": "10"}
    with av.open(out, "w", format=container) as file:
        stream = file.add_stream(codec, rate=rate, options=options)
        stream.width, stream.height = width, height
        stream.pix_fmt = _PIXELS.get(codec, "yuv420p")
        stream.codec_context.gop_size = key_every
        for number in range(frames):
            grey = random.integers(0, grain + 1, (height, width), np.uint8) + _grey(number)
            frame = av.VideoFrame.from_ndarray(np.stack([grey.astype(np.uint8)] * 3, 2), "rgb24")
            file.mux(stream.encode(frame))
        file.mux(stream.encode(None))
    return out.getvalue()


def numbers(media: PreparedMedia) -> list[int]:
    """Which frames of a numbered clip would be sent, in the order in which they are seen."""
    with av.open(io.BytesIO(media.data)) as container:
        seen = [frame.to_image().getpixel((8, 8)) for frame in container.decode(video=0)]
    return [round((level[0] - _grey(0)) / 6) for level in seen]


def _grey(number: int) -> int:
    return 10 + 6 * number


def sound_only(container: str = "mp4") -> bytes:
    """A second of silence: an mp4, or in another container by libav's name for it."""
    out = io.BytesIO()
    with av.open(out, "w", format=container) as file:
        _add_silence(file, file.add_stream(_SOUND.get(container, "aac"), rate=_RATE))
    return out.getvalue()


def _add_silence(container: Any, stream: Any) -> None:
    silence = np.zeros((1, _RATE), np.int16)
    frame = av.AudioFrame.from_ndarray(silence, format="s16", layout="mono")
    frame.rate = _RATE
    for resampled in av.AudioResampler(stream.format.name, "mono", _RATE).resample(frame):
        container.mux(stream.encode(resampled))
    container.mux(stream.encode(None))


def displayed_by(data: bytes, a: int, b: int, c: int, d: int) -> bytes:
    """The mp4 with another display matrix in its track header."""
    identity = _matrix(1, 0, 0, 1)
    at = data.index(identity, data.index(b"tkhd"))
    return data[:at] + _matrix(a, b, c, d) + data[at + len(identity) :]


def _matrix(a: int, b: int, c: int, d: int) -> bytes:
    one = 1 << 16
    return struct.pack(">9i", a * one, b * one, 0, c * one, d * one, 0, 0, 0, 1 << 30)


def first_frame(media: PreparedMedia) -> Image.Image:
    """The first frame of the clip that would be sent, as stored."""
    with av.open(io.BytesIO(media.data)) as container:
        return next(container.decode(video=0)).to_image()
