"""What a long thought costs the browser, and what the server does when its tab is closed."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

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


async def measure_browser(stage: Stage) -> list[Figure]:
    """A thought of 60k characters at 300 tokens a second, then a tab closed in mid-stream."""
    async with _page(stage) as page:
        busy, seconds, shown = await _thought(stage, page)
        closed = await _close_tab(stage, page)
    return [
        Figure("the thought on the page", f"{shown:,} characters in {seconds:.0f} s"),
        at_most("busy main thread while it comes", busy * 100, _BUSY_PERCENT, "%", digits=1),
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


async def _thought(stage: Stage, page: Page) -> tuple[float, float, int]:
    """The busy share of the main thread, the seconds it took, and the characters shown."""
    shape = f"reasoning={_CHARACTERS};answer=200;chunk={_CHUNK};speed={_SPEED}"
    await stage.upstream.simulate(shape)
    devtools = await page.context.new_cdp_session(page)
    await devtools.send("Performance.enable")
    await page.get_by_test_id("message").fill(PROMPT)
    await page.keyboard.press("Enter")
    await page.wait_for_selector(_THINKING)
    began, spent_before = time.monotonic(), await _task_seconds(devtools)
    await page.wait_for_selector(_THOUGHT, state="attached", timeout=180_000)
    spent, seconds = await _task_seconds(devtools) - spent_before, time.monotonic() - began
    text = await page.text_content(f"{_THOUGHT} .thought-text") or ""
    return spent / seconds, seconds, len(text)


async def _task_seconds(devtools: CDPSession) -> float:
    """Seconds that the page's main thread has spent in tasks of any kind."""
    answer = await devtools.send("Performance.getMetrics")
    values: dict[str, float] = {each["name"]: each["value"] for each in answer["metrics"]}
    return values["TaskDuration"]


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
