"""What the page asks of a browser's head: stylesheets, the icon, the token of its owner."""

from __future__ import annotations

from app.ui.own_files import ASSETS, OWN

_STYLESHEETS = (
    "frame",
    "header",
    "chats",
    "dialog",
    "controls",
    "tools",
    "tools_dialogs",
    "tools_form",
    "json_editor",
    "transcript",
    "message",
    "turn",
    "calls",
    "answer_tree",
    "notice",
    "editor",
    "menu",
    "answer",
    "composer",
    "files",
    "media",
    "queue",
    "meter",
    "tabs",
    "inspect",
    "timing",
    "replay",
    "transfers",
    "status",
    "icons",
    "highlight",
)

_MODULES = (
    "announce",
    "api",
    "attachments",
    "case_files",
    "chat",
    "chats",
    "composer",
    "files",
    "follow",
    "header",
    "message",
    "message_editor",
    "replay",
    "settings",
    "setup",
    "texts",
    "tools_panel",
    "transcript",
    "turn",
    "turn_actions",
)
"""Fetched ahead, so that the page does not ask for them one after another."""


def head() -> str:
    """The HTML for the head of the page. Its addresses are relative to the page's own."""
    start = (ASSETS / "js" / "head.js").read_text(encoding="utf-8")
    return "\n".join(
        (
            f"<script>{start}</script>",
            '<meta name="color-scheme" content="light dark">',
            f'<link rel="icon" type="image/svg+xml" href="{OWN}/favicon.svg">',
            *(f'<link rel="stylesheet" href="{OWN}/css/{name}.css">' for name in _STYLESHEETS),
            *(f'<link rel="modulepreload" href="{OWN}/js/{name}.mjs">' for name in _MODULES),
            f'<link rel="preload" as="fetch" crossorigin href="{OWN}/texts/en.json">',
        )
    )


HEAD = head()
