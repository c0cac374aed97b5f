"""Waking a model that Baseten has scaled to zero."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Final

from app.chat.events import Failed
from app.endpoint.connection import Connection
from app.endpoint.errors import TryFailedError
from app.endpoint.settings import EndpointSettings
from app.endpoint.state import StateWatch

_SLOWING: Final = 1.25
"""Each pause between two polls is so many times the one before."""


async def wake(connection: Connection, watch: StateWatch, settings: EndpointSettings) -> None:
    """Returns once the model answers.

    A request to it would be parked, and lost when the parking ends: so its status is asked for,
    and only where that is not told the model itself, in short turns. Raises TryFailedError where
    it refuses or has failed, or has not woken in `settings.wake_limit_s`.
    """
    pause_s = settings.wake_poll_s
    try:
        async with asyncio.timeout(settings.wake_limit_s):
            await _answers(connection.wake())
            while not await _is_awake(connection, watch, settings):
                await asyncio.sleep(pause_s)
                pause_s = min(settings.wake_poll_limit_s, pause_s * _SLOWING)
    except TimeoutError:
        message = (
            f"The model did not wake within {settings.wake_limit_s / 60:.0f} minutes: "
            "look at its logs on Baseten, or send again later."
        )
        raise TryFailedError(Failed("timed_out", None, message)) from None


async def _is_awake(connection: Connection, watch: StateWatch, settings: EndpointSettings) -> bool:
    seen = await watch.state(max_age_s=settings.wake_poll_s)
    match seen.state:
        case "ready":
            return True
        case "unreachable":
            raise TryFailedError(Failed("server_error", None, seen.message, seen.request_id))
        case "unknown":
            return await _answers(connection.models())
    return False


async def _answers(request: Awaitable[object]) -> bool:
    """Whether a small request is answered. Raises TryFailedError where it is refused."""
    try:
        await request
    except TryFailedError as error:
        if not error.retryable and error.failure.kind != "timed_out":
            raise
        return False
    return True
