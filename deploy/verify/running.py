"""Making the checks, one after the other."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from typing import Final

import httpx2

from deploy.verify.check import Check, OutcomeKind, Result
from deploy.verify.outcomes import DifferenceError, SkippedError
from deploy.verify.subject import Subject

_NOT_WANTED: Final = "it costs most, and nobody has said yes: --yes does"


async def results(
    checks: Sequence[Check], subject: Subject, *, timeout_s: float, with_costly: bool
) -> AsyncGenerator[Result]:
    """How each check ends, as it ends; a check may take `timeout_s`.

    Those that are costly are skipped unless they are wanted.
    """
    for check in checks:
        if check.costly and not with_costly:
            yield Result(check.name, check.promised(subject.promises), "skipped", _NOT_WANTED)
            continue
        began = time.monotonic()
        outcome, seen = await _made(check, subject, timeout_s)
        for _ in range(check.tries - 1):
            if outcome == "differs":
                outcome, seen = await _made(check, subject, timeout_s)
        seconds = time.monotonic() - began
        yield Result(check.name, check.promised(subject.promises), outcome, seen, seconds)


async def _made(check: Check, subject: Subject, timeout_s: float) -> tuple[OutcomeKind, str]:
    try:
        async with asyncio.timeout(timeout_s):
            return "pass", await check.body(subject) or ""
    except SkippedError as why:
        return "skipped", str(why)
    except DifferenceError as difference:
        return "differs", str(difference)
    except TimeoutError:
        return "differs", f"it did not end in {timeout_s:g} s"
    except (httpx2.HTTPError, OSError) as error:
        return "differs", f"the connection failed: {str(error) or type(error).__name__}"
