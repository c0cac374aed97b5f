"""The slots of the model server: how many turns it is sent at once, and the line before them.

The engine batches a fixed number of sequences (`--max-num-seqs 16` in the preset); one more would
queue there unseen. Here the line is visible, in order, and each visitor has a share.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager


class Slots:
    """`total` turns at once, at most `share` of one visitor; first come, first served."""

    def __init__(self, total: int, share: int | None = None) -> None:
        self._total = total
        self._share = total if share is None else share
        self._running: Counter[str] = Counter()
        self._line: list[tuple[str, object]] = []
        self._change = asyncio.Event()

    @property
    def running(self) -> int:
        """Slots taken now."""
        return self._running.total()

    @property
    def total(self) -> int:
        """Slots there are."""
        return self._total

    @property
    def waiting(self) -> int:
        """Turns in the line."""
        return len(self._line)

    @asynccontextmanager
    async def hold(self, visitor: str, waiting: Callable[[int], None]) -> AsyncGenerator[None]:
        """A slot for as long as the block runs; it is given back however the block ends.

        While there is none, `waiting` is told how many are before this one, and again whenever
        the line moves.
        """
        place = (visitor, object())
        self._line.append(place)
        try:
            while self._next_in_line() is not place:
                waiting(self._line.index(place))
                await self._change.wait()
            self._running[visitor] += 1
        finally:
            self._line.remove(place)
            self._tell()
        try:
            yield
        finally:
            self._running[visitor] -= 1
            if not self._running[visitor]:
                del self._running[visitor]
            self._tell()

    def _next_in_line(self) -> tuple[str, object] | None:
        """The first whose visitor has not used up the share; nobody where all slots are taken."""
        if self.running >= self._total:
            return None
        return next((p for p in self._line if self._running[p[0]] < self._share), None)

    def _tell(self) -> None:
        self._change.set()
        self._change = asyncio.Event()
