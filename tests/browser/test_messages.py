"""What can be done with messages and answers: edit, answer again, take back, rate, go on."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.async_api import Locator, Route, expect

from tests.browser.playground import TURNS, Playground, file

pytestmark = pytest.mark.asyncio(loop_scope="session")

FEEDBACK = "**/feedback"


def button(within: Locator, name: str) -> Locator:
    return within.get_by_role("button", name=name, exact=True)


async def asked(playground: Playground, doing: Locator) -> dict[str, Any]:
    """What a click asks of the server, which takes it."""
    async with playground.page.expect_response(TURNS) as answered:
        await doing.click()
    response = await answered.value
    assert response.status == 201, await response.text()
    return dict(response.request.post_data_json)


async def test_an_edited_message_is_answered_anew_and_the_old_one_stays_a_version(
    playground: Playground,
) -> None:
    await playground.ask("The first wording")
    await playground.ask("What follows")
    message = playground.user_messages.first
    await message.hover()
    await button(message, "Edit message").click()
    editor = message.get_by_role("textbox", name="Your message, reworded")
    await expect(editor).to_be_focused()
    await expect(editor).to_have_value("The first wording")
    await editor.press("Escape")
    await expect(button(message, "Edit message")).to_be_focused()
    await playground.page.keyboard.press("Enter")
    await editor.fill("The second wording")
    await editor.press("Enter")
    await expect(playground.user_messages).to_have_count(1)
    turn = await playground.ended()
    await expect(turn.locator("blockquote")).to_have_text("The second wording")
    await expect(turn).to_be_focused()

    switch = playground.user_messages.get_by_role("group", name="Versions")
    await expect(switch).to_contain_text("2 of 2")
    article = playground.page.get_by_role("article", name="Your message, version 2 of 2")
    await expect(article).to_have_count(1)
    await button(switch, "Earlier version").click()
    await expect(playground.user_messages).to_have_count(2)
    await expect(playground.user_messages.first).to_contain_text("The first wording")
    await expect(button(switch.first, "Earlier version")).to_be_focused()
    await playground.page.keyboard.press("ArrowRight")
    await expect(playground.user_messages).to_have_count(1)
    await expect(button(switch, "Later version")).to_be_focused()


async def test_a_refused_edit_keeps_the_editor_and_what_was_typed(playground: Playground) -> None:
    playground.watch.expect("413|429|422")
    await playground.ask("As it was")
    message = playground.user_messages
    await message.hover()
    await button(message, "Edit message").click()
    editor = message.get_by_role("textbox")
    await editor.fill("Reworded")
    await playground.page.locator("#stop-strings textarea").fill("x" * 201)
    await playground.has_setting("stop", "x" * 201)
    await button(message, "Send").click()
    await expect(message.get_by_role("alert")).to_contain_text("200 characters")
    await expect(editor).to_have_value("Reworded")
    await expect(playground.turns).to_have_count(1)
    await playground.page.locator("#stop-strings textarea").fill("")
    await playground.has_setting("stop", "")
    async with playground.page.expect_response(TURNS):
        await editor.press("Control+Enter")
    turn = await playground.ended()
    await expect(turn.locator("blockquote")).to_have_text("Reworded")


async def test_the_files_of_a_message_are_cards_and_can_be_taken_away_in_its_editor(
    playground: Playground,
) -> None:
    await playground.drop(
        file("cities.csv", "text/csv", b"city,people\nParis,2\n"),
        file("notes.md", "text/markdown", b"# Notes\n"),
    )
    await expect(playground.files).to_have_count(2)
    await playground.ask("What do these hold?")
    cards = playground.page.get_by_test_id("file-card")
    await expect(cards).to_have_count(2)
    await expect(cards.first).to_contain_text("2 lines, 20 B")
    await cards.first.click()
    await expect(playground.page.get_by_role("dialog")).to_contain_text("Paris,2")
    await playground.page.keyboard.press("Escape")
    message = playground.user_messages
    await message.hover()
    await button(message, "Edit message").click()
    await message.get_by_role("button", name="Take away notes.md").click()
    body = await asked(playground, button(message, "Send"))
    assert body["files"] == [{"name": "cities.csv", "text": "city,people\nParis,2\n"}]
    assert body["text"] == "What do these hold?"
    await playground.ended()
    await expect(cards).to_have_count(1)


async def test_an_answer_is_asked_again_at_another_effort(playground: Playground) -> None:
    await playground.ask("First")
    await playground.ask("Second")
    first, second = await playground.turns.element_handles()
    last = playground.turns.last
    await button(last, "Answer again").click()
    menu = playground.page.get_by_role("menu", name="Answer again")
    await expect(menu.get_by_role("menuitem", name="As before (Default)")).to_be_focused()
    efforts = menu.get_by_role("menuitemradio")
    await expect(efforts).to_have_text(["Default", "Low", "High", "Max"])
    await expect(menu.get_by_role("menuitemradio", checked=True)).to_have_text("Default")
    body = await asked(playground, menu.get_by_role("menuitemradio", name="Low"))
    assert body["options"]["effort"] == "low"
    turn = await playground.ended()
    figures = turn.get_by_role("list", name="Figures of this turn")
    await expect(figures).to_contain_text("Effort: Low")
    await expect(playground.turns).to_have_count(2)
    await expect(playground.user_messages).to_have_count(2)
    assert await first.evaluate("turn => turn.isConnected")
    assert not await second.evaluate("turn => turn.isConnected")
    switch = turn.get_by_role("group", name="Versions")
    await expect(switch).to_contain_text("2 of 2")
    await button(switch, "Earlier version").click()
    await expect(switch).to_contain_text("1 of 2")
    await expect(figures.last).not_to_contain_text("Effort")
    await playground.reload()
    await expect(playground.turns).to_have_count(2)
    await expect(playground.turns.last.get_by_role("group", name="Versions")).to_contain_text(
        "1 of 2"
    )


async def test_an_answer_in_the_middle_is_asked_again_from_there(playground: Playground) -> None:
    for text in ("First", "Second", "Third"):
        await playground.ask(text)
    turn = playground.turns.nth(1)
    await turn.hover()
    await button(turn, "Answer again").click()
    await playground.page.keyboard.press("Enter")
    await expect(playground.user_messages).to_have_count(2)
    await playground.ended()
    await expect(playground.turns).to_have_count(2)
    await expect(playground.turns.last).to_contain_text("2 of 2")
    await button(playground.turns.last, "Earlier version").click()
    await expect(playground.user_messages).to_have_count(3)


async def test_an_answer_in_the_readers_wording_is_another_version(
    playground: Playground,
) -> None:
    turn = await playground.ask("What is machine learning?")
    await button(turn, "Edit answer").click()
    editor = turn.get_by_role("textbox", name="The answer, reworded")
    await expect(editor).to_have_value(re.compile(r"^\*\*This is the simulator"))
    await editor.fill("In **my** own\nwords")
    await editor.press("Control+Enter")
    await expect(playground.answers.locator("strong")).to_have_text("my")
    await expect(playground.turns).to_have_count(1)
    await expect(turn.get_by_role("list", name="Figures")).to_contain_text("Edited")
    await expect(turn.get_by_test_id("reasoning")).to_be_visible()
    await expect(turn.get_by_role("group", name="Versions")).to_contain_text("2 of 2")
    await expect(turn).to_be_focused()

    body = await asked(playground, button(turn, "Continue"))
    assert body["continue"] is True
    await playground.ended()
    await expect(playground.turns).to_have_count(1)
    await expect(playground.answers).to_contain_text("my own")


async def test_a_rating_and_its_comment_outlive_a_reload(playground: Playground) -> None:
    turn = await playground.ask("What is machine learning?")
    like, dislike = button(turn, "Like"), button(turn, "Dislike")
    await dislike.click()
    field = turn.get_by_role("textbox", name="Comment on this answer")
    await expect(field).to_be_focused()
    await field.fill("Too short")
    async with playground.page.expect_response(FEEDBACK):
        await field.press("Enter")
    await expect(dislike).to_be_focused()
    await expect(turn.get_by_test_id("comment")).to_have_text("Too short")
    await playground.reload()
    await expect(dislike).to_have_attribute("aria-pressed", "true")
    await expect(turn.get_by_test_id("comment")).to_have_text("Too short")
    await like.click()
    await expect(field).to_have_value("Too short")
    await field.press("Escape")
    await expect(like).to_have_attribute("aria-pressed", "true")
    await expect(dislike).to_have_attribute("aria-pressed", "false")
    async with playground.page.expect_response(FEEDBACK):
        await like.click()
    await expect(turn.get_by_test_id("comment")).to_have_count(0)
    await playground.reload()
    await expect(like).to_have_attribute("aria-pressed", "false")


async def test_the_last_message_is_taken_back_into_the_box(playground: Playground) -> None:
    await playground.ask("First")
    await playground.drop(file("notes.md", "text/markdown", b"# Notes\n"))
    await expect(playground.files).to_have_count(1)
    await playground.ask("Second")
    await expect(button(playground.user_messages.first, "Take back")).to_have_count(0)
    last = playground.user_messages.last
    await last.hover()
    await button(last, "Take back").click()
    await expect(playground.message).to_have_value("Second")
    await expect(playground.message).to_be_focused()
    await expect(playground.files).to_have_count(1)
    await expect(playground.user_messages).to_have_count(1)
    await expect(playground.turns).to_have_count(1)
    await playground.reload()
    await expect(playground.user_messages).to_have_count(1)


@pytest.mark.parametrize(
    ("faults", "way"),
    [("drop-after=60", "Continue"), ("drop-after=20", "Answer from here")],
)
async def test_a_cut_answer_goes_on_in_its_own_card(
    playground: Playground, faults: str, way: str
) -> None:
    await playground.simulate(faults)
    turn = await playground.ask("What is machine learning?")
    thought = await turn.get_by_test_id("reasoning").locator(".thought-label").inner_text()
    before = await turn.locator(".turn-parts").inner_text()
    await playground.simulate("")
    notice = turn.get_by_test_id("notice")
    await expect(button(notice, "Retry")).to_be_visible()
    await asked(playground, button(notice, way))
    turn = await playground.ended()
    await expect(playground.turns).to_have_count(1)
    await expect(turn).to_have_attribute("data-state", "complete")
    assert len(await turn.locator(".turn-parts").inner_text()) > len(before)
    await expect(turn.get_by_test_id("reasoning").locator(".thought-label")).to_have_text(thought)
    whole = await playground.answers.inner_text()
    await playground.reload()
    assert await playground.answers.inner_text() == whole


@pytest.mark.parametrize("is_at_end", [True, False])
async def test_while_an_answer_is_gone_on_with_the_reader_stays_where_they_are(
    playground: Playground, is_at_end: bool
) -> None:
    await playground.simulate("reasoning=20;drop-after=400")
    turn = await playground.ask("Write a very long answer of 900 words.")
    await playground.simulate("")
    box = playground.page.locator(".transcript")
    if not is_at_end:
        await box.evaluate("box => box.scrollTo(0, box.scrollHeight - box.clientHeight - 60)")
        await expect(playground.page.get_by_role("button", name="Jump to latest")).to_be_visible()
    before = await box.evaluate("box => box.scrollTop")
    assert before > 0
    # Not by a real click, which would first scroll the button into view.
    async with playground.page.expect_response(TURNS):
        await button(turn.get_by_test_id("notice"), "Continue").evaluate("go => go.click()")
    await playground.ended()
    from_end = await box.evaluate("box => box.scrollHeight - box.scrollTop - box.clientHeight")
    if is_at_end:
        assert from_end < 2
    else:
        assert await box.evaluate("box => box.scrollTop") == pytest.approx(before, abs=2)


async def test_the_name_of_a_failed_request_is_told(playground: Playground) -> None:
    """The simulator names no requests, as a server behind a load balancer does."""
    await playground.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await playground.simulate("status=400")
    await playground.ask("What is machine learning?")

    async def name(route: Route) -> None:
        response = await route.fetch()
        chat = await response.json()
        chat["messages"][-1]["error"]["request_id"] = "request-of-the-test"
        await route.fulfill(response=response, json=chat)

    await playground.page.route("**/api/chats/*?limit=*", name)
    await playground.reload()
    line = playground.notices.get_by_test_id("request-id")
    await expect(line).to_contain_text("Request id: request-of-the-test")
    await button(line, "Copy the request id").click()
    await expect(line.get_by_title("Copied")).to_be_visible()
    copied = await playground.page.evaluate("navigator.clipboard.readText()")
    assert copied == "request-of-the-test"


async def test_while_an_answer_is_under_way_what_would_change_the_chat_says_so(
    playground: Playground,
) -> None:
    await playground.ask("First")
    await playground.simulate("no-reasoning;answer=4000;chunk=5;stall-after=20")
    await playground.send("Tell me something long")
    first = playground.turns.first
    await first.hover()
    await button(first, "Answer again").click()
    await playground.page.keyboard.press("Enter")
    await expect(playground.said).to_contain_text("An answer is still coming")
    await expect(playground.turns).to_have_count(2)
    await playground.page.keyboard.press("Escape")
    await playground.ended()


async def test_a_menu_goes_with_its_button_and_closes_once_that_is_out_of_sight(
    playground: Playground,
) -> None:
    """While an answer comes, the page scrolls under whoever has opened one."""
    await playground.simulate("no-reasoning;answer=1200")
    turn = await playground.ask("Tell me something long")
    again = button(turn, "Answer again")
    await again.click()
    menu = turn.get_by_role("menu")
    before = await menu.bounding_box()
    scroll = "by => document.querySelector('.transcript').scrollBy(0, by)"
    await playground.page.evaluate(scroll, -40)
    await playground.page.wait_for_function(
        "([menu, y]) => Math.abs(menu.getBoundingClientRect().y - y - 40) < 2",
        arg=[await menu.element_handle(), before["y"]],
    )
    await expect(menu).to_be_visible()
    await expect(menu.get_by_role("menuitem").first).to_be_focused()
    await playground.page.evaluate(scroll, -2000)
    await expect(menu).to_be_hidden()


async def test_actions_are_reached_by_keyboard_alone(playground: Playground) -> None:
    turn = await playground.ask("What is machine learning?")
    await playground.user_messages.focus()
    await playground.page.keyboard.press("Tab")
    await expect(button(playground.user_messages, "Copy message")).to_be_focused()
    await playground.page.keyboard.press("ArrowRight")
    await expect(button(playground.user_messages, "Edit message")).to_be_focused()
    await playground.page.keyboard.press("Tab")
    await playground.page.keyboard.press("Tab")
    actions = turn.get_by_role("toolbar", name="What can be done with this answer")
    await expect(button(actions, "Copy as Markdown")).to_be_focused()
    await playground.page.keyboard.press("End")
    await expect(button(actions, "Inspect")).to_be_focused()
    await expect(button(actions, "Inspect")).to_have_css("opacity", "1")


async def test_a_long_message_is_folded(playground: Playground) -> None:
    lines = "\n".join(f"line {number}" for number in range(1, 31))
    await playground.ask(lines)
    text = playground.user_messages.locator(".user-text")
    await expect(text).to_contain_text("line 12")
    await expect(text).not_to_contain_text("line 30")
    more = button(playground.user_messages, "Show all")
    await more.click()
    await expect(text).to_have_text(lines)
    await button(playground.user_messages, "Show less").click()
    await expect(text).not_to_contain_text("line 30")
