"""An answer's Markdown as it grows: which blocks of HTML changed since the last look."""

from __future__ import annotations

from app.turns.rendering import Block, Change, Truncate
from app.ui.markdown import render_blocks


class StreamingMarkdown:
    """Renders one growing answer."""

    def __init__(self) -> None:
        self._text = ""
        self._blocks: list[str] = []

    def append(self, text: str) -> None:
        """More of the answer; cheap."""
        self._text += text

    def changes(self, *, final: bool = False) -> list[Change]:
        """What changed since the last call."""
        blocks = render_blocks(self._text)
        changes: list[Change] = [
            Block(index, html)
            for index, html in enumerate(blocks)
            if index >= len(self._blocks) or self._blocks[index] != html
        ]
        if len(blocks) < len(self._blocks):
            changes.append(Truncate(len(blocks)))
        self._blocks = blocks
        return changes
