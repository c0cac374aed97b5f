"""How much of the context a chat takes, and what it has cost."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.async_api import Locator, expect

from tests.browser.playground import OpenAt, OpenPlayground, Playground, file
from tests.browser.process import running_app
from tests.media.samples import encoded, quarters

pytestmark = pytest.mark.asyncio(loop_scope="session")

LIMIT = 2_000
WORD = "one "


@pytest.fixture(scope="module")
def small_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An app whose model has a small context, and a price."""
    with running_app(
        tmp_path_factory.mktemp("small"),
        GLM_CONTEXT_TOKENS=str(LIMIT),
        GLM_PRICE_INPUT="10",
        GLM_PRICE_OUTPUT="40",
        GLM_SIMULATOR_TOKENS_PER_SECOND="1500",
    ) as url:
        yield url


def meter(playground: Playground) -> Locator:
    return playground.page.get_by_test_id("meter")


def warning(playground: Playground) -> Locator:
    return playground.page.get_by_test_id("meter-warning")


async def taken(playground: Playground) -> int:
    return int(await meter(playground).get_attribute("aria-valuenow") or 0)


async def test_a_draft_and_its_files_are_counted_before_they_are_sent(
    playground: Playground,
) -> None:
    shown = meter(playground)
    await expect(shown).to_have_attribute("aria-valuetext", "0 of 1,048,576 tokens")
    await playground.write("What is machine learning?")
    await expect(shown).to_have_attribute("aria-valuetext", re.compile(r"^[1-9]\d? of 1,048,576"))
    await expect(shown).to_have_text(re.compile(r"^\d+ tokens$"))
    before = await taken(playground)
    await playground.drop(file("words.txt", "text/plain", (WORD * 500).encode()))
    await expect(shown).to_have_attribute("aria-valuetext", re.compile(r"^\d{3,} of"))
    assert await taken(playground) > before + 400
    await playground.page.get_by_role("button", name="Take away words.txt").click()
    await expect(shown).to_have_attribute("aria-valuenow", str(before))
    await playground.write("")
    await expect(shown).to_have_attribute("aria-valuenow", "0")


async def test_a_chat_is_counted_by_the_server_and_a_picture_makes_it_an_estimate(
    playground: Playground,
) -> None:
    await playground.ask("What is machine learning?")
    shown = meter(playground)
    await expect(shown).to_have_attribute("aria-valuetext", re.compile(r"^\d{2,} of 1,048,576"))
    await expect(shown).to_have_attribute("title", re.compile("Counted by the server"))
    await playground.drop(file("a.png", "image/png", encoded(quarters(320, 240), "PNG")))
    await expect(shown).to_have_attribute("aria-valuetext", re.compile(r"^~\d{2,} of 1,048,576"))
    await expect(shown).to_have_attribute("title", re.compile("estimated"))
    await playground.new_chat()
    await expect(shown).to_have_attribute("aria-valuetext", "0 of 1,048,576 tokens")


async def test_it_is_seen_from_half_and_warns_before_the_limit(
    open_at: OpenAt, small_url: str
) -> None:
    playground: Playground = await open_at(small_url)
    shown = meter(playground)
    await playground.write("Hello")
    await expect(shown).to_have_attribute("data-level", "quiet")
    await playground.write(WORD * 1_100)
    await expect(shown).to_have_attribute("data-level", "seen")
    await expect(shown).to_contain_text(re.compile(r"1,\d\d\d of 2,000 tokens"))
    await expect(warning(playground)).to_be_hidden()
    await playground.write(WORD * 1_700)
    await expect(shown).to_have_attribute("data-level", "near")
    await expect(warning(playground)).to_have_text(
        re.compile(
            r"^This chat takes 8\d% of the model's context\. Begin a new chat, take a file away, "
            r"or undo\.$"
        )
    )
    await playground.write(WORD * 2_100)
    await expect(warning(playground)).to_contain_text("as long as the model's context of 2,000")
    await expect(warning(playground)).to_have_attribute("data-tone", "error")
    # The server decides, and says so.
    await expect(playground.send_button).to_be_enabled()
    turn = await playground.ask(WORD * 2_100)
    await expect(turn.get_by_test_id("notice")).to_contain_text("maximum context length")


async def test_an_answer_that_would_not_fit_is_said(open_at: OpenAt, small_url: str) -> None:
    playground: Playground = await open_at(small_url)
    most = playground.page.locator("#max-tokens :is(textarea, input)")
    await most.fill("1900")
    await playground.write(WORD * 200)
    await expect(warning(playground)).to_contain_text("With 1,900 tokens for the answer")
    await most.fill("")
    await expect(warning(playground)).to_be_hidden()


async def test_a_turn_and_its_chat_show_what_they_cost(open_at: OpenAt, small_url: str) -> None:
    playground: Playground = await open_at(small_url)
    cost = playground.page.get_by_test_id("cost")
    await expect(cost).to_be_hidden()
    turn = await playground.ask("What is machine learning?")
    figures = turn.get_by_role("list", name="Figures of this turn")
    await expect(figures).to_contain_text(re.compile(r"\$0\.0\d+"))
    await expect(cost).to_have_text(re.compile(r"^\$0\.0\d+$"))
    once = float((await cost.inner_text()).removeprefix("$"))
    await playground.ask("And what is a model?")
    await expect(cost).not_to_have_text(f"${once}")
    assert float((await cost.inner_text()).removeprefix("$")) > once


async def test_without_a_price_nothing_is_said_of_cost(open_playground: OpenPlayground) -> None:
    playground = await open_playground()
    turn = await playground.ask("What is machine learning?")
    await expect(turn.get_by_role("list", name="Figures of this turn")).not_to_contain_text("$")
    await expect(playground.page.get_by_test_id("cost")).to_be_hidden()
