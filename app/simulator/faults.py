"""Faults, asked for a request at a time by the header `X-Simulate`.

The header is a list of `name` or `name=value`, separated by semicolons. It is honoured from
loopback peers only. `chunk` below means a chunk with text or a piece of a call; the first
chunk, which only names the role, does not count.

| item | effect |
|---|---|
| `status=503` | answers with this status and an error body, before anything else |
| `retry-after=2` | with `status`: the header Retry-After |
| `times=2` | with `status`: only the first two requests of the same body and header |
| `delay=1.5` | seconds from getting a slot to the first chunk |
| `stall-after=20` | sends 20 chunks, then nothing; the connection stays open |
| `drop-after=20` | ends the body after 20 chunks, with no finish_reason and no [DONE] |
| `reset-after=20` | resets the connection after 20 chunks |
| `error-after=20` | an error event after 20 chunks, then [DONE] |
| `speed=50` | chunks a second, whatever their size |
| `chunk=3` | tokens a chunk |
| `reasoning=60000` | a thought of exactly so many characters |
| `answer=200000` | an answer of exactly so many characters, before the calls if there are any |
| `bench=400` | so many chunks, half thought, half an answer with headings, a list, a table, code |
| | and maths; at 50 chunks a second and 2.5 tokens a chunk unless said otherwise |
| `no-reasoning`, `only-reasoning` | without the one, or with nothing else |
| `unsplit` | the thought arrives as content, closed by `</think>` |
| `tool-text` | calls arrive as their markup in the answer, taken by no parser |
| `finish=abort` | ends with this finish_reason |
| `no-usage` | no usage, though asked for |
| `cached=128` | so many cached tokens in usage |
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from app.simulator.errors import ApiError

_MAX_CHARACTERS = 5_000_000
_MAX_CHUNKS = 1_000_000
_MAX_BENCH = 50_000


@dataclass(frozen=True, slots=True)
class Faults:
    """What one request asked for. None and False mean the usual behaviour."""

    status: int | None = None
    retry_after: float | None = None
    times: int | None = None
    delay: float = 0.0
    stall_after: int | None = None
    drop_after: int | None = None
    reset_after: int | None = None
    error_after: int | None = None
    speed: float | None = None
    chunk: float | None = None
    reasoning: int | None = None
    answer: int | None = None
    bench: int | None = None
    no_reasoning: bool = False
    only_reasoning: bool = False
    unsplit: bool = False
    tool_text: bool = False
    finish: str | None = None
    no_usage: bool = False
    cached: int | None = None


def _count(limit: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        value = int(text)
        if not 0 <= value <= limit:
            raise ValueError(text)
        return value

    return parse


def _amount(limit: float) -> Callable[[str], float]:
    def parse(text: str) -> float:
        value = float(text)
        if not (math.isfinite(value) and 0 < value <= limit):
            raise ValueError(text)
        return value

    return parse


def _status(text: str) -> int:
    value = int(text)
    if not 400 <= value <= 599:
        raise ValueError(text)
    return value


_VALUES: dict[str, Callable[[str], Any]] = {
    "status": _status,
    "retry-after": _amount(3600),
    "times": _count(1000),
    "delay": _amount(3600),
    "stall-after": _count(_MAX_CHUNKS),
    "drop-after": _count(_MAX_CHUNKS),
    "reset-after": _count(_MAX_CHUNKS),
    "error-after": _count(_MAX_CHUNKS),
    "speed": _amount(10_000),
    "chunk": _amount(1000),
    "reasoning": _count(_MAX_CHARACTERS),
    "answer": _count(_MAX_CHARACTERS),
    "bench": _count(_MAX_BENCH),
    "finish": str,
    "cached": _count(10_000_000),
}
_FLAGS = frozenset({"no-reasoning", "only-reasoning", "unsplit", "tool-text", "no-usage"})


def parse_faults(header: str) -> Faults:
    """The faults in a header's value; raises ApiError with the item that is wrong."""
    asked: dict[str, Any] = {}
    for item in filter(None, (part.strip() for part in header.split(";"))):
        name, _, value = item.partition("=")
        name = name.strip()
        try:
            asked[name.replace("-", "_")] = _parse_item(name, value.strip())
        except ValueError:
            message = f"X-Simulate: {item!r} is not understood. See app/simulator/faults.py."
            raise ApiError(message) from None
    return Faults(**asked)


def _parse_item(name: str, value: str) -> Any:
    if name in _FLAGS and not value:
        return True
    if name in _VALUES and value:
        return _VALUES[name](value)
    raise ValueError(name)
