"""`python -m tests.benchmarks`, which is `make bench`: how the app compares, as ratios.

All processes share one machine, so absolute figures depend on it; contenders take turns within a
run, and the ratios of their medians are what counts. The exit status is 1 where something could
not be measured, not where a target was missed: a busy machine is no failure.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
import time
from collections.abc import Awaitable, Callable

from tests.benchmarks.browser import measure_browser
from tests.benchmarks.growth import measure_history, measure_length
from tests.benchmarks.load import measure_load
from tests.benchmarks.report import Figure, table
from tests.benchmarks.stage import Stage, open_stage
from tests.benchmarks.stopping import measure_stopping

_LIMIT_S = 450.0
"""Seconds for everything; an undisturbed run takes about six minutes."""
NAMES = ("load", "history", "length", "browser", "stop")


async def measure(names: list[str], seconds: float) -> bool:
    """Measures what is named and prints it; returns whether all could be measured."""
    measures: dict[str, Callable[[Stage], Awaitable[list[Figure]]]] = {
        "load": lambda stage: measure_load(stage, seconds),
        "history": lambda stage: measure_history(stage, seconds),
        "length": measure_length,
        "browser": measure_browser,
        "stop": measure_stopping,
    }
    figures: list[Figure] = []
    failures = 0
    async with open_stage() as stage:
        deadline = asyncio.get_running_loop().time() + _LIMIT_S
        for name in names:
            print(f"Measuring: {name} ...", flush=True)
            try:
                async with asyncio.timeout_at(deadline):
                    figures += await measures[name](stage)
            except Exception as error:
                failures += 1
                reason = str(error) or type(error).__name__
                figures.append(Figure(name, f"not measured: {reason}"))
    print(f"\n{table(figures)}\n")
    if any(figure.reached is False for figure in figures):
        print("A target was missed. On a busy machine, measure again before looking for a cause.")
    return not failures


def main() -> int:
    """Reads the arguments and measures; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--only", choices=NAMES, action="append", help="may be repeated")
    parser.add_argument(
        "--seconds", type=float, default=8.0, metavar="N", help="length of a stream, default 8"
    )
    arguments = parser.parse_args()
    began = time.monotonic()

    async def run() -> bool:
        task = asyncio.current_task()
        if task is not None:
            # Ended from outside, it still ends the processes that it started.
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        return await measure(arguments.only or list(NAMES), arguments.seconds)

    measured = asyncio.run(run())
    print(f"That took {time.monotonic() - began:.0f} s.")
    return 0 if measured else 1


if __name__ == "__main__":
    sys.exit(main())
