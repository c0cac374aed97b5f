"""What a wait shows: a line for each phase with the time it took, and what it has cost so far.

At a terminal the last line counts on by itself; elsewhere, and at a terminal that cannot move its
cursor, each phase is one plain line.
"""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Self, cast

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from deploy.output import Output, fit


@dataclass(slots=True)
class _Phase:
    words: str
    billed: bool | None
    began_s: float
    ended_s: float | None = None


class Progress:
    """The phases of one wait, for as long as the block runs.

    `dollars_per_hour`, where it is known, is what billed phases are counted at; `clock` gives
    seconds.
    """

    def __init__(
        self,
        output: Output,
        dollars_per_hour: float | None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._output = output
        self._rate = dollars_per_hour
        self._clock = clock
        self._began_s = clock()
        self._phases: list[_Phase] = []
        console = Console(file=cast("IO[str]", _Terminal()))
        moves = console.is_terminal and not console.is_dumb_terminal
        self._live = Live(console=console, get_renderable=self._table) if moves else None

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end_phase()
        if self._live is not None:
            self._live.stop()

    def phase(self, words: str, *, billed: bool | None = None) -> None:
        """A phase begins, and the one before it ends; the same words again are no new phase.

        `billed` is None where nothing of the wait ever is.
        """
        if self._phases and self._phases[-1].words == fit(words):
            return
        self._end_phase()
        self._phases.append(_Phase(fit(words), billed, self._clock()))
        if self._live is None:
            was_billed = any(phase.billed for phase in self._phases[:-1])
            cost = f", {self.spent()} so far" if was_billed and self._rate is not None else ""
            self._output.note(f"{clock_text(self.elapsed_s())} {words}{cost}")

    def elapsed_s(self) -> float:
        """Seconds since the wait began."""
        return self._clock() - self._began_s

    def spent(self) -> str:
        """What the billed phases have cost, such as "about $10.42"; empty where that is unknown."""
        if self._rate is None:
            return ""
        billed_s = sum(self._seconds(phase) for phase in self._phases if phase.billed)
        return f"about ${billed_s / 3600 * self._rate:,.2f}"

    def _end_phase(self) -> None:
        if self._phases and self._phases[-1].ended_s is None:
            self._phases[-1].ended_s = self._clock()

    def _seconds(self, phase: _Phase) -> float:
        return (self._clock() if phase.ended_s is None else phase.ended_s) - phase.began_s

    def _table(self) -> Table:
        table = Table.grid(padding=(0, 2))
        table.add_column(justify="right")
        for phase in self._phases:
            words = phase.words if phase.billed is not False else f"{phase.words} (not billed)"
            table.add_row(clock_text(self._seconds(phase)), Text(words))
        if self._phases:
            table.add_row(clock_text(self.elapsed_s()), f"in all, {self.spent()}".rstrip(", "))
        return table


class _Terminal(io.TextIOBase):
    """Standard error as it was when the wait began; once its terminal is gone, nothing."""

    def __init__(self) -> None:
        self._stream = sys.stderr

    def isatty(self) -> bool:
        return self._stream is not None and self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()

    def write(self, text: str) -> int:
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()


def duration_text(seconds: float) -> str:
    """A length of time that was set, such as 15 minutes or 90 s."""
    minutes, rest = divmod(seconds, 60)
    if minutes < 2 or rest:
        return f"{seconds:g} s"
    return f"{minutes:g} minutes"


def clock_text(seconds: float) -> str:
    """Seconds as a clock shows them: 0:07, 12:03, 1:02:03."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
