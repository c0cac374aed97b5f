"""Whether a file is all there, by the sizes and places that it declares itself.

Decoders often take what there is of a cut file and say nothing.
"""

from __future__ import annotations

import io
import struct
from typing import BinaryIO, Final, Literal

Wholeness = Literal["whole", "cut", "broken"]

_SEGMENT: Final = 0x18538067
_CLUSTER: Final = 0x1F43B675


def iso_wholeness(source: BinaryIO, index: bytes) -> Wholeness:
    """Of an mp4, a QuickTime film, a HEIC or an AVIF: `index` is the box that it cannot lack.

    Boxes are a 32-bit size and four letters; size 1 means a 64-bit size follows, 0 means up to the
    end (ISO/IEC 14496-12, 4.2).
    """
    end, offset, is_indexed = _length(source), 0, False
    while offset + 8 <= end:
        source.seek(offset)
        head = source.read(16)
        size, kind = struct.unpack_from(">I4s", head)
        is_indexed = is_indexed or kind == index
        if size == 1 and len(head) == 16:
            size = struct.unpack_from(">Q", head, 8)[0]
        elif size == 0:
            size = end - offset
        if size < 8:  # what follows the boxes is not read
            return "whole" if is_indexed else "broken"
        offset += size
    return "whole" if offset <= end and is_indexed else "cut"


def matroska_wholeness(source: BinaryIO) -> Wholeness:
    """Of a Matroska or WebM clip: its segment, or where that is live, each of its clusters.

    An element is an id, a size and that many bytes; a size of ones alone is unknown, as what is
    written live has it, and goes up to the end (RFC 8794, 5 and 6).
    """
    end, offset = _length(source), 0
    while offset < end:
        element = _element(source, offset)
        if element is None:
            return "cut" if offset + 12 > end else "broken"
        kind, body, size = element
        if size is None:
            if kind == _CLUSTER:
                return "whole"
            offset = body  # a live segment: its children are looked at
        elif body + size > end:
            return "cut"
        elif kind == _SEGMENT:
            return "whole"
        else:
            offset = body + size
    return "whole"


def tiff_wholeness(source: BinaryIO) -> Wholeness:
    """Of a TIFF: whether its first directory lies within it (TIFF 6.0, section 2)."""
    end = _length(source)
    source.seek(0)
    head = source.read(16)
    order: Literal["little", "big"] = "little" if head.startswith(b"II") else "big"
    is_wide = b"+" in head[2:4]
    place = int.from_bytes(head[8:16] if is_wide else head[4:8], order)
    return "whole" if place + 2 <= end else "cut"


def _length(source: BinaryIO) -> int:
    return source.seek(0, io.SEEK_END)


def _element(source: BinaryIO, offset: int) -> tuple[int, int, int | None] | None:
    """The id of the element there, where its body begins and the body's size."""
    source.seek(offset)
    head = source.read(12)
    kind_length = _vint_length(head, 0)
    if kind_length is None or kind_length > 4:
        return None
    size_length = _vint_length(head, kind_length)
    if size_length is None:
        return None
    body = kind_length + size_length
    if body > len(head):
        return None
    ones = (1 << 7 * size_length) - 1
    size = int.from_bytes(head[kind_length:body], "big") & ones
    kind = int.from_bytes(head[:kind_length], "big")
    return kind, offset + body, None if size == ones else size


def _vint_length(head: bytes, at: int) -> int | None:
    """Bytes of the number that begins there: one more than the zeros before its first one."""
    if at >= len(head) or head[at] == 0:
        return None
    return 9 - head[at].bit_length()
