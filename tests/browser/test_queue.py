"""Messages that wait to be sent: what they wait for, what holds them, what outlives a reload."""

from __future__ import annotations

import asyncio
import re

import pytest
from playwright.async_api import Locator, Route, expect

from tests.browser.playground import OpenPlayground, Playground, file
from tests.media.samples import encoded, quarters

pytestmark = pytest.mark.asyncio(loop_scope="session")

UPLOADS = "**/api/media"
CHAT = "**/api/chats/*?limit=*"
PNG = encoded(quarters(320, 240), "PNG")
WAITS = "Queued: sent when the answer has ended"
HELD = "Waiting: the answer was stopped or did not end as it should"


async def queue(playground: Playground, *texts: str) -> None:
    """Writes messages while an answer comes, and sends each with Enter."""
    for text in texts:
        await playground.write(text)
        await playground.message.press("Enter")
        await expect(playground.message).to_have_value("")


def button(card: Locator, name: str) -> Locator:
    return card.get_by_role("button", name=name)


def sent(playground: Playground) -> Locator:
    return playground.user_messages.locator(".user-text")


async def test_messages_written_meanwhile_are_sent_in_their_order(playground: Playground) -> None:
    await playground.simulate("delay=1")
    await playground.send("The first")
    await queue(playground, "The second", "The third")
    await expect(playground.queued).to_contain_text([f"The second{WAITS}", f"The third{WAITS}"])
    await expect(sent(playground)).to_have_text(["The first", "The second"])
    await expect(playground.queued).to_have_count(1)
    await expect(sent(playground)).to_have_text(["The first", "The second", "The third"])
    await expect(playground.queued).to_have_count(0)
    turn = await playground.ended()
    await expect(turn).to_contain_text("It is message 3 of this chat.")


async def test_send_stands_beside_stop_and_nothing_moves(playground: Playground) -> None:
    bar = playground.page.locator(".composer-bar > :not(.composer-stop)")
    places = "all => all.map((each) => JSON.stringify(each.getBoundingClientRect()))"
    before = await bar.evaluate_all(places)
    await playground.simulate("stall-after=20")
    await playground.send("Hello")
    await expect(playground.stop_button).to_be_visible()
    await expect(playground.send_button).to_be_disabled()
    assert await bar.evaluate_all(places) == before
    await playground.write("And then")
    await expect(playground.stop_button).to_be_in_viewport(ratio=1)
    await playground.page.get_by_role("button", name="Queue: send after this answer").click()
    await expect(playground.queued).to_have_count(1)
    await expect(playground.message).to_be_focused()
    await playground.stop_button.focus()
    await playground.page.keyboard.press("Enter")
    await playground.ended()
    await expect(playground.stop_button).to_be_hidden()
    await expect(playground.message).to_be_focused()


async def test_after_a_stop_the_queue_waits_until_it_is_sent_on(playground: Playground) -> None:
    await playground.simulate("stall-after=20")
    await playground.send("The first")
    await queue(playground, "The second", "The third")
    await playground.simulate("")
    await expect(button(playground.queued.first, "Send now")).to_be_hidden()
    await playground.page.keyboard.press("Escape")
    await playground.ended()
    await expect(playground.queued).to_contain_text([HELD, HELD])
    await playground.reload()
    await expect(playground.queued).to_contain_text([HELD, HELD])
    await button(playground.queued.last, "Send now").click()
    await expect(sent(playground)).to_have_text(["The first", "The third", "The second"])
    await playground.ended()
    await expect(playground.queued).to_have_count(0)


async def test_after_a_failure_the_queue_waits_and_can_be_taken_away(
    playground: Playground,
) -> None:
    await playground.simulate("delay=1;reset-after=5")
    await playground.send("The first")
    await queue(playground, "The second", "The third")
    turn = await playground.ended()
    await expect(turn).to_have_attribute("data-state", "incomplete")
    await expect(playground.queued).to_contain_text([HELD, HELD])
    await button(playground.queued.first, "Remove").press("Enter")
    await expect(playground.queued).to_contain_text(["The third"])
    await expect(button(playground.queued, "Remove")).to_be_focused()
    await button(playground.queued, "Remove").press("Enter")
    await expect(playground.queued).to_have_count(0)
    await expect(playground.message).to_be_focused()
    await expect(sent(playground)).to_have_text(["The first"])


async def test_a_queued_message_comes_back_to_be_edited(playground: Playground) -> None:
    await playground.simulate("stall-after=20")
    await playground.send("The first")
    await playground.drop(
        file("notes.md", "text/markdown", b"# Notes\n"), file("a.png", "image/png", PNG)
    )
    await expect(playground.slot("image")).to_have_attribute("data-state", "ready")
    await queue(playground, "The second")
    await expect(playground.queued).to_contain_text("notes.md")
    await expect(playground.queued).to_contain_text("a.png")
    await playground.write("being written")
    await button(playground.queued, "Edit").click()
    await expect(playground.message).to_have_value("The second\n\nbeing written")
    await expect(playground.message).to_be_focused()
    await expect(playground.files).to_contain_text("notes.md")
    await expect(playground.slot("image")).to_contain_text("a.png")
    await expect(playground.queued).to_have_count(0)
    await playground.page.keyboard.press("Escape")
    await playground.ended()


async def test_the_queue_outlives_a_reload_and_goes_on_when_its_answer_ends(
    playground: Playground,
) -> None:
    await playground.simulate("delay=2")
    await playground.send("The first")
    await queue(playground, "The second")
    opening = asyncio.Event()

    async def hold(route: Route) -> None:
        await opening.wait()
        await route.continue_()

    await playground.page.route(CHAT, hold)
    await playground.page.reload()
    await expect(playground.queued).to_contain_text([f"The second{WAITS}"])
    opening.set()
    await expect(sent(playground)).to_have_text(["The first", "The second"])
    await playground.ended()


async def test_the_queue_belongs_to_its_chat(playground: Playground) -> None:
    await playground.simulate("delay=1")
    await playground.send("The first")
    await queue(playground, "The second")
    await playground.new_chat()
    await expect(playground.queued).to_have_count(0)
    await playground.page.go_back()
    await expect(sent(playground)).to_have_text(["The first", "The second"])
    await playground.ended()


async def test_two_tabs_with_a_chat_send_its_queue_once(open_playground: OpenPlayground) -> None:
    first, second = await open_playground(), await open_playground()
    await first.simulate("delay=5")
    await first.send("The first")
    await expect(first.page).to_have_url(re.compile("#chat="))
    await second.page.goto(first.page.url)
    await expect(second.turns).to_have_attribute("data-state", "running")
    await queue(first, "The second")
    await expect(second.queued).to_have_count(1)
    await first.simulate("")
    for tab in (first, second):
        await expect(sent(tab)).to_have_text(["The first", "The second"])
        await expect(tab.turns).to_have_count(2)
        await tab.ended()
        await expect(tab.queued).to_have_count(0)


async def test_a_message_whose_upload_goes_on_is_sent_when_it_is_there(
    playground: Playground,
) -> None:
    release = asyncio.Event()

    async def hold(route: Route) -> None:
        await release.wait()
        await route.continue_()

    await playground.page.route(UPLOADS, hold)
    await playground.drop(file("slow.png", "image/png", PNG))
    await expect(playground.slot("image")).to_have_attribute("data-state", "uploading")
    await playground.write("What is in the picture?")
    await playground.message.press("Enter")
    await expect(playground.queued).to_contain_text("Queued: sent when the upload is there")
    await expect(playground.slot("image")).to_have_attribute("data-state", "empty")
    await expect(playground.welcome).to_be_visible()
    release.set()
    await expect(playground.user_messages.locator(".thumb")).to_have_count(1)
    turn = await playground.ended()
    await expect(turn.get_by_test_id("answer")).to_contain_text("320")
    await expect(playground.queued).to_have_count(0)


async def test_a_message_whose_upload_fails_says_so_and_is_kept(playground: Playground) -> None:
    playground.watch.expect("ERR_CONNECTION_REFUSED")
    release = asyncio.Event()

    async def refuse(route: Route) -> None:
        await release.wait()
        await route.abort("connectionrefused")

    await playground.page.route(UPLOADS, refuse)
    await playground.drop(file("lost.png", "image/png", PNG))
    await queue(playground, "What is in the picture?")
    release.set()
    await expect(playground.queued).to_contain_text("The playground cannot be reached.")
    await playground.reload()
    await expect(playground.queued).to_contain_text(["What is in the picture?"])
    await button(playground.queued, "Send now").click()
    await expect(sent(playground)).to_have_text(["What is in the picture?"])
    await playground.ended()


async def test_an_upload_that_a_reload_cuts_off_is_said(playground: Playground) -> None:
    held = asyncio.Event()

    async def hold(route: Route) -> None:
        await held.wait()
        await route.abort()

    await playground.page.route(UPLOADS, hold)
    await playground.drop(file("cut.png", "image/png", PNG))
    await queue(playground, "What is in the picture?")
    await playground.reload()
    await expect(playground.queued).to_contain_text("The upload of cut.png was cut off")
    await expect(playground.queued).to_have_attribute("data-state", "refused")
    held.set()
