"""Waking a model that Baseten has scaled to zero."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

from app.chat.events import Failed
from app.endpoint.connection import Connection
from app.endpoint.errors import TryFailedError
from app.endpoint.settings import EndpointSettings


async def wake(connection: Connection, settings: EndpointSettings) -> None:
    """Returns once the model answers.

    A request to it would be parked and lost again, so that it is asked something small in short
    turns. Raises TryFailedError where it refuses, or has not woken in `settings.wake_limit_s`.
    """
    try:
        async with asyncio.timeout(settings.wake_limit_s):
            await _still_asleep(connection.wake())
            while await _still_asleep(connection.check_ready()):  # noqa: ASYNC110, it is remote
                await asyncio.sleep(settings.wake_poll_s)
    except TimeoutError:
        minutes = f"{settings.wake_limit_s / 60:.0f} minutes"
        message = f"The model did not wake within {minutes}."
        raise TryFailedError(Failed("timed_out", None, message)) from None


async def _still_asleep(request: Awaitable[None]) -> bool:
    try:
        await request
    except TryFailedError as error:
        if not error.retryable and error.failure.kind != "timed_out":
            raise
        return True
    return False
