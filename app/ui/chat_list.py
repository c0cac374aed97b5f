"""The list of chats beside the conversation. It is empty here: `assets/js/chats.mjs` fills it."""

from __future__ import annotations

from app.ui.island import Island
from app.ui.texts import named


def build_chat_list() -> None:
    """Puts the list onto the page, where its column stands."""
    Island(
        "chats",
        template=f'<nav class="chats" {named("chats.name")}></nav>',
        elem_id="chats",
    )
