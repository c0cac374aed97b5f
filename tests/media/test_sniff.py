from __future__ import annotations

import pytest

from app.media import sniff_kind
from app.media.sniff import name_of_kind
from tests.media.samples import clip, encoded, quarters


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF"])
def test_pictures_are_known_by_their_first_bytes(kind):
    assert sniff_kind(encoded(quarters(), kind)) == "image"


def test_an_mp4_is_known_by_its_brand():
    assert sniff_kind(clip()) == "video"


@pytest.mark.parametrize(
    ("data", "noun"),
    [
        (b"%PDF-1.7\n", "a PDF document"),
        (b"PK\x03\x04rest", "a ZIP archive or an office document"),
        (encoded(quarters(), "BMP"), "a BMP picture"),
        (encoded(quarters(), "TIFF"), "a TIFF picture"),
        (encoded(quarters(), "AVIF"), "an AVIF picture"),
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "a HEIC picture"),
        (b"\0\0\0\x14ftypqt  \0\0\0\0qt  ", "a QuickTime film"),
        (b"\x1aE\xdf\xa3\x01\0\0\0", "a WebM or Matroska clip"),
        (b"RIFF\0\0\0\0AVI LIST", "an AVI clip"),
        (b"RIFF\0\0\0\0WAVEfmt ", "a sound recording"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "an SVG drawing"),
        (b"Dear all,", None),
        (b"BMW is a maker of cars", None),
        (b"", None),
    ],
)
def test_anything_else_is_no_kind_and_named_where_it_is_plain(data, noun):
    assert sniff_kind(data) is None
    assert name_of_kind(data) == noun
