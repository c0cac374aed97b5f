"""Writing a message and sending it."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.playground import Playground

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_enter_sends_and_the_answer_comes(playground: Playground) -> None:
    turn = await playground.ask("What is machine learning?")
    await expect(playground.user_messages).to_have_count(1)
    await expect(playground.user_messages).to_contain_text("What is machine learning?")
    await expect(playground.message).to_have_value("")
    await expect(turn).to_have_attribute("data-state", "complete")
    await expect(turn.get_by_test_id("answer")).to_contain_text("Read as a question of 4 words")


async def test_shift_enter_breaks_the_line(playground: Playground) -> None:
    await playground.message.click()
    await playground.page.keyboard.type("one")
    await playground.page.keyboard.press("Shift+Enter")
    await playground.page.keyboard.type("two")
    await expect(playground.message).to_have_value("one\ntwo")
    await expect(playground.user_messages).to_have_count(0)
    await playground.send_button.click()
    await expect(playground.user_messages.locator(".user-text")).to_have_text("one\ntwo")
    await playground.ended()


async def test_what_is_written_while_a_turn_runs_is_kept(playground: Playground) -> None:
    await playground.simulate("speed=20")
    await playground.send("Hello")
    await playground.write("the next message")
    await playground.message.press("Escape")
    await playground.ended()
    await expect(playground.message).to_have_value("the next message")
    await expect(playground.user_messages).to_have_count(1)


async def test_a_refused_message_is_still_in_its_box(playground: Playground) -> None:
    playground.watch.expect("422")
    await playground.page.locator("#stop-strings textarea").fill("x" * 201)
    await playground.has_setting("stop", "x" * 201)
    await playground.write("Keep me")
    await playground.message.press("Enter")
    await expect(playground.said).to_be_visible()
    await expect(playground.said).to_contain_text("200 characters")
    await expect(playground.message).to_have_value("Keep me")
    await expect(playground.user_messages).to_have_count(0)


async def test_nothing_is_sent_from_an_empty_box_and_a_draft_outlives_a_reload(
    playground: Playground,
) -> None:
    await expect(playground.send_button).to_be_disabled()
    await playground.write("   ")
    await expect(playground.send_button).to_be_disabled()
    await playground.message.press("Enter")
    await expect(playground.welcome).to_be_visible()
    await playground.write("not yet sent")
    await expect(playground.send_button).to_be_enabled()
    await playground.reload()
    await expect(playground.message).to_have_value("not yet sent")
    await expect(playground.send_button).to_be_enabled()


async def test_a_message_can_be_copied(playground: Playground) -> None:
    await playground.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    turn = await playground.ask("Copy **this** message")
    message = playground.user_messages.first
    await message.hover()
    await message.get_by_role("button", name="Copy message").click()
    copied = await playground.page.evaluate("navigator.clipboard.readText()")
    assert copied == "Copy **this** message"
    await turn.get_by_role("button", name="Copy as Markdown").click()
    await expect(turn.get_by_title("Copied")).to_be_visible()
    copied = await playground.page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("**This is the simulator: no model is answering.**")


TITLES = (
    "Explain a concept",
    "Ask a plain question",
    "Watch it think",
    "Call a tool",
    "Show it a picture",
    "Show it a clip",
)


async def test_the_empty_state_offers_examples_sent_at_one_click(playground: Playground) -> None:
    await expect(playground.welcome.get_by_role("heading")).to_be_visible()
    await expect(playground.examples.locator(".example-title")).to_have_text(list(TITLES))
    for title in TITLES:
        await playground.write("a draft")
        card = playground.examples.filter(has_text=title)
        text = await card.locator(".example-text").inner_text()
        await card.click()
        await expect(playground.user_messages.locator(".user-text")).to_have_text(text)
        turn = await playground.ended()
        await expect(turn).to_have_attribute("data-state", "complete")
        await expect(playground.notices).to_have_count(0)
        await expect(playground.welcome).to_have_count(0)
        await expect(playground.message).to_have_value("a draft")
        attached = 1 if title.startswith("Show it") else 0
        await expect(playground.user_messages.locator(".thumb")).to_have_count(attached)
        await playground.new_chat()
