"""What a file is, told from its first bytes: never from its name or a declared type."""

from __future__ import annotations

from app.chat.messages import MediaKind

_ISO_OTHERS = {
    b"qt  ": "a QuickTime film",
    b"avif": "an AVIF picture",
    b"avis": "an AVIF picture",
    b"heic": "a HEIC picture",
    b"heix": "a HEIC picture",
    b"heim": "a HEIC picture",
    b"heis": "a HEIC picture",
    b"hevc": "a HEIC picture",
    b"hevx": "a HEIC picture",
    b"mif1": "a HEIF picture",
    b"msf1": "a HEIF picture",
    b"crx ": "a camera's raw picture",
    b"jp2 ": "a JPEG 2000 picture",
}
"""Brands of the ISO base media format (ISO/IEC 14496-12) that are no mp4."""

_OTHERS = (
    (0, b"%PDF-", "a PDF document"),
    (0, b"PK\x03\x04", "a ZIP archive or an office document"),
    (0, b"II*\0", "a TIFF picture"),
    (0, b"MM\0*", "a TIFF picture"),
    (0, b"\x1aE\xdf\xa3", "a WebM or Matroska clip"),
    (8, b"AVI ", "an AVI clip"),
    (8, b"WAVE", "a sound recording"),
    (0, b"ID3", "a sound recording"),
    (0, b"OggS", "an Ogg recording"),
    (0, b"fLaC", "a sound recording"),
    (0, b"FLV\x01", "a Flash clip"),
    (0, b"<svg", "an SVG drawing"),
)


def sniff_kind(data: bytes) -> MediaKind | None:
    """Whether the bytes begin as a picture or a clip that can be sent; None for anything else.

    Pictures are JPEG, PNG, WebP and GIF; clips are mp4.
    """
    if data.startswith((b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF87a", b"GIF89a")):
        return "image"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image"
    if data[4:8] == b"ftyp" and data[8:12] not in _ISO_OTHERS:
        return "video"
    return None


def name_of_kind(data: bytes) -> str | None:
    """What else the bytes plainly are, as a noun with its article; None where it is not known."""
    if data[4:8] == b"ftyp":
        return _ISO_OTHERS.get(data[8:12])
    if data[:2] == b"BM" and data[6:10] == bytes(4):
        return "a BMP picture"
    for offset, signature, noun in _OTHERS:
        if data[offset : offset + len(signature)] == signature:
            return noun
    return None
