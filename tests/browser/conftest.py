"""A real app, a real Chromium, and a page of each test's own.

The app runs as a visitor would start it, in a process of its own, against its simulator. Each test
gets empty storage, so it is a new visitor; when it ends, `Watch` fails it for whatever went wrong
on the page without being looked at.
"""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from typing import Literal

import pytest
import pytest_asyncio
from playwright.async_api import (
    Browser,
    BrowserContext,
    Page,
    ViewportSize,
    async_playwright,
    expect,
)

from app.ui.own_files import OWN
from tests.browser.playground import OpenAt, OpenPlayground, Playground
from tests.browser.process import running_app
from tests.browser.watch import Watch

TOKENS_PER_SECOND = 1500
"""Of the simulator: quick, and still many frames a turn. `Playground.simulate` slows one down."""

_PATIENCE_MS = 15_000
"""For what is waited for; a machine that is busy with other things must fail nothing."""

_WITHOUT = (
    # Each new tab would draw the address bar's popups in a process of their own: half a core.
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    # The list replaces Playwright's: these of it keep the browser from asking around.
    "HttpsUpgrades",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
)

_ARGUMENTS = (
    f"--disable-features={','.join(_WITHOUT)}",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Names other than the app's address lead nowhere, whatever the page asks for.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)


_OWN_FILE = f"window.ownFile = (name) => new URL('{OWN}/' + name, document.baseURI).href"
"""Where a test finds a module that the page has loaded, in that page's own instance."""


@pytest.fixture(scope="session")
def chromium() -> str:
    """The system's Chromium. A machine without one fails the tests: they are never skipped."""
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        if found := shutil.which(name):
            return found
    pytest.fail(
        "No Chromium is on PATH: install Chromium or Google Chrome, or run 'make test', "
        "which installs one where it can.",
        pytrace=False,
    )


@pytest.fixture(scope="session")
def app_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """`python -m app` with no model connected; gives the address that it prints."""
    speed = str(TOKENS_PER_SECOND)
    folder = tmp_path_factory.mktemp("app")
    with running_app(folder, GLM_SIMULATOR_TOKENS_PER_SECOND=speed) as url:
        yield url


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser(chromium: str) -> AsyncIterator[Browser]:
    expect.set_options(timeout=_PATIENCE_MS)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=_ARGUMENTS)
        yield browser
        await browser.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def profile(browser: Browser) -> AsyncIterator[BrowserContext]:
    """A profile whose cache stays warm over all tests; each of them finds its storage empty."""
    async with await browser.new_context() as context:
        yield context


@pytest_asyncio.fixture(loop_scope="session")
async def watch(app_url: str) -> AsyncIterator[Watch]:
    """Sees what goes wrong on every page of the test, and fails the test for it at its end."""
    watch = Watch(app_url)
    yield watch
    watch.check()


@pytest_asyncio.fixture(loop_scope="session")
async def open_playground(
    browser: Browser, profile: BrowserContext, app_url: str, watch: Watch
) -> AsyncIterator[OpenPlayground]:
    """Opens the page in a tab of a new visitor, or of yet another one."""
    await profile.clear_permissions()
    forgotten = False
    async with AsyncExitStack() as opened:

        async def open_one(
            width: int = 1280,
            height: int = 800,
            *,
            color_scheme: Literal["light", "dark"] = "light",
            another_visitor: bool = False,
            locale: str | None = None,
        ) -> Playground:
            nonlocal forgotten
            context = profile
            if another_visitor or locale:
                context = await browser.new_context(locale=locale)
                opened.push_async_callback(context.close)
            page = await context.new_page()
            opened.push_async_callback(page.close)
            if not forgotten:
                await _forget_visitor(page, app_url)
                forgotten = True
            page.set_default_timeout(_PATIENCE_MS)
            await page.add_init_script(_OWN_FILE)
            await page.set_viewport_size({"width": width, "height": height})
            await page.emulate_media(color_scheme=color_scheme)
            watch.over(page)
            playground = Playground(page, app_url, watch)
            await playground.visit()
            return playground

        yield open_one


@pytest_asyncio.fixture(loop_scope="session")
async def playground(open_playground: OpenPlayground) -> Playground:
    """The page as a new visitor of a desktop sees it."""
    return await open_playground()


@pytest_asyncio.fixture(loop_scope="session")
async def open_at(browser: Browser) -> AsyncIterator[OpenAt]:
    """Opens the page of an app that a test has started itself, as a new visitor."""
    async with AsyncExitStack() as opened:

        async def open_one(url: str, width: int = 1280, height: int = 800) -> Playground:
            viewport: ViewportSize = {"width": width, "height": height}
            context = await browser.new_context(viewport=viewport)
            opened.push_async_callback(context.close)
            page = await context.new_page()
            page.set_default_timeout(_PATIENCE_MS)
            await page.add_init_script(_OWN_FILE)
            watch = Watch(url)
            opened.callback(watch.check)
            watch.over(page)
            playground = Playground(page, url, watch)
            await playground.visit()
            return playground

        yield open_one


async def _forget_visitor(page: Page, app_url: str) -> None:
    """Empties what a profile keeps of the app, by the browser itself: quicker than by a page."""
    session = await page.context.new_cdp_session(page)
    emptied = {"origin": app_url.rstrip("/"), "storageTypes": "local_storage,cookies"}
    await session.send("Storage.clearDataForOrigin", emptied)
    await session.detach()
