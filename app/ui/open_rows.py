"""An open list or table of which only the last item or row is still read.

What came before is replaced by a short head. A list's head is an item of the same kind, written so
that markdown-it finds the rest of the list as tight or as loose as the items it stands for leave
it; whether its paragraph is hidden then tells how the whole list is. A table's head is its first
two lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from app.ui.block_changes import Block, Change, item_change
from app.ui.markdown import LISTS, Document, Rendered, Unit, items, read
from app.ui.tables import missing_cells

# Four spaces put the text at column 5 or more: no item at the margin can be taken for a child.
_PROBE_GAP = "    "
_BLANK_LINE = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class Cut:
    """Where an open list or table can be cut: before its item `item`, which begins at `line`."""

    item: int
    line: int


@dataclass(slots=True)
class OpenRows:
    """The items of an open list or table: those finished, and those on the page."""

    kind: str
    head: str
    source: list[str]  # the text of the finished items, with what stands before the first
    finished: int
    before: str
    after: str
    shown: list[str]  # the HTML of every item on the page
    loose: bool | None  # as the page shows it; None while no item has a paragraph of its own
    head_is_loose: bool
    missing_cells: int  # of the finished rows
    missed: set[str]  # labels without a definition
    whole_length: int  # of the text when it was last read as a whole

    @classmethod
    def begin(
        cls, document: Document, unit: Unit, cut: Cut, shown: Rendered, missed: Set[str]
    ) -> OpenRows:
        """Cut a list or table for the first time; the page has it as `shown`."""
        taken = document.source(unit.start, cut.line)
        head, is_loose = _head(document, unit, taken, loose=False)
        return cls(
            kind=unit.kind,
            head=head,
            source=[taken],
            finished=cut.item,
            before=shown.before,
            after=shown.after,
            shown=list(shown.items),
            loose=_looseness(unit),
            head_is_loose=is_loose,
            missing_cells=_missing_cells(head, taken.removeprefix(head), unit),
            missed=set(missed),
            whole_length=len(document.text),
        )

    def advance(self, document: Document, unit: Unit, cut: Cut) -> None:
        """Cut again, later; the document is that of the head and what followed it."""
        taken = document.source(_first_lines(unit)[self.head_items], cut.line)
        if self.kind in LISTS:
            self.head, self.head_is_loose = _head(document, unit, taken, loose=self.head_is_loose)
        self.missing_cells += _missing_cells(self.head, taken, unit)
        self.source.append(taken)
        self.finished += cut.item - self.head_items

    @property
    def head_items(self) -> int:
        """How many items of the document belong to the head."""
        return 1 if self.kind in LISTS else 0

    @property
    def rendered(self) -> Rendered:
        """The block as the page has it."""
        return Rendered(self.before, tuple(self.shown), self.after)

    def contradicted(self, unit: Unit) -> bool:
        """Whether finished items would look otherwise, now that the text gives `unit`."""
        if unit.kind != self.kind:
            return True
        if self.kind == "table":
            return False
        loose = _looseness(unit)
        if self.loose is None:
            self.loose = loose
        return loose != self.loose

    def update(self, index: int, current: Sequence[str]) -> Iterator[Change]:
        """Put the items that are not finished on the page; block `index` holds them."""
        if self.finished + len(current) < len(self.shown):
            self.shown[self.finished :] = current
            yield Block(index, self.rendered.html)
            return
        for position, html in enumerate(current, self.finished):
            if self.shown[position : position + 1] != [html]:
                self.shown[position : position + 1] = [html]
                yield item_change(index, position, self.before, html)


def find_cut(document: Document, unit: Unit, complete: int, rows: OpenRows | None) -> Cut | None:
    """Before the last item that has certainly begun, if items before it are thereby finished."""
    if unit.kind not in LISTS and unit.kind != "table":
        return None
    first = rows.head_items if rows else 0
    cut = None
    for position, line in enumerate(_first_lines(unit)):
        begun = line < complete and (document.undecided is None or line <= document.undecided)
        if begun and position > first:
            cut = Cut(position, line)
    return cut


def _head(document: Document, unit: Unit, taken: str, *, loose: bool) -> tuple[str, bool]:
    if unit.kind == "table":
        return document.source(unit.start, unit.start + 2), False
    number = "1" if unit.kind == "ordered_list" else ""
    probe = f"{number}{unit.tokens[0].markup}{_PROBE_GAP}x\n"
    if not loose and _BLANK_LINE.search(taken):
        loose = bool(_looseness(read(probe + taken + probe, {}).units[0]))
    return (probe + "\n" if loose else probe), loose


def _looseness(unit: Unit) -> bool | None:
    """Whether a list's items are set apart as paragraphs; None if none has a paragraph."""
    for token in unit.tokens:
        if token.level == 2 and token.type == "paragraph_open":
            return not token.hidden
    return None


def _first_lines(unit: Unit) -> list[int]:
    return [(tokens[0].map or [0])[0] for tokens in items(unit)]


def _missing_cells(head: str, rows: str, unit: Unit) -> int:
    return missing_cells(head.split("\n")[0], rows[:-1].split("\n")) if unit.kind == "table" else 0
