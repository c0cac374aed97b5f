from __future__ import annotations

import pytest

from app.media import sniff_kind
from app.media.sniff import HEAD, is_sound, name_of_kind, sniff_clip
from tests.media.samples import clip, encoded, quarters, sound_only


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF", "AVIF", "HEIF"])
def test_pictures_are_known_by_their_first_bytes(kind):
    assert sniff_kind(encoded(quarters(), kind)[:HEAD]) == "image"


@pytest.mark.parametrize(
    ("container", "family"), [("mp4", "mp4"), ("mov", "mp4"), ("matroska", "matroska")]
)
def test_clips_are_known_by_their_first_bytes(container, family):
    head = clip(container=container)[:HEAD]
    assert (sniff_kind(head), sniff_clip(head)) == ("video", family)


def test_a_picture_in_boxes_is_no_clip():
    assert sniff_clip(encoded(quarters(), "HEIF")) is None
    assert sniff_clip(encoded(quarters(), "PNG")) is None


@pytest.mark.parametrize("container", ["ogg", "wav", "flac", "mp3"])
def test_recordings_are_known_to_be_sound(container):
    head = sound_only(container)[:HEAD]
    assert sniff_kind(head) is None
    assert is_sound(head)


@pytest.mark.parametrize(
    ("data", "noun"),
    [
        (b"%PDF-1.7\n", "a PDF document"),
        (b"PK\x03\x04rest", "a ZIP archive or an office document"),
        (b"II*\0\x10\0\0\0CR\x02\0", "a camera's raw picture"),
        (b"\0\0\0\x18ftypcrx \0\0\0\0crx isom", "a camera's raw picture"),
        (b"\0\0\0\x0cJXL \r\n\x87\n", "a JPEG XL picture"),
        (b"RIFF\0\0\0\0AVI LIST", "an AVI clip"),
        (b"OggS\0\x02" + bytes(22) + b"\x80theora", "an Ogg clip"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "an SVG drawing"),
        (b"Dear all,", None),
        (b"BMW is a maker of cars", None),
        (b"The free lunch", None),
        (b"", None),
    ],
)
def test_anything_else_is_no_kind_and_named_where_it_is_plain(data, noun):
    assert sniff_kind(data) is None
    assert not is_sound(data)
    assert name_of_kind(data) == noun
