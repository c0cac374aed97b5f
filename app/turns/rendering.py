"""What a renderer of answers does for a run: Markdown text in, changes to blocks of HTML out.

The renderer itself belongs to the page and is passed in; these are the words between the two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias


@dataclass(frozen=True, slots=True)
class Block:
    """Block `index` of the answer is now this HTML."""

    index: int
    html: str


@dataclass(frozen=True, slots=True)
class CodeText:
    """The open code block `index` grows by this plain text."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class Item:
    """Item or row `item` of block `index` is now the only one that this HTML holds."""

    index: int
    item: int
    html: str


@dataclass(frozen=True, slots=True)
class Truncate:
    """Only the first `blocks` blocks are left."""

    blocks: int


Change: TypeAlias = Block | CodeText | Item | Truncate


class AnswerRenderer(Protocol):
    """Renders one growing answer."""

    def append(self, text: str) -> None:
        """More of the answer; cheap."""
        ...

    def changes(self, *, final: bool = False) -> Sequence[Change]:
        """What changed since the last call; with `final`, up to the full rendering."""
        ...


@dataclass(frozen=True, slots=True)
class Rendering:
    """The two ways to render an answer: as it grows, and whole (a list of safe HTML blocks)."""

    growing: Callable[[], AnswerRenderer]
    whole: Callable[[str], list[str]]
