"""What a file is, told from its first bytes: never from its name or a declared type."""

from __future__ import annotations

from typing import Final, Literal

from app.chat.messages import MediaKind

ClipFormat = Literal["mp4", "matroska"]
"""The two families of clips, by libav's names: mp4 with QuickTime, and Matroska with WebM."""

HEAD: Final = 512
"""Bytes from the beginning of a file that are enough to tell what it is."""

_PICTURES: Final = (
    b"\xff\xd8\xff",
    b"\x89PNG\r\n\x1a\n",
    b"GIF87a",
    b"GIF89a",
    b"II*\0",
    b"MM\0*",
    b"II+\0",  # TIFF with 64-bit offsets
    b"MM\0+",
)

_BMP_HEADERS: Final = frozenset({12, 40, 52, 56, 64, 108, 124})
"""Sizes of the header that follows the 14 bytes which begin a BMP."""

_PICTURE_BRANDS: Final = frozenset(
    {b"avif", b"avis", b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"}
)
"""Brands of the ISO base media format that are AVIF, HEIC or HEIF (ISO/IEC 23008-12)."""

_ISO_OTHERS: Final = {
    b"crx ": "a camera's raw picture",
    b"jp2 ": "a JPEG 2000 picture",
}
"""Brands of the ISO base media format (ISO/IEC 14496-12) that cannot be sent."""

_QUICKTIME_BOXES: Final = frozenset({b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot"})
"""Boxes with which an old QuickTime film begins, which has no brand."""

_OTHERS: Final = (
    (8, b"CR\x02\0", "a camera's raw picture"),
    (0, b"%PDF-", "a PDF document"),
    (0, b"PK\x03\x04", "a ZIP archive or an office document"),
    (8, b"AVI ", "an AVI clip"),
    (0, b"FLV\x01", "a Flash clip"),
    (0, b"<svg", "an SVG drawing"),
    (4, b"JXL ", "a JPEG XL picture"),
    (0, b"8BPS", "a Photoshop picture"),
)

_SOUNDS: Final = ((8, b"WAVE"), (0, b"ID3"), (0, b"fLaC"), (0, b"OggS"))

_THEORA: Final = b"\x80theora"


def sniff_kind(head: bytes) -> MediaKind | None:
    """Whether the bytes begin as a picture or a clip that can be sent; None for anything else.

    Pictures are JPEG, PNG, WebP, GIF, BMP, TIFF, HEIC and AVIF; clips are those of `sniff_clip`.
    """
    if head[8:12] == b"CR\x02\0":  # a camera's raw picture inside a TIFF
        return None
    if head.startswith(_PICTURES) or (head[:4] == b"RIFF" and head[8:12] == b"WEBP"):
        return "image"
    if head[:2] == b"BM" and int.from_bytes(head[14:18], "little") in _BMP_HEADERS:
        return "image"
    if head[4:8] == b"ftyp" and head[8:12] in _PICTURE_BRANDS:
        return "image"
    return "video" if sniff_clip(head) else None


def sniff_clip(head: bytes) -> ClipFormat | None:
    """The family of a clip, by its first bytes; None for anything else."""
    if head.startswith(b"\x1aE\xdf\xa3"):
        return "matroska"
    if head[4:8] == b"ftyp":
        return None if head[8:12] in _PICTURE_BRANDS or head[8:12] in _ISO_OTHERS else "mp4"
    is_old = head[:1] <= b"\x08" and head[4:8] in _QUICKTIME_BOXES  # else it may be a text
    return "mp4" if is_old else None


def is_sound(head: bytes) -> bool:
    """Whether the bytes begin as a recording without pictures: WAV, MP3, FLAC or Ogg."""
    begins = any(head[at : at + len(mark)] == mark for at, mark in _SOUNDS)
    return begins and _THEORA not in head


def name_of_kind(head: bytes) -> str | None:
    """What else the bytes plainly are, as a noun with its article; None where it is not known."""
    if head[4:8] == b"ftyp":
        return _ISO_OTHERS.get(head[8:12])
    if head.startswith(b"OggS"):
        return "an Ogg clip" if _THEORA in head else "an Ogg recording"
    for offset, signature, noun in _OTHERS:
        if head[offset : offset + len(signature)] == signature:
            return noun
    return None
