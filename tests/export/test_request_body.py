"""The body as it is shown."""

from __future__ import annotations

import copy

import pytest

from app.export import elided
from tests.export.bodies import BODIES, body, picture, user


def image(url: str) -> dict[str, object]:
    return {"type": "image_url", "image_url": {"url": url}}


@pytest.mark.parametrize("padding", ["", "=", "=="])
def test_a_picture_is_shown_by_its_beginning_and_its_bytes(padding: str) -> None:
    size = 3000 - len(padding)
    url = "data:image/png;base64,iVBORw0KGgoA" + "A" * (3988 - len(padding)) + padding
    shown = elided(body(user([image(url)])))["messages"][0]["content"][0]
    assert shown == image(f"data:image/png;base64,iVBORw0KGgoA…({size:,} bytes)")


def test_all_else_is_as_it_was_in_its_order() -> None:
    for sent in BODIES.values():
        before = copy.deepcopy(sent)
        shown = elided(sent)
        assert sent == before
        assert list(shown) == list(sent)
        if "data:" not in str(sent):
            assert shown == sent


@pytest.mark.parametrize(
    "url", ["https://a.test/cat.png", "data:image/png;base64,iVBORw0KGgoAAA==", "data:,text", ""]
)
def test_what_is_short_or_no_data_url_stays(url: str) -> None:
    sent = body(user([image(url)]))
    assert elided(sent) == sent


def test_a_data_url_in_a_text_is_a_text() -> None:
    sent = body(user(picture(20)))
    assert elided(sent) == sent
