"""Markdown that is still being written: what changes on the page as text comes.

Only the open end of the text is read again. A block is finished, and not read again, once no text
that follows can change it. An open fence is not read at all: its lines are passed on. Of an open
list or table only the last item or row is read. Link definitions are the one thing that reaches
back: a block that looked in vain for a label is rendered again when the label is defined.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from dataclasses import dataclass

from markdown_it.token import Token

from app.ui.block_changes import Block, Change, CodeText, Item, Truncate, difference
from app.ui.block_ends import clear_length, count_finished, ends_at_blank_line
from app.ui.link_definitions import LinkDefinitions
from app.ui.markdown import (
    Definitions,
    Document,
    Rendered,
    Unit,
    normalise,
    read,
    render,
    render_items,
)
from app.ui.markdown_html import code_language, code_shell, is_growing
from app.ui.open_rows import Cut, OpenRows, find_cut
from app.ui.sanitising import sanitise

__all__ = ["Block", "Change", "CodeText", "Item", "StreamingMarkdown", "Truncate"]

# Up to this many characters the open block is read at each call; a longer one when an eighth more
# has come, so that all the reading stays proportional to the text.
LARGE = 2_048
_GROWTH = 8
# How many characters of finished blocks one call may render again for new link definitions.
_MOST_REFRESHED = 8_192
_BLANK_LINE = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class _Shown:
    """An open block as the page has it."""

    key: object  # all that its HTML depends on; None: to be rendered in any case
    rendered: Rendered
    missed: Set[str]


@dataclass(frozen=True, slots=True)
class _Fence:
    """An open fence at the margin: its text so far, and how it ends."""

    source: list[str]
    closing: re.Pattern[str]


class StreamingMarkdown:
    """The blocks of one answer while its text arrives.

    `append` is cheap and may be called at each delta; `changes` reads what has come. When is for
    the caller to say: an open block changes with each call, so 150 ms apart is often enough, while
    lines of code (`in_code`) cost next to nothing.
    """

    def __init__(self) -> None:
        self._fresh: list[str] = []
        self._ends_in_return = False
        self._tail = ""  # from the start of the open block, or of its last item
        self._read_length = 0  # of the tail, when it was last read
        self._blank_line_came = False  # since then,
        self._ends_at_blank_line = False  # which would end the open block
        self._links = LinkDefinitions()
        self._finished = 0  # blocks
        self._shown: list[_Shown] = []  # the open blocks, which follow the finished ones
        self._fence: _Fence | None = None
        self._rows: OpenRows | None = None

    @property
    def in_code(self) -> bool:
        """Whether the text ends in an open fence, whose lines `changes` passes on for little."""
        return self._fence is not None

    def append(self, text: str) -> None:
        """Take more of the answer."""
        if self._ends_in_return:  # the two characters of a line end may come apart
            text = "\r" + text
        self._ends_in_return = text.endswith("\r")
        if self._ends_in_return:
            text = text[:-1]
        if text:
            self._fresh.append(normalise(text))

    def changes(self, *, final: bool = False) -> list[Change]:
        """What to do to the page, in this order, so that it shows the text that has come.

        With `final`, at the end of the text, the page's blocks become those of `render_blocks` for
        the whole. Until then they are those of the text so far, except: an open fence has no
        colours and no unfinished line; a last line that may yet become another thing (`-`, `1.`,
        `|--`) waits; a link definition acts when its block is finished; a very long open block
        lags by up to an eighth of its length.
        """
        if final and self._ends_in_return:
            self._fresh.append("\n")
        changes: list[Change] = []
        if self._fresh or final:
            self._take("".join(self._fresh))
            self._fresh.clear()
            while final or self._fence or self._is_due():
                if not self._step(changes, final):
                    break
        changes += self._links.refresh(None if final else _MOST_REFRESHED)
        return changes

    def _take(self, fresh: str) -> None:
        if self._ends_at_blank_line and self._read_length >= LARGE:
            last_line = self._tail[self._tail.rfind("\n") :]
            around = (last_line if last_line.isspace() else "") + fresh
            self._blank_line_came |= _BLANK_LINE.search(around) is not None
        self._tail += fresh

    def _is_due(self) -> bool:
        grown = len(self._tail) - self._read_length
        return (
            self._read_length < LARGE
            or grown >= self._read_length // _GROWTH
            or self._blank_line_came
        )

    def _step(self, changes: list[Change], final: bool) -> bool:
        """Read what is open, once; True if there is more to read at once."""
        if self._fence:
            return self._pass_lines_on(self._fence, changes, final)
        rows = self._rows
        text = (rows.head if rows else "") + self._tail
        missing_cells = rows.missing_cells if rows else 0
        visible = text if final else text[: clear_length(text)]
        document = read(visible, self._links.known, missing_cells)
        complete = None if final else document.text.count("\n")
        finished = len(document.units) if complete is None else count_finished(document, complete)
        open_units = document.units[finished:]
        cut = find_cut(document, open_units[0], complete, rows) if complete and open_units else None
        last = len(document.line_offsets) - 1
        end = cut.line if cut else open_units[0].start if open_units else last
        defined = self._links.define(document, end)
        if rows and (rows.contradicted(document.units[0]) or not rows.missed.isdisjoint(defined)):
            self._read_rows_whole(rows)
            return True
        fence = _open_fence(document, open_units, complete) if complete else None
        self._show(document, complete, fence, changes)
        self._finish(document, finished)
        self._keep(text, document, open_units, cut, end)
        if fence:
            self._enter_fence(fence)
        return fence is not None

    def _show(
        self, document: Document, complete: int | None, fence: Token | None, changes: list[Change]
    ) -> None:
        """Bring the open blocks of the page to what the document says."""
        blocks = _blocks(document.units)
        for position, unit in enumerate(blocks):
            index = self._finished + position
            definitions = Definitions(self._links.known)
            if self._rows and position == 0:
                current = render_items(document, unit, definitions, complete, self._rows.head_items)
                changes += self._rows.update(index, current)
                self._rows.missed |= definitions.missed
                continue
            old = self._shown[position] if position < len(self._shown) else None
            grows = complete is not None and unit.end >= complete
            source = document.source(unit.start, unit.end)
            key = (unit.kind, source, grows, len(self._links.known))
            if old and old.key == key:
                continue
            if fence and unit.tokens[0] is fence:
                rendered = Rendered(sanitise(code_shell(code_language(fence.info), "")))
            else:
                rendered = render(document, unit, definitions, complete)
            changes += difference(index, old.rendered if old else None, rendered)
            self._shown[position : position + 1] = [_Shown(key, rendered, definitions.missed)]
        if len(blocks) < len(self._shown):
            del self._shown[len(blocks) :]
            changes.append(Truncate(self._finished + len(blocks)))

    def _finish(self, document: Document, units: int) -> None:
        """Let go of the blocks among the first units; only links in them may still change them."""
        blocks = _blocks(document.units[:units])
        for unit, shown in zip(blocks, self._shown, strict=False):
            missed, html = shown.missed, shown.rendered.html
            source = document.source(unit.start, unit.end)
            if rows := self._rows:
                missed, html = rows.missed, rows.rendered.html if rows.missed else ""
                source = "".join(rows.source) + source.removeprefix(rows.head)
                self._rows = None
            self._links.wait(self._finished, source, html, missed)
            self._finished += 1
        del self._shown[: len(blocks)]

    def _keep(
        self, text: str, document: Document, open_units: list[Unit], cut: Cut | None, end: int
    ) -> None:
        """Go on from the line `end`, where the open block or its last item begins."""
        if cut and not self._rows and not self._shown[0].rendered.items:  # shown as text
            cut, end = None, open_units[0].start
        head_length = len(self._rows.head) if self._rows else 0  # which is no part of the text
        self._tail = text[max(document.line_offsets[end], head_length) :]
        if cut and self._rows:
            self._rows.advance(document, open_units[0], cut)
        elif cut:
            shown = self._shown[0]
            self._rows = OpenRows.begin(document, open_units[0], cut, shown.rendered, shown.missed)
        self._read_length = len(self._tail)
        self._blank_line_came = False
        self._ends_at_blank_line = bool(open_units) and ends_at_blank_line(open_units[-1])

    def _read_rows_whole(self, rows: OpenRows) -> None:
        """Take a cut list or table together again, since finished items of it change."""
        self._shown[0] = _Shown(None, rows.rendered, rows.missed)
        self._tail = "".join(rows.source) + self._tail
        self._read_length = rows.whole_length
        self._ends_at_blank_line = self._blank_line_came = False
        self._rows = None

    def _enter_fence(self, fence: Token) -> None:
        end = self._tail.index("\n") + 1
        opening, self._tail = self._tail[:end], self._tail[end:]
        marker = re.escape(fence.markup[0])
        closing = rf"^ {{0,3}}{marker}{{{len(fence.markup)},}}[ \t]*$"
        self._fence = _Fence([opening], re.compile(closing, re.MULTILINE))

    def _pass_lines_on(self, fence: _Fence, changes: list[Change], final: bool) -> bool:
        """Show the lines of code that came; True if the fence has ended and is to be read."""
        end = self._tail.rfind("\n") + 1
        if final or fence.closing.search(self._tail, 0, end):
            self._tail = "".join(fence.source) + self._tail
            self._fence, self._read_length = None, 0
            return True
        if end:
            lines, self._tail = self._tail[:end], self._tail[end:]
            fence.source.append(lines)
            changes.append(CodeText(self._finished, lines))
        return False


def _blocks(units: Iterable[Unit]) -> list[Unit]:
    return [unit for unit in units if unit.kind != "definition"]


def _open_fence(document: Document, open_units: list[Unit], complete: int) -> Token | None:
    """The fence that is all that is open, if it is at the margin and its first line is whole."""
    if len(open_units) != 1 or open_units[0].kind != "fence":
        return None
    [unit] = open_units
    at_margin = document.source(unit.start, unit.end).startswith(("`", "~"))
    if at_margin and unit.start < complete and is_growing(unit.tokens[0], complete):
        return unit.tokens[0]
    return None
