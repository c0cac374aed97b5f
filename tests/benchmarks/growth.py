"""Whether a chunk costs more in a long chat, or in a long reply."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from statistics import median

from tests.benchmarks.clients import TurnClient
from tests.benchmarks.load import CHUNKS_A_SECOND
from tests.benchmarks.report import Figure, middle
from tests.benchmarks.stage import Stage

_TOLERANCE = 0.15
_REPETITIONS = 3
_CHATS = 8
_HISTORY = 200
_REPLIES = 4
_SHORT, _LONG = 5_000, 200_000
_SHORT_TURNS = 4
_LONG_SPEED = 300
"""Chunks a second of one long reply: 200,000 characters at fifty would take seven minutes."""


async def measure_history(stage: Stage, seconds: float) -> list[Figure]:
    """The same streams in new chats, and in chats of 200 messages."""
    old = [stage.visitor() for _ in range(_CHATS)]
    await stage.upstream.simulate("answer=40;no-reasoning;speed=10000")
    await _turns(old, _HISTORY // 2)
    await stage.upstream.simulate(f"bench={round(seconds * CHUNKS_A_SECOND)}")
    short: list[float] = []
    long: list[float] = []
    for _ in range(_REPETITIONS):
        new = [stage.visitor() for _ in range(_CHATS)]
        short.append(await stage.cost(stage.app, _turns(new)))
        long.append(await stage.cost(stage.app, _turns(old)))
    return _figures("1 message of history", short, f"{_HISTORY} messages", long)


async def measure_length(stage: Stage) -> list[Figure]:
    """Replies of 5k characters one after another, and replies of 200k, at the same rate."""
    visitors = [stage.visitor() for _ in range(_REPLIES)]
    shape = f"no-reasoning;speed={_LONG_SPEED}"
    await stage.upstream.simulate(f"answer={_SHORT};{shape}")
    short = [await stage.cost(stage.app, _turns(visitors, _SHORT_TURNS)) for _ in range(3)]
    await stage.upstream.simulate(f"answer={_LONG};{shape}")
    long = [await stage.cost(stage.app, _turns(visitors))]
    return _figures(f"reply of {_SHORT:,} characters", short, f"of {_LONG:,} characters", long)


async def _turns(visitors: Sequence[TurnClient], count: int = 1) -> None:
    """So many turns of each visitor, one after another, all visitors at once."""

    async def talk(visitor: TurnClient) -> None:
        for _ in range(count):
            await visitor.turn()

    await asyncio.gather(*map(talk, visitors))


def _figures(little: str, short: list[float], much: str, long: list[float]) -> list[Figure]:
    ratio = median(long) / median(short)
    low, high = 1 - _TOLERANCE, 1 + _TOLERANCE
    return [
        Figure(f"CPU a chunk, {little}", middle(short)),
        Figure(f"CPU a chunk, {much}", middle(long)),
        Figure(
            "CPU a chunk, the second of the first",
            f"{ratio:.2f}",
            f"{low:.2f} to {high:.2f}",
            low <= ratio <= high,
        ),
    ]
