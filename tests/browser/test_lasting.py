"""How long chats last where the page is served: on a Space's own disk, until it restarts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.async_api import expect

from tests.browser.playground import OpenAt, Playground
from tests.browser.process import running_app
from tests.browser.test_accessibility import violations
from tests.browser.test_chat_list import begin
from tests.openid import Provider
from tests.own_disk import folder_beside_the_app

pytestmark = pytest.mark.asyncio(loop_scope="session")

CHATS = "Chats here last until this Space restarts. Its owner can mount a bucket to keep them."
ASKED_BY_GRADIO = "another host|fonts.googleapis|huggingface.co|Space not"
"""What it asks for where it takes itself for a Space; the page's policy forbids it."""


@pytest.fixture(scope="module")
def space_url() -> Iterator[str]:
    """The app on a Space without a bucket."""
    with folder_beside_the_app() as folder, running_app(folder, SPACE_ID="test/space") as url:
        yield url


async def test_on_a_space_without_a_bucket_the_list_says_how_long_chats_last(
    open_at: OpenAt, space_url: str
) -> None:
    playground = await open_at(space_url)
    line = playground.page.get_by_test_id("chats-ending")
    await expect(line).to_have_text(CHATS)
    await expect(line).to_be_in_viewport(ratio=1)
    await begin(playground, "Until the restart")
    assert await violations(playground) == []
    await playground.page.get_by_role("button", name="Dark theme").click()
    assert await violations(playground) == []


async def test_it_is_whole_in_the_drawer(open_at: OpenAt, space_url: str) -> None:
    playground = await open_at(space_url, 390, 844)
    await playground.page.get_by_role("button", name="Chats", exact=True).click()
    line = playground.page.get_by_test_id("chats-ending")
    await expect(line).to_be_in_viewport(ratio=1)
    assert await line.evaluate("(line) => line.scrollWidth <= line.clientWidth")


async def test_who_has_signed_in_is_told_as_well(open_at: OpenAt) -> None:
    async with Provider("ada") as provider:
        with (
            folder_beside_the_app() as folder,
            running_app(folder, **provider.environment()) as url,
        ):
            playground = await open_at(url)
            playground.watch.expect(ASKED_BY_GRADIO)
            await playground.page.get_by_role("link", name="Sign in").click()
            chats = playground.page.get_by_role("navigation", name="Chats")
            await expect(chats).to_contain_text("Signed in as ada")
            await expect(playground.page.get_by_test_id("chats-ending")).to_have_text(CHATS)


async def test_elsewhere_nothing_is_said_of_it(playground: Playground) -> None:
    await begin(playground, "Here to stay")
    await expect(playground.page.get_by_role("navigation", name="Chats")).to_be_visible()
    await expect(playground.page.get_by_test_id("chats-ending")).to_have_count(0)
