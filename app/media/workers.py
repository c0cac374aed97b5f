"""The processes in which files are opened: ended when they take too long or nobody waits."""

from __future__ import annotations

import asyncio
import multiprocessing
import weakref
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from pebble import ProcessExpired, ProcessPool

from app.media import work

_T = TypeVar("_T")


class WorkerDied(Exception):  # noqa: N818 - it names what happened
    """A process ended by itself, as one does that a broken file or a lack of memory has crashed."""


class Workers:
    """A few processes, each for one piece of work: the next is ready when it comes.

    So nothing of one visitor's file is there when another's is opened, and each has all its memory:
    `memory` bytes that it may allocate. They start with the first piece of work, and import
    `app.media` alone.
    """

    def __init__(self, at_once: int, *, memory: int) -> None:
        self._at_once = at_once
        self._memory = memory
        self._pool: ProcessPool | None = None

    async def run(self, seconds: float, function: Callable[..., _T], *values: object) -> _T:
        """What the function returns or raises in a worker, within `seconds` from when it begins.

        When the caller is cancelled, the worker is ended, and another takes its place. Raises
        TimeoutError and WorkerDied.
        """
        try:
            return await self._schedule(seconds, function, values)
        except BrokenProcessPool:
            # A worker, perhaps another's, that dies before it has said what it works on takes the
            # pool along.
            return await self._schedule(seconds, function, values)

    async def _schedule(
        self, seconds: float, function: Callable[..., _T], values: tuple[object, ...]
    ) -> _T:
        if self._pool is None or not self._pool.active:
            broken, self._pool = self._pool, self._new_pool()
            # When this process ends, a pool that goes on would replace the workers that end too.
            weakref.finalize(self, _end, self._pool)
            if broken is not None:
                await asyncio.to_thread(_end, broken)
        try:
            return await asyncio.wrap_future(self._pool.schedule(function, values, timeout=seconds))
        except ProcessExpired as expired:
            raise WorkerDied(str(expired)) from None

    def _new_pool(self) -> ProcessPool:
        return ProcessPool(
            max_workers=self._at_once,
            max_tasks=1,
            initializer=work.confine,
            initargs=[self._memory],
            context=multiprocessing.get_context("spawn"),
        )


def _end(pool: ProcessPool) -> None:
    """Ends the workers of a pool, whatever they do."""
    pool.stop()  # type: ignore[no-untyped-call]
    pool.join()
