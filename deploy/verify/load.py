"""Checks of many answers at once: so many run, one more waits, and a stop lets it begin.

All three look at one and the same load: as many streams as the engine runs, and one more.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

from deploy.verify.check import Cost, Topic
from deploy.verify.outcomes import hold
from deploy.verify.shapes import Chunk
from deploy.verify.subject import Subject
from deploy.verify.wire import DONE, read_json

topic = Topic()

_TOKENS: Final = 4000
"""The most of each; all are stopped long before, once it is seen what there is to be seen."""

_PROMPT: Final = "Write 5000 words about the sea."
_PIECES: Final = 60
"""How many more pieces each stream brings while the one that waits is watched."""

_WHILE: Final = 200
"""How many more pieces of the others, after one was stopped, are time enough for the next."""

_BEGIN_S: Final = 120.0
_ADVANCE_S: Final = 60.0

_LOAD: Final = {"load": Cost(1, _TOKENS)}


@dataclass(frozen=True, slots=True)
class _Load:
    """What was seen: why not all ran at once, whether one more waited, and how long after a stop.

    None where it was not seen, or did not happen.
    """

    not_at_once: str | None = None
    waited: bool | None = None
    after_stop_s: float | None = None


@topic.check(
    "at_once", "{max_num_seqs} answers run at once", asks=_LOAD, per_sequence=True, costly=True
)
async def at_once(subject: Subject) -> str | None:
    """`--max-num-seqs`: all have begun, and all go on."""
    load = await _load(subject)
    hold(load.not_at_once is None, f"{load.not_at_once}; or others use the server too")
    return None


@topic.check(
    "one_more_waits",
    "one more than {max_num_seqs} waits",
    asks=_LOAD,
    per_sequence=True,
    costly=True,
)
async def one_more_waits(subject: Subject) -> str | None:
    """It has no text while the others go on; vLLM may send its headers at once."""
    load = await _load(subject)
    hold(load.waited is not None, "the others did not run, so that it had nothing to wait for")
    hold(load.waited, "it began while all the others ran")
    return None


@topic.check(
    "stop_frees", "a stop lets the next one begin", asks=_LOAD, per_sequence=True, costly=True
)
async def stop_frees(subject: Subject) -> str | None:
    """Hanging up is what stops an answer."""
    load = await _load(subject)
    hold(load.waited, "nothing waited, so that a stop let nothing begin")
    hold(load.after_stop_s is not None, "the next one had not begun a while after the stop")
    return f"it began {load.after_stop_s or 0:.1f} s after the stop"


class _Running:
    """One streamed answer, read as it comes by a `task` of its own."""

    def __init__(self, subject: Subject) -> None:
        # Whatever the model would like to say, it goes on until it is stopped.
        self._body = subject.body(_PROMPT, max_tokens=_TOKENS, stream=True, ignore_eos=True)
        self._wire = subject.wire
        self._pieces = 0
        self._arrival = asyncio.Condition()
        self.task = asyncio.create_task(self._read())

    @property
    def begun(self) -> bool:
        """Whether any of its text has come."""
        return self._pieces > 0

    async def advance(self, pieces: int) -> None:
        """Waits until so many more pieces have come."""
        wanted = self._pieces + pieces
        async with self._arrival:
            await self._arrival.wait_for(lambda: self._pieces >= wanted)

    async def stop(self) -> None:
        """Hangs up."""
        self.task.cancel()
        await asyncio.wait((self.task,))

    async def _read(self) -> None:
        async with self._wire.stream(self._body) as answer:
            async for data in answer.events():
                if data == DONE:
                    return
                choices = read_json(data, Chunk).choices
                if any(choice.delta.content or choice.delta.thoughts for choice in choices):
                    async with self._arrival:
                        self._pieces += 1
                        self._arrival.notify_all()


async def _load(subject: Subject) -> _Load:
    async def ask() -> _Load:
        async with _streams(subject, subject.promises.max_num_seqs) as running:
            return await _watch(subject, running)

    return await subject.once("load", ask)


@asynccontextmanager
async def _streams(subject: Subject, count: int) -> AsyncGenerator[list[_Running]]:
    """So many answers, stopped at the end with all that were added to them."""
    running = [_Running(subject) for _ in range(count)]
    try:
        yield running
    finally:
        await asyncio.gather(*(one.stop() for one in running))


async def _watch(subject: Subject, running: list[_Running]) -> _Load:
    """Adds one more to as many answers as the engine runs, then stops one of those."""
    first, *others = full = tuple(running)
    if not await _advance(full, 1, _BEGIN_S):
        if any(one.task.done() for one in full):
            return _Load("one ended before all had begun")
        return _Load(f"{sum(one.begun for one in full)} began in {_BEGIN_S:.0f} s")
    more = _Running(subject)
    running.append(more)
    if not await _advance(full, _PIECES, _ADVANCE_S):
        return _Load("all began, but not all of them went on")
    if more.begun:
        return _Load(waited=False)
    stopped_at = time.monotonic()
    await first.stop()
    begins = await _begins(more, others)
    after_stop_s = time.monotonic() - stopped_at if begins else None
    return _Load(waited=True, after_stop_s=after_stop_s)


async def _begins(more: _Running, others: Sequence[_Running]) -> bool:
    """Whether one more begins, at the latest when the others have gone on for a while."""
    begins = asyncio.create_task(_advance((more,), 1, _ADVANCE_S))
    go_on = asyncio.create_task(_advance(others, _WHILE, _ADVANCE_S))
    try:
        watched = (begins, go_on) if others else (begins,)
        await asyncio.wait(watched, return_when=asyncio.FIRST_COMPLETED)
        return begins.done() and begins.result()
    finally:
        for task in (begins, go_on):
            task.cancel()
        await asyncio.wait((begins, go_on))


async def _advance(running: Sequence[_Running], pieces: int, within_s: float) -> bool:
    """Whether each brings so many more pieces in the time, before any of them ends.

    Raises DifferenceError, or what the connection raises, where one of them is no stream.
    """
    tasks = [one.task for one in running]
    advance = asyncio.gather(*(one.advance(pieces) for one in running))
    try:
        watched: list[asyncio.Future[Any]] = [advance, *tasks]
        await asyncio.wait(watched, timeout=within_s, return_when=asyncio.FIRST_COMPLETED)
        ended = [task for task in tasks if task.done()]
        for task in ended:
            task.result()
        return advance.done() and not ended
    finally:
        advance.cancel()
        with suppress(asyncio.CancelledError):
            await advance
