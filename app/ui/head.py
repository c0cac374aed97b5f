"""What the page asks of a browser's head: stylesheets, the icon, the token of its owner."""

from __future__ import annotations

from pathlib import Path

_STYLESHEETS = (
    "frame",
    "header",
    "controls",
    "transcript",
    "turn",
    "answer",
    "composer",
    "icons",
    "highlight",
)

_MODULES = (
    "announce",
    "api",
    "attachments",
    "chat",
    "composer",
    "follow",
    "header",
    "settings",
    "transcript",
    "turn",
)
"""Fetched ahead, so that the page does not ask for them one after another."""

_ASSETS = Path(__file__).resolve().parent.parent.parent / "assets"


def head() -> str:
    """The HTML for the head of the page. Its addresses are relative to the page's own."""
    start = (_ASSETS / "js" / "head.js").read_text(encoding="utf-8")
    return "\n".join(
        (
            f"<script>{start}</script>",
            '<meta name="color-scheme" content="light dark">',
            '<link rel="icon" type="image/svg+xml" href="own/favicon.svg">',
            *(f'<link rel="stylesheet" href="own/css/{name}.css">' for name in _STYLESHEETS),
            *(f'<link rel="modulepreload" href="own/js/{name}.mjs">' for name in _MODULES),
        )
    )


HEAD = head()
