"""The list of chats, and moving between them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from tests.browser.playground import OpenPlayground, Playground

pytestmark = pytest.mark.asyncio(loop_scope="session")

BEGIN_CHATS = """async (texts) => {
  for (const text of texts) {
    const id = crypto.randomUUID();
    const started = await fetch(`api/chats/${id}/turns`, {
      method: "POST",
      headers: {
        "X-Owner": glmOwner(), "Content-Type": "application/json", "X-Simulate": "status=400" },
      body: JSON.stringify({ text, attachments: [], options: {} }),
    });
    if (started.status !== 201) throw new Error(await started.text());
  }
}"""
"""Begins a chat with each text, as another page of this reader would; its answer fails at once."""


def lines(playground: Playground) -> Locator:
    return playground.page.get_by_test_id("chat-line")


def line(playground: Playground, title: str) -> Locator:
    """The link of a chat."""
    return lines(playground).get_by_role("link").filter(has_text=title)


def search(page: Page) -> Locator:
    return page.get_by_role("searchbox", name="Search chats")


async def begin(playground: Playground, *texts: str) -> None:
    """Chats that are there when the page opens, the last one on top."""
    await playground.page.evaluate(BEGIN_CHATS, list(texts))
    await playground.reload()
    await expect(lines(playground).first).to_contain_text(texts[-1][:40])


async def choose(playground: Playground, title: str, option: str) -> None:
    """Chooses from the menu of a line."""
    await line(playground, title).hover()
    await playground.page.get_by_role("button", name=f"Options of “{title}”").click()
    await playground.page.get_by_role("menuitem", name=option, exact=True).click()


async def titles(playground: Playground) -> list[str]:
    return await lines(playground).locator(".chat-title").all_inner_texts()


async def test_a_click_opens_a_chat_and_back_and_forward_go_through_them(
    playground: Playground,
) -> None:
    page = playground.page
    await expect(page.get_by_test_id("chats-empty")).to_contain_text("No chats yet.")
    await playground.ask("The first chat")
    await expect(line(playground, "The first chat")).to_have_attribute("aria-current", "page")
    first = page.url
    assert re.search(r"#chat=[0-9a-f]{32}$", first)
    await playground.new_chat()
    await playground.ask("The second chat")
    await expect(lines(playground)).to_have_count(2)
    assert await titles(playground) == ["The second chat", "The first chat"]
    await line(playground, "The first chat").click()
    await expect(playground.user_messages).to_have_text("The first chat")
    await expect(line(playground, "The first chat")).to_have_attribute("aria-current", "page")
    assert page.url == first
    await page.go_back()
    await expect(playground.user_messages).to_have_text("The second chat")
    await expect(line(playground, "The second chat")).to_have_attribute("aria-current", "page")
    await page.go_forward()
    await expect(playground.user_messages).to_have_text("The first chat")
    await playground.reload()
    await expect(playground.user_messages).to_have_text("The first chat")


async def test_a_chat_that_is_left_goes_on_is_shown_running_and_comes_back_live(
    playground: Playground,
) -> None:
    await playground.simulate("reasoning=40;answer=2500;chunk=12;speed=40")
    await playground.send("Tell me something long")
    await expect(playground.answers).to_contain_text("Section 1")
    await playground.new_chat()
    running = lines(playground).filter(has_text="something long")
    await expect(running.get_by_role("img", name="Answering")).to_be_visible()
    await expect(playground.send_button).to_have_attribute("data-state", "send")
    await line(playground, "something long").click()
    await expect(playground.turns).to_have_attribute("data-state", "running")
    await expect(playground.answers).to_contain_text("Section 1")
    turn = await playground.ended()
    await expect(turn).to_have_attribute("data-state", "complete")
    await expect(playground.turns).to_have_count(1)
    await expect(running.get_by_role("img", name="Answering")).to_be_hidden()


async def test_a_title_is_changed_in_its_line_and_escape_gives_up(playground: Playground) -> None:
    await begin(playground, "Another chat", "An old title")
    page = playground.page
    field = page.get_by_role("textbox", name="New title of “An old title”")
    await choose(playground, "An old title", "Rename")
    await expect(field).to_be_focused()
    await field.fill("Given up")
    await field.press("Escape")
    await expect(line(playground, "An old title")).to_be_focused()
    await page.keyboard.press("F2")
    await field.fill("A new title")
    await field.press("Enter")
    await expect(line(playground, "A new title")).to_be_focused()
    await playground.reload()
    await expect(lines(playground)).to_have_count(2)
    assert await titles(playground) == ["A new title", "Another chat"]


async def test_a_pinned_chat_stands_above_all_others_until_it_is_unpinned(
    playground: Playground,
) -> None:
    await begin(playground, "One", "Two", "Three")
    await choose(playground, "One", "Pin")
    pinned = playground.page.get_by_role("list", name="Pinned")
    await expect(pinned.get_by_role("link")).to_contain_text(["One"])
    today = playground.page.get_by_role("list", name="Today")
    await expect(today.get_by_role("link")).to_contain_text(["Three", "Two"])
    await expect(playground.page.get_by_role("button", name="Options of “One”")).to_be_focused()
    await choose(playground, "One", "Unpin")
    await expect(pinned).to_have_count(0)
    await expect(today.get_by_role("link")).to_contain_text(["Three", "Two", "One"])


async def test_a_chat_is_deleted_after_a_question_that_names_it(playground: Playground) -> None:
    await begin(playground, "One", "Two", "Three")
    page = playground.page
    await line(playground, "Two").click()
    await expect(playground.user_messages).to_have_text("Two")
    dialog = page.get_by_role("dialog", name="Delete this chat?")
    await choose(playground, "Two", "Delete")
    await expect(dialog).to_contain_text("“Two” goes for good, with its messages and pictures.")
    await expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(dialog).to_have_count(0)
    await expect(lines(playground)).to_have_count(3)
    await line(playground, "Two").press("Delete")
    await dialog.get_by_role("button", name="Delete").click()
    await expect(lines(playground)).to_have_count(2)
    await expect(line(playground, "One")).to_be_focused()
    await expect(playground.welcome).to_be_visible()
    await playground.reload()
    await expect(lines(playground)).to_have_count(2)
    assert await titles(playground) == ["Three", "One"]


async def test_a_refused_change_is_said_in_the_list(playground: Playground) -> None:
    playground.watch.expect("ERR_CONNECTION_REFUSED")
    await begin(playground, "One")
    await playground.page.route("**/api/chats/*", lambda route: route.abort("connectionrefused"))
    await choose(playground, "One", "Pin")
    said = playground.page.get_by_role("navigation", name="Chats").get_by_role("alert")
    await expect(said).to_contain_text("The playground cannot be reached.")
    assert await titles(playground) == ["One"]


async def test_a_search_finds_words_of_titles_and_texts_and_marks_them(
    playground: Playground,
) -> None:
    page = playground.page
    await playground.ask("Where do penguins live?")
    await begin(playground, "Plan a week in Lisbon", f"{'Much before it. ' * 8} A penguin in Rome")
    await page.keyboard.press("Control+k")
    await expect(search(page)).to_be_focused()
    await page.keyboard.type("PENGUIN")
    await expect(lines(playground)).to_have_count(2)
    await expect(lines(playground).first.locator(".chat-snippet mark")).to_have_text("penguin")
    await expect(lines(playground).last.locator(".chat-title mark")).to_have_text("penguin")
    await search(page).fill("penguin rome")
    await expect(lines(playground)).to_have_count(1)
    await search(page).fill("walrus")
    await expect(page.get_by_test_id("chats-empty")).to_contain_text("Nothing found for “walrus”")
    await search(page).press("Escape")
    await expect(lines(playground)).to_have_count(3)
    await expect(search(page)).to_have_value("")
    await expect(search(page)).to_be_focused()


async def test_more_lines_come_as_the_reader_scrolls(playground: Playground) -> None:
    await playground.page.evaluate(BEGIN_CHATS, [f"Chat number {n:02}" for n in range(60)])
    await playground.reload()
    await expect(lines(playground)).to_have_count(50)
    await lines(playground).last.scroll_into_view_if_needed()
    await expect(lines(playground)).to_have_count(60)
    found = await titles(playground)
    assert found == [f"Chat number {n:02}" for n in reversed(range(60))]


async def test_a_second_tab_follows_what_the_first_one_does(
    open_playground: OpenPlayground,
) -> None:
    first, second = await open_playground(), await open_playground()
    await first.ask("Begun in the first tab")
    await expect(line(second, "Begun in the first tab")).to_be_visible()
    await choose(first, "Begun in the first tab", "Rename")
    await first.page.get_by_role("textbox", name="New title").fill("Renamed")
    await first.page.keyboard.press("Enter")
    await line(second, "Renamed").click()
    await expect(second.user_messages).to_have_text("Begun in the first tab")
    second.watch.expect("404")
    await choose(first, "Renamed", "Delete")
    await first.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(lines(second)).to_have_count(0)
    await expect(second.welcome).to_be_visible()


async def test_keys_alone_go_through_the_lines_and_their_menu(playground: Playground) -> None:
    await begin(playground, "One", "Two", "Three")
    page = playground.page
    await search(page).focus()
    await page.keyboard.press("ArrowDown")
    await expect(line(playground, "Three")).to_be_focused()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowDown")
    await expect(line(playground, "One")).to_be_focused()
    await page.keyboard.press("Tab")
    options = page.get_by_role("button", name="Options of “One”")
    await expect(options).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("menuitem", name="Rename")).to_be_focused()
    await page.keyboard.press("ArrowDown")
    await expect(page.get_by_role("menuitem", name="Pin")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(options).to_be_focused()
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("button", name="Use my chats")).to_be_focused()
    await line(playground, "Two").press("Enter")
    await expect(playground.user_messages).to_have_text("Two")
    await page.keyboard.press("Control+Shift+O")
    await expect(playground.welcome).to_be_visible()
    await expect(playground.message).to_be_focused()


async def test_where_there_is_no_room_the_list_is_a_drawer_and_only_one_is_open(
    open_playground: OpenPlayground,
) -> None:
    playground = await open_playground(width=390, height=844)
    page = playground.page
    chats = page.locator("#chats")
    toggle = page.get_by_role("button", name="Chats", exact=True)
    await begin_unseen(playground, "One", "Two")
    await expect(chats).not_to_be_in_viewport()
    await expect(toggle).to_have_attribute("aria-expanded", "false")
    await toggle.click()
    await expect(chats).to_be_in_viewport(ratio=1)
    await expect(page.get_by_role("button", name="Close the list of chats")).to_be_focused()
    await playground.settings_toggle.click()
    await expect(playground.settings).to_be_in_viewport(ratio=1)
    await expect(chats).not_to_be_in_viewport()
    await toggle.click()
    await expect(playground.settings).not_to_be_in_viewport()
    await line(playground, "One").click()
    await expect(playground.user_messages).to_have_text("One")
    await expect(chats).not_to_be_in_viewport()
    await expect(page.get_by_role("log", name="Conversation")).to_be_focused()
    assert await playground.overflow() == 0
    await playground.new_chat()
    await expect(playground.message).to_be_focused()
    await toggle.click()
    await page.keyboard.press("Escape")
    await expect(chats).not_to_be_in_viewport()
    await expect(toggle).to_be_focused()


async def begin_unseen(playground: Playground, *texts: str) -> None:
    await playground.page.evaluate(BEGIN_CHATS, list(texts))
    await playground.reload()


async def test_a_column_that_was_closed_stays_closed_over_a_reload(
    playground: Playground,
) -> None:
    chats = playground.page.locator("#chats")
    await expect(chats).to_be_visible()
    await playground.page.get_by_role("button", name="Chats", exact=True).click()
    await expect(chats).to_be_hidden()
    await playground.reload()
    await expect(chats).to_be_hidden()
    await playground.new_chat()
    await playground.page.keyboard.press("Control+k")
    await expect(search(playground.page)).to_be_focused()


async def test_chats_are_grouped_by_how_long_ago_they_were(playground: Playground) -> None:
    groups: list[Any] = await playground.page.evaluate(
        """async () => {
          const { grouped } = await import(window.ownFile("js/chat_groups.mjs"));
          const now = new Date(2026, 11, 2, 0, 30);
          const at = (...date) => ({ pinned: false, updated: new Date(...date) / 1000 });
          const chats = [
            { ...at(2020, 0, 1), pinned: true },
            at(2026, 11, 2, 0, 10), at(2026, 11, 1, 23, 50), at(2026, 10, 30), at(2026, 10, 25),
            at(2026, 10, 24, 23), at(2026, 10, 2), at(2026, 10, 1), at(2025, 11, 31),
          ];
          return [...grouped(chats, now)].map(([heading, members]) => [heading, members.length]);
        }"""
    )
    assert groups == [
        ["Pinned", 1],
        ["Today", 1],
        ["Yesterday", 1],
        ["Previous 7 days", 2],
        ["Previous 30 days", 2],
        ["November", 1],
        ["December 2025", 1],
    ]


async def test_a_chat_is_saved_as_markdown_under_its_title(playground: Playground) -> None:
    title = "How far is it to the *moon*: in km/h?"
    await playground.ask(title)
    async with playground.page.expect_download() as saving:
        await choose(playground, title, "Export as Markdown")
    download = await saving.value
    assert download.suggested_filename == "How far is it to the moon in km h.md"
    text = Path(await download.path()).read_text()
    assert "## You\n\nHow far is it to the *moon*: in km/h?" in text
