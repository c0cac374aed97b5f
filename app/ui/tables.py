"""Tables in Markdown, with a limit on the cells that rows leave out.

A row may be shorter than the header, and is then filled up: two characters of text can become
hundreds of cells. markdown-it stops at 65,536 of them, which take seconds to render.
"""

from __future__ import annotations

from collections.abc import Iterable

from markdown_it.rules_block import StateBlock
from markdown_it.rules_block import table as markdown_table

MAX_MISSING = 4_096


def table_rule(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    """markdown-it's rule; a table ends before the row that would exceed the limit.

    `env["missing_cells"]` is what rows left out that a table in the first line once had.
    """
    is_table = markdown_table(state, start_line, end_line, True)
    if silent or not is_table:
        return is_table
    header = _line(state, start_line)
    missing = state.env.get("missing_cells", 0) if start_line == 0 else 0
    for line in range(start_line + 2, end_line):
        if state.isEmpty(line):
            break
        missing += missing_cells(header, [_line(state, line)])
        if missing > MAX_MISSING:
            end_line = line
            break
    return markdown_table(state, start_line, end_line, False)


def missing_cells(header: str, rows: Iterable[str]) -> int:
    """About how many cells rows leave out: by the bars in them, which is enough for a limit."""
    columns = header.count("|")
    return sum(max(0, columns - row.count("|")) for row in rows)


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
