"""Highlighted code says what the code said, in colours that can be read."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

from app.ui.highlighting import MAX_LENGTH, highlight

CSS = Path(__file__).parents[2] / "assets" / "css" / "highlight.css"
GROUNDS = {":root": "#f4f4f5", ".dark": "#1c1c20"}


def text_of(html: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", html))


@pytest.mark.parametrize(
    "language", ["python", "json", "html", "bash", "diff", "console", "nothing", ""]
)
@pytest.mark.parametrize(
    "code", ["", "\n", "\n\nx = '<b>' & 1\n\n", "no end", "\tif x:\n  y\n", "é ≤ 😀\n"]
)
def test_the_text_stays_to_the_letter(language: str, code: str) -> None:
    assert text_of(highlight(code, language)) == code


def test_a_known_language_gets_classes_and_an_unknown_none() -> None:
    assert highlight("if", "python") == '<span class="k">if</span>'
    assert highlight("<if>", "no such language") == "&lt;if&gt;"


def test_very_long_code_stays_plain() -> None:
    assert "<span" not in highlight("x = 1\n" * (MAX_LENGTH // 6 + 1), "python")


@pytest.mark.parametrize(("scheme", "ground"), GROUNDS.items())
def test_every_colour_can_be_read(scheme: str, ground: str) -> None:
    [rules] = re.findall(
        rf"^{re.escape(scheme)} \{{(.*?)\}}", CSS.read_text(), re.MULTILINE | re.DOTALL
    )
    colours = re.findall(r"--code-\w+: (#[0-9a-f]{6});", rules)
    assert len(colours) >= 5
    for colour in colours:
        assert contrast(colour, ground) >= 4.5, colour


def contrast(one: str, other: str) -> float:
    """As WCAG 2.2 defines it."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
