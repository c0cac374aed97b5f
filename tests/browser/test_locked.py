"""The page of a playground for those who are let in, as everybody else meets it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, Page, Route, expect

from tests.browser.process import running_app
from tests.openid import Provider

pytestmark = pytest.mark.asyncio(loop_scope="session")

PASSWORD = "test-password-not-real"


@pytest.fixture(scope="module")
def locked_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app of an owner who lets in Ada, by password."""
    with running_app(tmp_path_factory.mktemp("locked"), GLM_AUTH=f"ada:{PASSWORD}") as url:
        yield url


@asynccontextmanager
async def opened(
    browser: Browser,
    url: str,
    *,
    width: int = 1440,
    theme: Literal["light", "dark"] = "light",
    locale: str = "en",
) -> AsyncIterator[Page]:
    """The page in a browser of its own, on which nothing may go wrong."""
    wrong: list[str] = []
    async with await browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=theme, locale=locale
    ) as context:
        page = await context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        await page.goto(url)
        yield page
    assert wrong == []


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("locale", "words"), [("en", "Sign in"), ("zh-CN", "登录")])
async def test_it_says_what_it_is_and_how_to_sign_in_and_no_more(
    browser: Browser,
    locked_url: str,
    width: int,
    theme: Literal["light", "dark"],
    locale: str,
    words: str,
) -> None:
    async with opened(browser, locked_url, width=width, theme=theme, locale=locale) as page:
        await expect(page.get_by_role("button")).to_have_text(words)
        await expect(page.get_by_role("heading")).to_have_text("GLM-5.3-Flash Playground")
        await expect(page.locator("gradio-app, #body")).to_have_count(0)
        assert (await Axe().run(page)).response["violations"] == []
        fits = "document.documentElement.scrollWidth <= innerWidth"
        assert await page.evaluate(fits)


async def test_a_wrong_password_is_said_and_the_right_one_opens_the_playground(
    browser: Browser, locked_url: str
) -> None:
    async with opened(browser, locked_url) as page:
        await page.get_by_label("Name").fill("ada")
        await page.get_by_label("Password").fill("wrong")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("alert")).to_contain_text("do not belong together")
        await page.get_by_label("Password").fill(PASSWORD)
        await page.get_by_role("button", name="Sign in").click()
        await expect(page.locator("#account")).to_contain_text("ada")
        await page.get_by_role("link", name="Sign out").click()
        await expect(page.get_by_label("Password")).to_be_visible()


async def test_what_is_sent_before_the_script_has_come_waits_for_it(
    browser: Browser, locked_url: str
) -> None:
    released = asyncio.Event()

    async def hold(route: Route) -> None:
        await released.wait()
        await route.continue_()

    async with await browser.new_context(locale="en") as context:
        page = await context.new_page()
        await page.route("**/locked.mjs", hold)
        await page.goto(locked_url, wait_until="commit")
        await page.get_by_label("Name").fill("ada")
        await page.get_by_label("Password").fill("wrong")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("button", name="Sign in")).to_be_visible()
        released.set()
        await expect(page.get_by_role("alert")).to_contain_text("do not belong together")


async def test_who_is_not_let_in_is_told_so_and_can_sign_out(
    browser: Browser, tmp_path: Path
) -> None:
    async with Provider("eve") as provider:
        environment = {**provider.environment(), "GLM_ALLOWED_USERS": "ada"}
        with running_app(tmp_path, **environment) as url:
            async with opened(browser, url) as page:
                await page.get_by_role("link", name="Sign in with Hugging Face").click()
                await expect(page.get_by_role("alert")).to_contain_text("has not let you in")
                await expect(page.locator("main")).to_contain_text("eve")
                await page.get_by_role("link", name="Sign out").click()
                provider.person = "ada"
                await page.get_by_role("link", name="Sign in with Hugging Face").click()
                await expect(page.locator("#account")).to_contain_text("ada")


async def test_what_is_used_up_is_said_on_the_page_in_the_readers_language(
    browser: Browser, tmp_path: Path
) -> None:
    environment = {"GLM_PUBLIC": "true", "GLM_VISITOR_TOKENS_PER_DAY": "5"}
    with running_app(tmp_path, GLM_SIMULATOR_TOKENS_PER_SECOND="5000", **environment) as url:
        async with opened(browser, url, locale="zh-CN") as page:
            box = page.get_by_test_id("message")
            await box.fill("Hello")
            await box.press("Enter")
            ended = page.get_by_test_id("turn").get_by_test_id("answer")
            await expect(ended).to_be_visible()
            await expect(page.get_by_test_id("send")).to_have_attribute("data-state", "send")
            await box.fill("Hello again")
            await box.press("Enter")
            await expect(page.locator("body")).to_contain_text("您已用完")
