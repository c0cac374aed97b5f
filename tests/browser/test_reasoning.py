"""The pane in which the model is seen thinking."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Locator, expect

from tests.browser.playground import Playground

pytestmark = pytest.mark.asyncio(loop_scope="session")

LONG_THOUGHT = "reasoning=6000;chunk=20;speed=60"
"""More than a second of thought, much more than the pane is high."""


def head(playground: Playground) -> Locator:
    return playground.reasoning.last.get_by_role("button")


def body(playground: Playground) -> Locator:
    return playground.reasoning.last.get_by_role("region", name="Reasoning")


async def overflows(playground: Playground, by: int) -> None:
    """Waits until the open pane holds so many pixels more than it shows."""
    await playground.page.wait_for_function(
        "by => { const b = document.querySelector('.thought-body');"
        " return b && b.scrollHeight - b.clientHeight > by }",
        arg=by,
    )


async def scroll_top(pane: Locator) -> float:
    top: float = await pane.evaluate("pane => pane.scrollTop")
    return top


async def rests(pane: Locator) -> float:
    """Where a pane stands once the wheel has turned it: it glides for some frames."""
    top: float = await pane.evaluate(
        """async (pane) => {
          const frame = () => new Promise((done) => requestAnimationFrame(done));
          for (let before = NaN, still = 0; still < 5; before = pane.scrollTop) {
            await frame();
            still = pane.scrollTop === before ? still + 1 : 0;
          }
          return pane.scrollTop;
        }"""
    )
    return top


async def test_the_pane_opens_follows_its_tail_and_closes_when_the_answer_starts(
    playground: Playground,
) -> None:
    await playground.simulate(LONG_THOUGHT)
    await playground.send("What is machine learning?")
    await expect(body(playground)).to_be_visible()
    await expect(head(playground)).to_have_text(re.compile(r"^Thinking… \d+ s"))
    await overflows(playground, 150)
    below = await body(playground).evaluate("b => b.scrollHeight - b.scrollTop - b.clientHeight")
    assert below < 32
    await expect(playground.answers).to_be_visible()
    await expect(body(playground)).to_be_hidden()
    await expect(head(playground)).to_have_text(
        re.compile(r"^Thought for \d+\.\d+ s · [\d,]+ tokens$")
    )
    await playground.ended()
    await head(playground).click()
    await expect(body(playground)).to_be_visible()
    await expect(body(playground)).to_contain_text("I am the simulator")
    await head(playground).click()
    await expect(body(playground)).to_be_hidden()


async def test_a_pane_that_the_reader_opened_stays_open(playground: Playground) -> None:
    await playground.simulate(LONG_THOUGHT)
    await playground.send("Hello")
    await expect(body(playground)).to_be_visible()
    await head(playground).click()
    await expect(body(playground)).to_be_hidden()
    await head(playground).click()
    await playground.ended()
    await expect(body(playground)).to_be_visible()


async def test_a_pane_that_the_reader_closed_stays_closed(playground: Playground) -> None:
    await playground.simulate(LONG_THOUGHT)
    await playground.send("Hello")
    await head(playground).click()
    await expect(head(playground)).to_have_text(re.compile(r"Thinking.* · ~?[\d,]+ tokens"))
    await expect(body(playground)).to_be_hidden()
    await playground.ended()
    await expect(body(playground)).to_be_hidden()


async def test_a_pane_that_is_being_read_stays_open_where_it_was(playground: Playground) -> None:
    await playground.simulate(LONG_THOUGHT)
    await playground.send("Hello")
    await overflows(playground, 200)
    await body(playground).hover()
    await playground.page.mouse.wheel(0, -120)
    await playground.page.wait_for_function(
        "() => { const b = document.querySelector('.thought-body');"
        " return b.scrollHeight - b.scrollTop - b.clientHeight > 40 }"
    )
    kept = await rests(body(playground))
    await overflows(playground, 500)
    assert await scroll_top(body(playground)) == kept
    await playground.ended()
    await expect(body(playground)).to_be_visible()
    assert await scroll_top(body(playground)) == kept


async def test_a_pane_that_is_read_by_keyboard_stays_open(playground: Playground) -> None:
    await playground.simulate(LONG_THOUGHT)
    await playground.send("Hello")
    await body(playground).focus()
    await playground.ended()
    await expect(body(playground)).to_be_visible()
    await expect(body(playground)).to_be_focused()


@pytest.mark.parametrize("ending", ["stopped", "cut_short"])
async def test_a_thought_without_an_answer_stays_open(playground: Playground, ending: str) -> None:
    fault = "stall-after" if ending == "stopped" else "drop-after"
    await playground.simulate(f"{LONG_THOUGHT};{fault}=20")
    await playground.send("Hello")
    await expect(body(playground)).to_contain_text("I am the simulator")
    if ending == "stopped":
        await playground.page.keyboard.press("Escape")
    await playground.ended()
    await expect(playground.notices).to_have_attribute("data-code", ending)
    await expect(body(playground)).to_be_visible()


async def test_a_thought_that_came_as_answer_is_moved_into_a_pane(playground: Playground) -> None:
    await playground.simulate("unsplit")
    turn = await playground.ask("Hello")
    await expect(turn.get_by_test_id("reasoning")).to_have_count(1)
    await expect(turn.get_by_test_id("answer")).to_have_count(1)
    await expect(turn.get_by_test_id("answer")).not_to_contain_text("think>")
    await expect(turn.get_by_test_id("answer")).to_contain_text("This is the simulator")
    await expect(turn.get_by_test_id("notice")).to_have_attribute("data-code", "thought_in_answer")
    await head(playground).click()
    await expect(body(playground)).to_contain_text("The user wrote 5 characters")


async def test_the_conversation_follows_its_end_unless_the_reader_left_it(
    playground: Playground,
) -> None:
    await playground.simulate("no-reasoning;answer=8000;chunk=10;speed=100")
    transcript = playground.page.get_by_role("log", name="Conversation")
    jump = playground.page.get_by_role("button", name="Jump to latest")
    from_end = "t => t.scrollHeight - t.scrollTop - t.clientHeight"
    await playground.send("Hello")
    await playground.page.wait_for_function(
        "() => document.querySelector('.transcript').scrollTop > 300"
    )
    assert await transcript.evaluate(from_end) < 32
    await expect(jump).to_be_hidden()
    await transcript.hover()
    await playground.page.mouse.wheel(0, -200)
    await expect(jump).to_be_visible()
    kept = await rests(transcript)
    await playground.ended()
    assert await scroll_top(transcript) == kept
    await jump.click()
    await expect(jump).to_be_hidden()
    assert await transcript.evaluate(from_end) < 32
