"""What follows a failed try: another one after a wait, or the end of the turn."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from app.chat.events import Failed, Waiting
from app.endpoint.errors import TryFailedError
from app.endpoint.looks import WAKING_MESSAGE
from app.endpoint.settings import EndpointSettings

_spread = random.SystemRandom()


def after_failure(
    error: TryFailedError, tries: int, took_s: float, settings: EndpointSettings
) -> Waiting | Failed:
    """The wait before the next try, or the failure that ends the turn.

    `tries` have been made; the last took `took_s`. The server's Retry-After counts where it is
    short enough; else the wait doubles with each try, up to a quarter of it left out at random
    so that many clients do not come back at once.
    """
    failure = error.failure
    if not error.retryable or tries >= settings.tries:
        return failure
    if settings.is_baseten and took_s > settings.parking_s:
        if failure.status == 500:
            return waking(tries + 1)
        if failure.status == 504:
            # Baseten's limit for a request, 1200 s: asked again, it would only be reached again.
            return failure
    asked = read_retry_after(error.retry_after, datetime.now(UTC))
    if asked is not None and asked > settings.retry_after_limit_s:
        told = (
            f"The server asks to wait {asked:.0f} s before the next try, "
            f"longer than the {settings.retry_after_limit_s:g} s that are waited."
        )
        return replace(failure, message=f"{failure.message} ({told})")
    backoff = settings.backoff_s * 2.0 ** (tries - 1) * _spread.uniform(0.75, 1.0)
    return Waiting("retry", tries + 1, backoff if asked is None else asked, failure.message)


def waking(attempt: int) -> Waiting:
    """The wait for a model that is waking up, before the try of this number."""
    return Waiting("waking", attempt, None, WAKING_MESSAGE, billed=True)


def read_retry_after(value: str | None, now: datetime) -> float | None:
    """Seconds to wait from a Retry-After header: a number of them, or an HTTP date.

    None where it says nothing that can be read. Source: RFC 9110, section 10.2.3.
    """
    if value is None:
        return None
    try:
        seconds = float(value)
        if seconds < 0:
            return None
    except ValueError:
        try:
            date = parsedate_to_datetime(value)
        except ValueError:
            return None
        # HTTP dates are in UTC, with or without saying so.
        seconds = (date.replace(tzinfo=date.tzinfo or UTC) - now).total_seconds()
    return max(0.0, seconds) if seconds < float("inf") else None
