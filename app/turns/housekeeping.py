"""What is thrown away on a schedule: chats nobody came back to, media of no chat."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from app.store.chats import ChatStore
from app.store.media import MediaStore

_EVERY_S = 3600.0
_DAY_S = 86_400.0
_UNSENT_DAYS = 7.0
"""Days that a picture is kept which was attached and never sent."""

logger = logging.getLogger(__name__)


class Housekeeping:
    """Sweeps once at the start and then every hour.

    `keep_days` is how long a chat is kept after its last change, None for ever.
    """

    def __init__(self, chats: ChatStore, media: MediaStore, *, keep_days: float | None) -> None:
        self._chats = chats
        self._media = media
        self._keep_days = keep_days

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """At work for as long as the block runs."""
        task = asyncio.create_task(self._sweep_for_ever(), name="housekeeping")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait((task,))

    async def sweep(self) -> None:
        """Throws away what is due."""
        now = time.time()
        before = None if self._keep_days is None else now - self._keep_days * _DAY_S
        await self._chats.expire(before)
        await self._media.expire(now - _UNSENT_DAYS * _DAY_S)

    async def _sweep_for_ever(self) -> None:
        while True:
            try:
                await self.sweep()
            except Exception:
                logger.exception("Old chats could not be thrown away; it is tried again later")
            await asyncio.sleep(_EVERY_S)
