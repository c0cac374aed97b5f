"""The texts of what Python draws of the page: in English, beside their keys.

All texts stand in `assets/texts/<language>.json`. Gradio would pick a language by the browser
alone, before any script of ours runs, so it cannot follow a reader's choice: the page is rendered
in English, and `assets/js/labels.mjs` puts the reader's language in its place by the keys.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path

from app.chat.templates import fill

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "texts"

LANGUAGES = ("en", "zh")
"""Those that a reader can choose from, by the names of their files."""


@cache
def texts(language: str) -> Mapping[str, str]:
    """All texts of a language by their keys; `language` is the name of its file."""
    loaded: dict[str, str] = json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    return loaded


def text(key: str, **values: str) -> str:
    """The English text of a key, its `{name}` placeholders filled. Raises KeyError for another."""
    return fill(texts("en")[key], values)


def word(key: str, css_class: str = "") -> str:
    """A text as HTML that knows its key."""
    styled = f'class="{css_class}" ' if css_class else ""
    return f'<span {styled}data-text="{key}">{escape(text(key))}</span>'


def titled(key: str) -> str:
    """The attributes of an element whose tooltip is a text."""
    return f'title="{escape(text(key))}" data-text-title="{key}"'


def named(key: str) -> str:
    """The attributes of an element whose name for a screen reader is a text."""
    return f'aria-label="{escape(text(key))}" data-text-label="{key}"'
