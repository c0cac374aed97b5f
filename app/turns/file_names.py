"""Names of files: those that come with an upload, and those under which a chat is saved."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_MOST_CHARACTERS: Final = 80
_UNSAFE: Final = frozenset('<>:"/\\|?*')
"""What a name of a file cannot hold on some system."""


def plain_name(name: str | None) -> str:
    """The file's own name without folders and control characters, at most 120 characters."""
    last = (name or "").replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(c for c in last if c.isprintable())[:120]


def saved_name(title: str) -> str:
    """What every system takes as the name of a file, for a chat of this title; no ending.

    The page names what it saves by the same rule (`download.mjs`).
    """
    plain = "".join(
        " " if c in _UNSAFE or unicodedata.category(c).startswith("C") else c for c in title
    )
    plain = re.sub(r"\s+", " ", plain)
    return plain[:_MOST_CHARACTERS].strip(" .") or "chat"
