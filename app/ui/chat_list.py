"""The list of chats beside the conversation. It is empty here: `assets/js/chats.mjs` fills it."""

from __future__ import annotations

from typing import Literal, TypeAlias

from app.ui.island import Island
from app.ui.texts import named

Ending: TypeAlias = Literal["chats", "media"]
"""What ends when the Space restarts: all chats, or their pictures and clips alone."""


def build_chat_list(ending: Ending | None = None) -> None:
    """Puts the list onto the page, where its column stands. It says what ends, if anything does."""
    told = f'data-ending="{ending}" ' if ending else ""
    Island(
        "chats",
        template=f'<nav class="chats" {told}{named("chats.name")}></nav>',
        elem_id="chats",
    )
