"""Pictures and clips made for the tests."""

from __future__ import annotations

import base64
import io

import av
import numpy
from PIL import Image

_PICTURES = {"image/jpeg": "JPEG", "image/gif": "GIF", "image/webp": "WEBP", "image/bmp": "BMP"}
_CLIPS = {"video/mp4": ("mp4", "mpeg4"), "video/webm": ("webm", "vp8")}


def picture(
    mime: str = "image/png", size: tuple[int, int] = (320, 240), colour: str = "red"
) -> bytes:
    """A picture of one colour; a PNG where the type is not that of a picture."""
    written = io.BytesIO()
    Image.new("RGB", size, colour).save(written, _PICTURES.get(mime, "PNG"))
    return written.getvalue()


def clip(mime: str = "video/mp4", frames: int = 20) -> bytes:
    """A clip of 160 x 120 pixels and ten frames a second."""
    container_name, codec = _CLIPS[mime]
    written = io.BytesIO()
    with av.open(written, "w", format=container_name) as container:
        stream = container.add_stream(codec, rate=10)
        stream.width, stream.height, stream.pix_fmt = 160, 120, "yuv420p"
        for number in range(frames):
            pixels = numpy.full((120, 160, 3), number * 5, dtype=numpy.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        container.mux(stream.encode())
    return written.getvalue()


def data_url(data: bytes, mime: str) -> str:
    """The bytes as a base64 data URL."""
    return f"data:{mime};base64,{base64.b64encode(data).decode()}"
