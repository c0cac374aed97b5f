"""Which blocks of a growing text no further text can change."""

from __future__ import annotations

import re

from app.ui.markdown import LISTS, Document, Unit
from app.ui.markdown_html import is_closed

# A line of these may still become a rule, an underline, a table's second row or a list item with
# text: shown at once, it would turn the paragraph before it into a heading for a moment.
_UNCLEAR = re.compile(r"[ \t]*(?:[-=*+_#>|:~`$ \t]*|\d{1,9}[.)]?[ \t]*|\\[\[(]?)")


def clear_length(text: str) -> int:
    """How much of the text to show: all, or all but a last line that may yet become anything."""
    start = text.rfind("\n") + 1
    return start if _UNCLEAR.fullmatch(text, start) else len(text)


def count_finished(document: Document, complete: int) -> int:
    """How many units at the start are finished, in a text of which `complete` lines came whole.

    A unit is finished when the next one has begun beyond doubt, or when an empty line or its own
    end closes it. A formula that is still open holds back the unit where it begins.
    """
    units = document.units
    for position, unit in enumerate(units):
        if document.undecided is not None and document.undecided < unit.end:
            return position
        if position + 1 < len(units):
            if _certain_after(units[position + 1]) > complete:
                return position
        elif not _has_ended(document, unit, complete):
            return position
    return len(units)


def _certain_after(unit: Unit) -> int:
    """How many lines must be whole for it to be certain that a unit begins where it does."""
    if unit.kind == "table":  # the second row makes it one
        return unit.start + 2
    return unit.end if unit.kind == "math_block" else unit.start + 1


def _has_ended(document: Document, unit: Unit, complete: int) -> bool:
    if unit.kind == "fence":
        return unit.end <= complete and is_closed(unit.tokens[0])
    if unit.kind in {"heading", "hr", "math_block"}:
        return unit.end <= complete
    if not ends_at_blank_line(unit):
        return False
    return unit.end < complete and not document.source(unit.end, unit.end + 1).strip()


def ends_at_blank_line(unit: Unit) -> bool:
    """Whether an empty line ends such a block for certain."""
    return unit.kind not in LISTS and unit.kind not in {"code_block", "fence", "unreadable"}
