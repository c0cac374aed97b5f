"""The log of a run: numbered events as NDJSON lines, for any number of listeners at any time.

A listener that comes late, or again after a reload, gets all that still counts: an event that a
later one replaces leaves the log, so numbers grow with gaps.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Hashable
from typing import Any

import msgspec

HEARTBEAT_S = 5.0
_HEARTBEAT = b'{"type":"heartbeat"}\n'
_encode = msgspec.json.Encoder().encode


class EventLog:
    """Keeps the events of one run, encoded once, and wakes who listens.

    `on_audience` is called with the number of listeners whenever it changes.
    """

    def __init__(self, on_audience: Callable[[int], None] = lambda _: None) -> None:
        self._lines: list[bytes | None] = []
        self._replaceable: dict[Hashable, list[int]] = {}
        self._waiting: set[asyncio.Future[None]] = set()
        self._listeners = 0
        self._on_audience = on_audience
        self._ended = False

    @property
    def count(self) -> int:
        """How many events were added; the next one has this number."""
        return len(self._lines)

    @property
    def listeners(self) -> int:
        """How many listen now."""
        return self._listeners

    def append(self, kind: str, /, replaces: Hashable = None, **fields: Any) -> None:
        """Adds an event. Those added before under the same `replaces` key leave the log."""
        if replaces is not None:
            self.drop(replaces)
        self._add(kind, replaces, fields)

    def drop(self, key: Hashable) -> None:
        """What was added under the key does not count any more, for those who come later."""
        for number in self._replaceable.pop(key, ()):
            self._lines[number] = None

    def settle(self) -> None:
        """What was added so far stays: its keys are free for other things."""
        self._replaceable.clear()

    def extend(self, kind: str, /, belongs_to: Hashable, **fields: Any) -> None:
        """Adds an event that leaves the log together with those under the key it belongs to."""
        self._add(kind, belongs_to, fields)

    def end(self) -> None:
        """Adds the last event; listeners get it and are done."""
        self._add("end", None, {})
        self._ended = True

    async def lines(
        self, after: int = -1, heartbeat_s: float = HEARTBEAT_S
    ) -> AsyncGenerator[bytes, None]:
        """NDJSON, as many lines at a time as there are, from the event after number `after`.

        Waits for more until the run is over; a heartbeat line, without a number, goes out after
        each `heartbeat_s` seconds of silence.
        """
        self._listeners += 1
        self._on_audience(self._listeners)
        try:
            at = max(0, after + 1)
            while True:
                batch = b"".join(line for line in self._lines[at:] if line is not None)
                at = max(at, len(self._lines))
                if batch:
                    yield batch
                if at < len(self._lines):
                    continue
                if self._ended:
                    return
                if not await self._more(heartbeat_s):
                    yield _HEARTBEAT
        finally:
            self._listeners -= 1
            self._on_audience(self._listeners)

    async def _more(self, timeout_s: float) -> bool:
        future = asyncio.get_running_loop().create_future()
        self._waiting.add(future)
        try:
            done, _ = await asyncio.wait((future,), timeout=timeout_s)
        finally:
            self._waiting.discard(future)
        return bool(done)

    def _add(self, kind: str, key: Hashable, fields: dict[str, Any]) -> None:
        number = len(self._lines)
        if key is not None:
            self._replaceable.setdefault(key, []).append(number)
        self._lines.append(_encode({"n": number, "type": kind, **fields}) + b"\n")
        for future in self._waiting:
            if not future.done():
                future.set_result(None)
        self._waiting.clear()
