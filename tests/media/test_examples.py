"""The pictures that come with the project are what it asks of everyone else's."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from app.media import MediaLimits, prepare

ASSETS = Path(__file__).parents[2] / "assets"
ICONS = sorted((ASSETS / "icons").glob("*.svg"))


async def test_the_example_picture_is_taken_as_it_is():
    data = (ASSETS / "examples/picture.png").read_bytes()
    media = await prepare(data, "picture.png", MediaLimits())
    assert media.notes == ()
    assert len(data) < 200_000
    assert (media.attachment.mime, media.attachment.width, media.attachment.height) == (
        "image/png",
        960,
        640,
    )


async def test_the_example_clip_is_taken_as_it_is():
    data = (ASSETS / "examples/clip.mp4").read_bytes()
    media = await prepare(data, "clip.mp4", MediaLimits())
    assert media.notes == ()
    assert len(data) < 400_000
    assert (media.attachment.width, media.attachment.height) == (640, 360)
    assert media.attachment.seconds == 5.0


def test_every_attachment_of_an_example_is_there():
    examples = json.loads((ASSETS / "examples/examples.json").read_text())
    attached = [example["attachment"] for example in examples if "attachment" in example]
    assert attached
    assert all((ASSETS / "examples" / name).is_file() for name in attached)


@pytest.mark.parametrize("path", ICONS, ids=lambda path: path.stem)
def test_every_icon_is_a_line_drawing_that_takes_the_colour_of_its_text(path):
    root = ElementTree.fromstring(path.read_text())
    assert root.get("viewBox") == "0 0 24 24"
    assert (root.get("stroke"), root.get("stroke-width")) == ("currentColor", "1.75")
    assert "#" not in path.read_text()


def test_every_icon_that_the_style_sheet_names_is_there():
    style = (ASSETS / "css/icons.css").read_text()
    named = {part.split('")')[0] for part in style.split('url("../icons/')[1:]}
    assert named
    assert named <= {path.name for path in ICONS}
