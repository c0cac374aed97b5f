"""The results as lines for a reader, and as one value for programs."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from deploy.verify.check import Result

_COLUMNS: Final = 100
_INDENT: Final = " " * 10


def line(result: Result) -> str:
    """A result as it is told once the check ends."""
    told = f"{result.promise}: {result.seen}" if result.seen else result.promise
    head = f"{result.outcome:<8}  {result.name:<20}  "
    if len(head) + len(told) <= _COLUMNS:
        return f"{head}{told}"
    return "\n".join(
        (
            f"{head}{result.promise}",
            *textwrap.wrap(
                result.seen, _COLUMNS, initial_indent=_INDENT, subsequent_indent=_INDENT
            ),
        )
    )


def summary(results: Sequence[Result], total: int) -> str:
    """How the checks ended, in one line."""
    counts = Counter(result.outcome for result in results)
    told = f"{counts['pass']} pass, {counts['differs']} differ, {counts['skipped']} skipped"
    left = total - len(results)
    return f"{told}, {left} not made: it was interrupted." if left else f"{told}."


def as_json(results: Sequence[Result], total: int) -> dict[str, Any]:
    """The results as a value."""
    counts = Counter(result.outcome for result in results)
    return {
        "passed": counts["pass"],
        "differ": counts["differs"],
        "skipped": counts["skipped"],
        "not_made": total - len(results),
        "checks": [{**asdict(result), "seconds": round(result.seconds, 3)} for result in results],
    }
