"""A turn from its start to its end: stopping, asking again, and the figures under it."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from tests.browser.playground import OpenPlayground, Playground

pytestmark = pytest.mark.asyncio(loop_scope="session")

SLOW_ANSWER = "no-reasoning;answer=4000;chunk=5;speed=40"


async def test_stop_keeps_what_came_and_frees_the_chat(playground: Playground) -> None:
    await playground.simulate(SLOW_ANSWER)
    for way in ("button", "Escape"):
        await playground.send("Tell me something long")
        turn = playground.turns.last
        await expect(turn.get_by_test_id("answer")).to_contain_text("Section 1")
        if way == "button":
            await playground.page.get_by_role("button", name="Stop").click()
        else:
            await playground.page.keyboard.press("Escape")
        await playground.ended()
        await expect(turn).to_have_attribute("data-state", "incomplete")
        await expect(turn.get_by_test_id("answer")).to_contain_text("Section 1")
        notice = turn.get_by_test_id("notice")
        await expect(notice).to_have_attribute("data-code", "stopped")
        await expect(notice).to_contain_text("Stopped; what came before is kept.")
    await playground.simulate("")
    again = await playground.ask("And now?")
    await expect(again).to_have_attribute("data-state", "complete")
    await expect(playground.turns).to_have_count(3)


async def test_a_turn_can_be_stopped_before_anything_came(playground: Playground) -> None:
    await playground.simulate("delay=60")
    await playground.send("Hello")
    await expect(playground.turns).to_contain_text("Waiting for the first token")
    await playground.stop_button.click()
    await playground.ended()
    await expect(playground.notices).to_contain_text("Stopped before anything came.")


async def test_new_chat_empties_the_page_and_the_run_goes_on_in_its_own(
    playground: Playground,
) -> None:
    await playground.simulate(SLOW_ANSWER)
    await playground.send("Tell me something long")
    await expect(playground.answers).to_contain_text("Section 1")
    await playground.new_chat()
    await expect(playground.turns).to_have_count(0)
    await expect(playground.user_messages).to_have_count(0)
    await expect(playground.message).to_be_focused()
    await expect(playground.send_button).to_have_attribute("data-state", "send")
    await playground.page.go_back()
    await expect(playground.turns).to_have_attribute("data-state", "running")
    await expect(playground.answers).to_contain_text("Section 2")
    await expect(playground.user_messages).to_have_count(1)
    await playground.stop_button.click()
    await playground.ended()
    await expect(playground.turns).to_have_count(1)


async def test_the_line_under_a_turn_has_its_figures(playground: Playground) -> None:
    await playground.simulate("cached=128;speed=100")
    turn = await playground.ask("What is machine learning?")
    figures = turn.get_by_role("list", name="Figures of this turn").get_by_role("listitem")
    expected = (
        r"First token \d+(\.\d+)? s",
        r"Thinking [\d,.]+ tok/s",
        r"Answer [\d,.]+ tok/s",
        r"\d+ tokens",
        "128 cached",
        r"Total \d+(\.\d+)? s",
    )
    await expect(figures).to_have_text([re.compile(f"^{each}$") for each in expected])

    await playground.simulate("no-usage")
    turn = await playground.ask("What did the server not count?")
    estimated = turn.get_by_role("list", name="Figures of this turn")
    await expect(estimated).to_contain_text(re.compile(r"~[\d,]+ tokens"))
    await expect(turn.get_by_test_id("reasoning")).to_contain_text(re.compile(r"· ~[\d,]+ tokens"))


async def test_nothing_shifts_when_a_turn_ends(open_playground: OpenPlayground) -> None:
    playground = await open_playground(height=1600)
    await playground.simulate("chunk=2;speed=60")
    await playground.send("What is machine learning?")
    await expect(playground.answers).to_contain_text("Read as a question")
    running = await _places(playground)
    await playground.ended()
    assert await _places(playground) == running


async def _places(playground: Playground) -> dict[str, object]:
    """Where the parts of the turn and the box stand, whatever the answer's length by now."""
    places: dict[str, object] = await playground.page.evaluate(
        """() => {
          const box = (name) => document.querySelector(name).getBoundingClientRect();
          const [answer, foot] = [box(".answer"), box(".turn-foot")];
          return {
            message: box("article.user").toJSON(),
            reasoning: box(".thought").toJSON(),
            answer: [answer.x, answer.y, answer.width],
            foot: [foot.x, foot.width, foot.height],
            "foot under answer": foot.top - answer.bottom,
            box: box(".composer-box").toJSON(),
          };
        }"""
    )
    return places
