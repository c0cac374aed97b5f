"""What goes wrong at the model server, in words, with what to do; and nothing is lost."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from tests.browser.playground import Playground

pytestmark = pytest.mark.asyncio(loop_scope="session")

ENDINGS = {
    "status=400": ("server_error", "400: Status 400: asked for by X-Simulate.", "send again"),
    "error-after=5": ("server_error", "EngineCore encountered an issue.", "retry"),
    "drop-after=40": ("cut_short", "broke off before the server finished", "Continue it"),
    "reset-after=40": ("cut_short", "broke off before the server finished", "Continue it"),
    "reasoning=0;answer=0": ("empty_reply", "no reasoning, no answer, no call", "Retry"),
    "only-reasoning": ("only_reasoning", "thought, but gave no answer", "Retry"),
    "tool-text": ("tool_text_in_answer", "a tool call as text", "Declare the tool"),
    "finish=abort": ("ended_by_server", "gave the request up", "Retry"),
    "finish=content_filter": ("ended_by_server", "content filter", "change the prompt"),
    "finish=length": ("token_limit", "token limit was reached", "more tokens"),
}


async def test_each_wrong_ending_is_said_with_its_remedy(playground: Playground) -> None:
    for faults, (code, sentence, remedy) in ENDINGS.items():
        await playground.simulate(faults)
        turn = await playground.ask("What is machine learning?")
        notice = turn.get_by_test_id("notice")
        await expect(notice, faults).to_have_attribute("data-code", code)
        await expect(notice.locator("p").first).to_contain_text(sentence)
        await expect(notice.locator(".notice-remedy")).to_contain_text(remedy)
        await expect(playground.user_messages).to_contain_text("What is machine learning?")
        if code == "tool_text_in_answer":
            await expect(turn.get_by_test_id("answer")).to_contain_text("<tool_call>get_weather")
            await expect(turn.get_by_test_id("call")).to_have_count(0)
        await playground.new_chat()


async def test_what_came_before_a_break_is_kept_and_retry_gives_the_whole(
    playground: Playground,
) -> None:
    await playground.simulate("drop-after=70")
    turn = await playground.ask("What is machine learning?")
    await expect(turn).to_have_attribute("data-state", "incomplete")
    await expect(turn.get_by_test_id("answer")).to_contain_text("This is the simulator")
    await playground.simulate("")
    await turn.get_by_role("button", name="Retry").click()
    await expect(playground.notices).to_have_count(0)
    turn = await playground.ended()
    await expect(turn).to_have_attribute("data-state", "complete")
    await expect(turn.get_by_test_id("answer")).to_contain_text("Connect a real endpoint")
    await expect(playground.turns).to_have_count(1)


async def test_the_wait_for_a_busy_server_is_shown_and_then_it_answers(
    playground: Playground,
) -> None:
    await playground.simulate("status=503;times=2;retry-after=1")
    await playground.send("What is machine learning?")
    await expect(playground.turns).to_contain_text("The server is not ready")
    await expect(playground.turns).to_contain_text(re.compile(r"trying again( in 1 s)?"))
    turn = await playground.ended()
    await expect(turn).to_have_attribute("data-state", "complete")
    await expect(playground.notices).to_have_count(0)
    await expect(playground.answers).to_contain_text("This is the simulator")
