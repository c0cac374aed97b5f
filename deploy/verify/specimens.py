"""A small picture and a short clip to send, made here."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Final

import av
from PIL import Image

from app.chat.messages import Attachment, MediaKind
from app.media import data_url

_SIDE: Final = 224
"""Pixels: eight of the model's patches of 28."""

_FRAMES: Final = 16
_FRAME_RATE: Final = 8
"""Frames, and frames a second: two seconds, of which the model looks at four frames."""


@dataclass(frozen=True, slots=True)
class Specimen:
    """A picture or a clip, and the address under which it is sent."""

    attachment: Attachment
    url: str

    @classmethod
    def of(cls, data: bytes, kind: MediaKind, mime: str) -> Specimen:
        """The bytes of a medium."""
        attachment = Attachment(hashlib.sha256(data).hexdigest(), kind, len(data), mime=mime)
        return cls(attachment, data_url(data, mime))


@cache
def picture() -> Specimen:
    """A PNG of one colour."""
    written = io.BytesIO()
    Image.new("RGB", (_SIDE, _SIDE), (200, 40, 40)).save(written, "PNG")
    return Specimen.of(written.getvalue(), "image", "image/png")


@cache
def clip() -> Specimen:
    """An mp4, H.264, in which a colour brightens."""
    written = io.BytesIO()
    with av.open(written, "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=Fraction(_FRAME_RATE))
        stream.width = stream.height = _SIDE
        stream.pix_fmt = "yuv420p"
        for number in range(_FRAMES):
            image = Image.new("RGB", (_SIDE, _SIDE), (40, 60 + 10 * number, 200))
            frame = av.VideoFrame.from_image(image)  # type: ignore[no-untyped-call]
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return Specimen.of(written.getvalue(), "video", "video/mp4")
