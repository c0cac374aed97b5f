"""The time allowed for a whole turn."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from app.chat.events import Failed
from app.endpoint.errors import TryFailedError

_Result = TypeVar("_Result")


class Deadline:
    """Bounds each thing that a turn waits for, so that all of them fit into `seconds`.

    One timeout around the whole generator would not do: between two events it would fire in
    whoever reads them. None bounds nothing.
    """

    def __init__(self, seconds: float | None) -> None:
        self._seconds = seconds
        self._at = None if seconds is None else asyncio.get_running_loop().time() + seconds

    async def limit(self, awaitable: Awaitable[_Result]) -> _Result:
        """What the awaitable gives; raises TryFailedError once the turn's time is up."""
        if self._at is None:
            return await awaitable
        try:
            async with asyncio.timeout_at(self._at) as timeout:
                return await awaitable
        except TimeoutError:
            if not timeout.expired():
                raise
            message = f"The turn took longer than the {self._seconds:g} s allowed."
            raise TryFailedError(Failed("timed_out", None, message)) from None
