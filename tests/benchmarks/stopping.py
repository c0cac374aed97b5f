"""How soon the upstream is rid of a turn: after Stop, and after nobody listens any more."""

from __future__ import annotations

import time
from statistics import median

from tests.benchmarks.report import Figure, at_most, quantile
from tests.benchmarks.stage import GRACE_S, Stage

_STOPS = 20
_STOP_MS = 100
_LEAVINGS = 3


async def measure_stopping(stage: Stage) -> list[Figure]:
    """Stops and leaves streams in full flow, and asks the upstream when its socket closed."""
    await stage.upstream.simulate("bench=5000")
    stops = [await _stop(stage) * 1000 for _ in range(_STOPS)]
    leavings = [await _leave(stage) for _ in range(_LEAVINGS)]
    return [
        Figure("Stop to closed upstream, median", f"{median(stops):.0f} ms of {_STOPS}"),
        at_most("Stop to closed upstream, p95", quantile(stops, 0.95), _STOP_MS, "ms"),
        at_most(
            f"listener gone to closed upstream, grace {GRACE_S:g} s",
            max(leavings),
            GRACE_S + 1,
            "s",
            digits=2,
        ),
    ]


async def _stop(stage: Stage) -> float:
    """Seconds from DELETE to the upstream's end of the socket."""
    visitor = stage.visitor()
    run = await visitor.start()
    await visitor.listen_until_text(run)
    before = await stage.upstream.hang_ups()
    asked = time.monotonic()
    await visitor.stop(run)
    return await stage.upstream.next_hang_up(before, timeout_s=5) - asked


async def _leave(stage: Stage) -> float:
    """Seconds from the end of the only listener to the upstream's end of the socket."""
    visitor = stage.visitor()
    run = await visitor.start()
    before = await stage.upstream.hang_ups()
    await visitor.listen_until_text(run)
    left = time.monotonic()
    return await stage.upstream.next_hang_up(before, timeout_s=GRACE_S + 10) - left
