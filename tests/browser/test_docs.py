"""The page `/docs` as a reader meets it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, Page, expect

from tests.browser.playground import Playground
from tests.browser.watch import Watch

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session")
async def docs(browser: Browser, app_url: str, watch: Watch) -> AsyncIterator[Page]:
    """The page, in a profile of its own."""
    async with await browser.new_context(viewport={"width": 390, "height": 844}) as context:
        page = await context.new_page()
        watch.over(page)
        await page.goto(f"{app_url}docs")
        yield page


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_axe_finds_nothing(docs: Page, theme: str) -> None:
    await docs.emulate_media(color_scheme="dark" if theme == "dark" else "light")
    found = (await Axe().run(docs)).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
    background = await docs.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == ("rgb(20, 20, 23)" if theme == "dark" else "rgb(255, 255, 255)")


async def test_a_telephone_scrolls_it_down_and_never_sideways(docs: Page) -> None:
    assert await docs.evaluate("document.documentElement.scrollWidth") <= 390
    wide = await docs.evaluate(
        "[...document.querySelectorAll('pre, dl')]"
        ".filter((part) => part.scrollWidth > part.clientWidth).length"
    )
    assert wide == 0


async def test_the_keyboard_reaches_a_group_of_routes(docs: Page) -> None:
    link = docs.get_by_role("navigation").get_by_role("link", name="Runs", exact=True)
    await link.focus()
    await docs.keyboard.press("Enter")
    await expect(docs.get_by_role("heading", name="Runs", exact=True)).to_be_in_viewport()


async def test_the_settings_lead_to_it(playground: Playground) -> None:
    link = playground.page.locator("#settings").get_by_role("link", name="For programs")
    async with playground.page.expect_popup() as opened:
        await link.click()
    page = await opened.value
    await expect(page).to_have_title(re.compile("GLM Playground"))
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    await page.close()
