"""The time allowed for a whole turn."""

from __future__ import annotations

import asyncio
import math
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
        self._now = asyncio.get_running_loop().time
        self._at = math.inf if seconds is None else self._now() + seconds

    async def limit(self, awaitable: Awaitable[_Result], seconds: float = math.inf) -> _Result:
        """What the awaitable gives.

        Raises TryFailedError once the turn's time is up, and TimeoutError after `seconds`.
        """
        at = min(self._at, self._now() + seconds)
        if at == math.inf:
            return await awaitable
        try:
            async with asyncio.timeout_at(at) as timeout:
                return await awaitable
        except TimeoutError:
            if at < self._at or not timeout.expired():
                raise
            message = f"The turn took longer than the {self._seconds:g} s allowed."
            raise TryFailedError(Failed("timed_out", None, message)) from None
