"""Markdown that is still being written: what changes on the page as text comes.

Only the open end of the text is read again. A block is finished, and never read again, once no
text that may follow can change it. An open fence is not read at all: its lines are passed on. Of an
open list or table only the last item or row is read, behind a short head that stands for what came
before it. Link definitions are the one thing that reaches back: a block that looked in vain for a
label is rendered again when the label is defined.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from app.ui.markdown import (
    LISTS,
    Definitions,
    Document,
    Rendered,
    Unit,
    items,
    normalise,
    read,
    render,
)
from app.ui.markdown_html import code_language, code_shell, is_closed, is_growing
from app.ui.open_rows import OpenRows, is_loose, take_rows

# Up to this many characters the open block is read at each call; a longer one when an eighth more
# has come, so that the whole cost stays proportional to the text.
LARGE = 8_192
_GROWTH = 8
# A line of these may still become a rule, an underline, a table's second row or a list item with
# text: shown at once, it would turn the paragraph before it into a heading for a moment.
_UNCLEAR_LINE = re.compile(r"[ \t]*(?:[-=*+_#>|:~`$ \t]*|\d{1,9}[.)]?[ \t]*|\\[\[(]?)")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_LAST_LINE_BLANK = re.compile(r"\n[ \t]*\Z")


@dataclass(frozen=True, slots=True)
class Block:
    """Set block `index` of the answer to `html`; it is new, or replaces the one there."""

    index: int
    html: str


@dataclass(frozen=True, slots=True)
class CodeText:
    """Append `text`, whole lines, to the code element in block `index`, as text."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class Item:
    """Set item `item` of the list, or row of the table's body, that is block `index`.

    `html` is a <ul>, <ol> or <table> around exactly one <li> or <tr>, which is to be taken out.
    """

    index: int
    item: int
    html: str


@dataclass(frozen=True, slots=True)
class Truncate:
    """The answer has only its first `blocks` blocks from now on."""

    blocks: int


Change: TypeAlias = Block | CodeText | Item | Truncate


@dataclass(frozen=True, slots=True)
class _Shown:
    """An open block as the page has it."""

    key: object  # what its HTML depends on: the same key needs no rendering
    rendered: Rendered
    missed: frozenset[str]


@dataclass(slots=True)
class _Fence:
    """An open fence at the left margin: its text so far, and how it ends."""

    source: list[str]
    closing: re.Pattern[str]


@dataclass(slots=True)
class _Finished:
    """A finished block that looked for labels in vain."""

    source: str
    html: str
    missed: frozenset[str]


class StreamingMarkdown:
    """The blocks of one answer while its text arrives.

    `append` is cheap and may be called at each delta; `changes` reads what has come. When is for
    the caller to say: an open block changes at each call, so 150 ms apart is often enough, while
    lines of code (`in_code`) cost next to nothing.
    """

    def __init__(self) -> None:
        self._fresh: list[str] = []
        self._ends_in_return = False
        self._tail = ""  # what stands from the start of the open block, or of its last item
        self._read_length = 0  # of the tail, when it was last read
        self._blank_line_came = False
        self._definitions: dict[str, Any] = {}
        self._finished_count = 0
        self._shown: list[_Shown] = []  # the open blocks, after the finished ones
        self._fence: _Fence | None = None
        self._rows: OpenRows | None = None
        self._waiting_for: dict[str, set[int]] = {}  # label -> finished blocks that lack it
        self._finished: dict[int, _Finished] = {}
        self._stale: set[int] = set()

    @property
    def in_code(self) -> bool:
        """Whether the text ends in an open fence, whose lines `changes` passes on at little cost."""
        return self._fence is not None

    def append(self, text: str) -> None:
        """Take more of the answer."""
        if self._ends_in_return:  # "\r\n" may come in two pieces
            text = "\r" + text
        self._ends_in_return = text.endswith("\r")
        if text := normalise(text.removesuffix("\r") if self._ends_in_return else text):
            self._fresh.append(text)

    def changes(self, *, final: bool = False) -> list[Change]:
        """What to do to the page, in this order, so that it shows the text that has come.

        With `final`, once, at the end of the text, the page's blocks become those of
        `render_blocks` for the whole text. Until then they are those of the text so far, except:
        an open fence has no colours and no unfinished line; a last line that may yet become
        another thing (`-`, `1.`, `|--`) waits; a link definition acts when its block is finished;
        a very long open block lags by up to an eighth of its length.
        """
        if final and self._ends_in_return:
            self._fresh.append("\n")
        fresh = "".join(self._fresh)
        self._fresh.clear()
        changes: list[Change] = []
        if fresh or final:
            self._take(fresh)
            again = True
            while again and (final or self._fence or self._is_due()):
                again = self._grow_fence(changes, final) if self._fence else self._read(
                    changes, final
                )
        self._refresh(changes, final)
        return changes

    def _take(self, fresh: str) -> None:
        if len(self._tail) >= LARGE and self._fence is None:
            edge = _LAST_LINE_BLANK.search(self._tail, max(0, len(self._tail) - LARGE))
            around = (edge[0] if edge else "") + fresh
            self._blank_line_came |= _BLANK_LINE.search(around) is not None
        self._tail += fresh

    def _is_due(self) -> bool:
        size = len(self._tail)
        if size < LARGE or self._read_length < LARGE:
            return size > 0
        if size - self._read_length >= self._read_length // _GROWTH:
            return True
        # An empty line ends most blocks, and then there is little left to read.
        return self._blank_line_came and not self._is_open_past_blank_lines

    # -- An open fence

    def _grow_fence(self, changes: list[Change], final: bool) -> bool:
        """Pass on the lines that came; True if the fence has ended and text after it remains."""
        fence = self._fence
        assert fence is not None
        end = self._tail.rfind("\n") + 1
        found = fence.closing.search(self._tail, 0, end)
        ...
