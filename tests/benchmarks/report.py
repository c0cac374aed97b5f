"""What was measured, as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the report. `reached` is None where nothing was to be reached."""

    what: str
    measured: str
    target: str = ""
    reached: bool | None = None


def at_most(what: str, value: float, limit: float, unit: str = "", digits: int = 0) -> Figure:
    """A figure that is to be no more than a limit."""
    tail = f" {unit}" if unit else ""
    measured = f"{value:.{digits}f}{tail}"
    return Figure(what, measured, f"<= {limit:g}{tail}", value <= limit)


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of the values lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def middle(values: Sequence[float]) -> str:
    """A median with the values behind it, in microseconds."""
    listed = " / ".join(f"{value * 1e6:.0f}" for value in values)
    return f"{median(values) * 1e6:.0f} µs  ({listed})"


def table(figures: Sequence[Figure]) -> str:
    """All lines, columns aligned."""
    rows = [("what", "measured", "target", "reached")]
    words = {True: "yes", False: "NO", None: ""}
    rows += [(f.what, f.measured, f.target, words[f.reached]) for f in figures]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)
