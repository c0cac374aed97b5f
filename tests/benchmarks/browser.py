"""What a long thought costs the browser, and what the server does when its tab is closed."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from playwright.async_api import CDPSession, Page, async_playwright

from tests.benchmarks.clients import PROMPT
from tests.benchmarks.processes import NotMeasuredError
from tests.benchmarks.report import Figure, at_most
from tests.benchmarks.stage import GRACE_S, Stage

_CHARACTERS = 60_000
_CHUNK, _SPEED = 3, 100
"""300 tokens a second."""
_BUSY_PERCENT = 20
_ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_THINKING = "[data-testid=reasoning][data-state=live]"
_THOUGHT = "[data-testid=reasoning][data-state=done]"


@dataclass(frozen=True, slots=True)
class _Share:
    """Of the seconds that something took, what the page's main thread spent on it.

    `busy` is its CPU time; `occupied` adds the time for which others kept it off the processor in
    the middle of a task.
    """

    busy: float
    occupied: float
    seconds: float


async def measure_browser(stage: Stage) -> list[Figure]:
    """A thought of 60k characters at 300 tokens a second, then a tab closed in mid-stream."""
    async with _page(stage) as page:
        share = await _think(stage, page)
        closed = await _close_tab(stage, page)
    occupied = f"{share.occupied * 100:.1f} %, preemption by others included"
    return [
        Figure("a thought of 60,000 characters", f"shown whole in {share.seconds:.0f} s"),
        at_most("busy main thread, CPU time", share.busy * 100, _BUSY_PERCENT, "%", digits=1),
        Figure("busy main thread, wall time", occupied),
        at_most(
            f"tab closed to closed upstream, grace {GRACE_S:g} s",
            closed,
            GRACE_S + 1,
            "s",
            digits=2,
        ),
    ]


@asynccontextmanager
async def _page(stage: Stage) -> AsyncGenerator[Page]:
    found = next((path for name in _NAMES if (path := shutil.which(name))), None)
    if found is None:
        raise NotMeasuredError("There is no Chromium on PATH: install one.")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=found, args=_ARGUMENTS)
        try:
            page = await browser.new_page(viewport={"width": 1440, "height": 900})
            await page.goto(stage.app.program.url)
            await page.get_by_test_id("message").wait_for()
            yield page
        finally:
            await browser.close()


async def _think(stage: Stage, page: Page) -> _Share:
    """What the main thread does from the thought's first words to its last."""
    shape = f"reasoning={_CHARACTERS};answer=200;chunk={_CHUNK};speed={_SPEED}"
    await stage.upstream.simulate(shape)
    devtools = await page.context.new_cdp_session(page)
    await devtools.send("Performance.enable")
    await page.get_by_test_id("message").fill(PROMPT)
    await page.keyboard.press("Enter")
    await page.wait_for_selector(_THINKING)
    before = await _metrics(devtools)
    await page.wait_for_selector(_THOUGHT, state="attached", timeout=180_000)
    after = await _metrics(devtools)
    text = await page.text_content(f"{_THOUGHT} .thought-text") or ""
    if len(text) != _CHARACTERS:
        raise NotMeasuredError(f"The page shows {len(text):,} characters of {_CHARACTERS:,}.")
    seconds = after["Timestamp"] - before["Timestamp"]
    return _Share(
        busy=(after["ThreadTime"] - before["ThreadTime"]) / seconds,
        occupied=(after["TaskDuration"] - before["TaskDuration"]) / seconds,
        seconds=seconds,
    )


async def _metrics(devtools: CDPSession) -> dict[str, float]:
    """The page's counters, in seconds: Performance.getMetrics of the DevTools protocol."""
    answer = await devtools.send("Performance.getMetrics")
    return {each["name"]: each["value"] for each in answer["metrics"]}


async def _close_tab(stage: Stage, page: Page) -> float:
    """Seconds from closing the tab in mid-stream to the upstream's end of the socket."""
    await stage.upstream.simulate("bench=5000")
    await page.get_by_test_id("message").fill(PROMPT)
    await page.keyboard.press("Enter")
    await page.wait_for_selector(_THINKING)
    before = await stage.upstream.hang_ups()
    await asyncio.sleep(1)
    closed = time.monotonic()
    await page.close()
    return await stage.upstream.next_hang_up(before, timeout_s=GRACE_S + 10) - closed
