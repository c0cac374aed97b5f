"""Whose chats they are: the link that brings them into another browser, and signing in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.browser.playground import OpenAt, OpenPlayground, Playground
from tests.browser.process import running_app
from tests.browser.test_chat_list import begin, begin_unseen, line, titles
from tests.openid import Provider

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def link_of(playground: Playground) -> str:
    await playground.page.get_by_role("button", name="Use my chats in another browser").click()
    dialog = playground.page.get_by_role("dialog", name="Use these chats in another browser")
    link = await dialog.get_by_label("Link to these chats").input_value()
    await dialog.get_by_role("button", name="Close").click()
    return link


async def visited(page: Page) -> list[str]:
    """The addresses that the tab's history holds."""
    session = await page.context.new_cdp_session(page)
    history = await session.send("Page.getNavigationHistory")
    return [entry["url"] for entry in history["entries"]]


async def test_a_link_brings_the_chats_into_another_browser_and_leads_back(
    open_playground: OpenPlayground,
) -> None:
    first = await open_playground()
    await begin(first, "Of the first browser")
    link = await link_of(first)
    assert re.fullmatch(re.escape(first.address) + r"#owner=[\w-]{22,128}", link)
    other = await open_playground(another_visitor=True)
    await begin(other, "Of the other browser")
    await other.page.goto(link)
    await expect(line(other, "Of the first browser")).to_be_visible()
    assert await titles(other) == ["Of the first browser"]
    assert not [address for address in await visited(other.page) if "owner" in address]
    await other.reload()
    await expect(line(other, "Of the first browser")).to_be_visible()
    note = other.page.get_by_test_id("note-linked")
    await expect(note).to_contain_text("You now see the chats of the link.")
    await note.get_by_role("button", name="Back to this browser's own").click()
    await expect(line(other, "Of the other browser")).to_be_visible()
    assert await titles(other) == ["Of the other browser"]
    await expect(note).to_have_count(0)
    await expect(line(first, "Of the first browser")).to_be_visible()


async def test_a_link_that_is_not_whole_is_said_and_changes_nothing(
    open_playground: OpenPlayground,
) -> None:
    playground = await open_playground(width=390, height=844)
    await begin_unseen(playground, "Still here")
    await playground.page.goto(f"{playground.address}#owner=too-short")
    await expect(playground.page.get_by_test_id("note-wrong")).to_be_in_viewport(ratio=1)
    await expect(line(playground, "Still here")).to_be_visible()
    assert "owner" not in playground.page.url
    await playground.reload()
    await expect(playground.page.get_by_test_id("note-wrong")).to_have_count(0)


REFUSE_STORAGE = """for (const [owner, name] of [[window, "localStorage"],
    [window, "sessionStorage"], [Document.prototype, "cookie"]]) {
  Object.defineProperty(owner, name, { get() { throw new DOMException("", "SecurityError"); } });
}"""
"""As a browser does in a frame of another site, set to block what is kept there."""


async def test_where_nothing_is_kept_the_list_says_so_and_offers_the_link(
    open_playground: OpenPlayground,
) -> None:
    playground = await open_playground(another_visitor=True)
    await playground.page.add_init_script(REFUSE_STORAGE)
    await playground.reload()
    note = playground.page.get_by_test_id("note-memory")
    await expect(note).to_contain_text("This browser keeps nothing for this page")
    await playground.ask("Only for now")
    await note.get_by_role("button", name="Keep a link to them").click()
    link = await playground.page.get_by_label("Link to these chats").input_value()
    other = await open_playground(another_visitor=True)
    await other.page.goto("about:blank")
    await other.page.goto(link)
    await expect(line(other, "Only for now")).to_be_visible()
    assert not [address for address in await visited(other.page) if "owner" in address]


async def test_signing_in_brings_this_browsers_chats_along(open_at: OpenAt, tmp_path: Path) -> None:
    async with Provider("ada") as provider:
        with running_app(tmp_path, **provider.environment()) as url:
            playground = await open_at(url)
            await begin(playground, "Asked before")
            # The chat on the page is the person's only once the browser's chats have come along;
            # and Gradio asks for what the page's policy forbids where it takes itself for a Space.
            playground.watch.expect("404|another host|fonts.googleapis|huggingface.co|Space not")
            await playground.page.get_by_role("link", name="Sign in").click()
            await expect(playground.page.locator("#account")).to_contain_text("ada")
            await expect(line(playground, "Asked before")).to_be_visible()
            chats = playground.page.get_by_role("navigation", name="Chats")
            await expect(chats).to_contain_text("Signed in as ada")
            await playground.page.get_by_role("link", name="Sign out").click()
            await expect(playground.page.get_by_role("link", name="Sign in")).to_be_visible()
            await expect(playground.page.get_by_test_id("chats-empty")).to_be_visible()
