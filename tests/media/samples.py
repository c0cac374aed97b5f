"""Pictures and clips that the tests make: four quarters of known colours, of any kind."""

from __future__ import annotations

import io
import struct
from collections.abc import Mapping
from typing import Any

import av
import numpy as np
from PIL import Image

from app.media import PreparedMedia

RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)
QUARTERS = ("red", "green", "blue", "white")
"""The quarters of every sample, in reading order."""

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
) -> bytes:
    """An mp4 of still quarters."""
    out = io.BytesIO()
    with av.open(out, "w", format="mp4") as container:
        container.metadata.update(metadata or {})
        stream = container.add_stream(codec, rate=rate)
        stream.width, stream.height = width, height
        stream.pix_fmt = "yuvj420p" if codec == "mjpeg" else "yuv420p"
        audio = container.add_stream("aac", rate=44100) if sound else None
        for _ in range(frames):
            frame = av.VideoFrame.from_image(quarters(width, height))
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
        if audio is not None:
            _add_silence(container, audio)
    return out.getvalue()


def sound_only() -> bytes:
    """An mp4 with a second of silence."""
    out = io.BytesIO()
    with av.open(out, "w", format="mp4") as container:
        _add_silence(container, container.add_stream("aac", rate=44100))
    return out.getvalue()


def _add_silence(container: Any, stream: Any) -> None:
    silence = np.zeros((1, 44100), np.float32)
    frame = av.AudioFrame.from_ndarray(silence, format="fltp", layout="mono")
    frame.rate = 44100
    container.mux(stream.encode(frame))
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
