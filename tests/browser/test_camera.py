"""A picture from the device's own camera, and what is said where there is none."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, async_playwright, expect

from tests.browser.playground import Playground
from tests.browser.watch import Watch

pytestmark = pytest.mark.asyncio(loop_scope="session")

_ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--use-fake-device-for-media-stream")

_WATCHED = """() => {
  const devices = navigator.mediaDevices;
  const ask = devices.getUserMedia.bind(devices);
  devices.getUserMedia = async (wanted) => (window.stream = await ask(wanted));
}"""
"""Keeps the stream that the page is given, to see what becomes of it."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def with_camera(chromium: str) -> AsyncIterator[Browser]:
    """A browser whose camera shows a test picture."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=_ARGUMENTS)
        yield browser
        await browser.close()


async def opened(browser: Browser, url: str, watch: Watch, *, allowed: bool) -> Playground:
    context = await browser.new_context(viewport={"width": 1280, "height": 800})
    if allowed:
        await context.grant_permissions(["camera"])
    page = await context.new_page()
    page.set_default_timeout(15_000)
    watch.over(page)
    playground = Playground(page, url, watch)
    await playground.visit()
    return playground


def dialog(playground: Playground) -> Locator:
    return playground.page.get_by_role("dialog", name="Take a picture")


async def start(playground: Playground) -> Locator:
    await playground.slot("image").get_by_role("button", name="Take a picture").click()
    return dialog(playground)


async def is_live(playground: Playground) -> bool:
    live: bool = await playground.page.evaluate(
        "window.stream.getTracks().some(({ readyState }) => readyState === 'live')"
    )
    return live


async def test_a_picture_is_taken_again_used_and_sent(
    with_camera: Browser, app_url: str, watch: Watch
) -> None:
    playground = await opened(with_camera, app_url, watch, allowed=True)
    await playground.page.evaluate(_WATCHED)
    camera = await start(playground)
    await expect(camera.get_by_role("button", name="Take", exact=True)).to_be_focused()
    assert await is_live(playground)
    await playground.page.keyboard.press("Enter")
    await expect(camera.get_by_role("img", name="The picture taken")).to_be_visible()
    await camera.get_by_role("button", name="Take again").click()
    await expect(camera.get_by_role("button", name="Take", exact=True)).to_be_focused()
    await playground.page.keyboard.press("Enter")
    await expect(camera.get_by_role("button", name="Use picture")).to_be_focused()
    await playground.page.keyboard.press("Enter")
    await expect(camera).to_have_count(0)
    assert not await is_live(playground)
    await expect(playground.slot("image")).to_have_attribute("data-state", "ready")
    await expect(playground.slot("image")).to_contain_text("Camera picture.jpg")
    turn = await playground.ask("What is in the picture?")
    await expect(turn.get_by_test_id("answer")).to_contain_text("pixels")


async def test_the_camera_is_let_go_when_the_dialog_is_left(
    with_camera: Browser, app_url: str, watch: Watch
) -> None:
    playground = await opened(with_camera, app_url, watch, allowed=True)
    await playground.page.evaluate(_WATCHED)
    camera = await start(playground)
    await expect(camera.get_by_role("button", name="Take", exact=True)).to_be_visible()
    assert await is_live(playground)
    await playground.page.keyboard.press("Escape")
    await expect(camera).to_have_count(0)
    assert not await is_live(playground)
    await expect(
        playground.slot("image").get_by_role("button", name="Take a picture")
    ).to_be_focused()
    await expect(playground.slot("image")).to_have_attribute("data-state", "empty")


async def test_a_camera_that_is_not_allowed_says_what_to_do(
    with_camera: Browser, app_url: str, watch: Watch
) -> None:
    playground = await opened(with_camera, app_url, watch, allowed=False)
    camera = await start(playground)
    await expect(camera).to_contain_text("The camera is not allowed: allow it for this page")
    await expect(camera.get_by_role("button", name="Pick a picture")).to_be_focused()
    await playground.page.context.grant_permissions(["camera"])
    await camera.get_by_role("button", name="Try again").click()
    await expect(camera.get_by_role("button", name="Take", exact=True)).to_be_focused()


async def test_without_a_camera_a_picture_is_picked(playground: Playground) -> None:
    await playground.page.context.grant_permissions(["camera"])
    camera = await start(playground)
    await expect(camera).to_contain_text("This device has no camera: pick a picture instead.")
    async with playground.page.expect_file_chooser() as chooser:
        await camera.get_by_role("button", name="Pick a picture").click()
    picture = (await chooser.value).element
    assert await picture.get_attribute("capture") == "environment"


async def test_the_page_may_use_the_camera_and_nothing_else_of_a_device(
    playground: Playground,
) -> None:
    response = await playground.page.request.get(playground.address)
    allowed = response.headers["permissions-policy"].split(", ")
    assert [each for each in allowed if not each.endswith("=()")] == ["camera=(self)"]
    assert "microphone=()" in allowed
