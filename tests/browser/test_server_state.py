"""The state of the model server in the header: waking, waiting, failing, and the tab's title."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TypeAlias

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.baseten import CHAT, WAKE, LoopbackBaseten, environment, serving_baseten
from tests.browser.playground import OpenAt, OpenPlayground, Playground
from tests.browser.process import running_app

pytestmark = pytest.mark.asyncio(loop_scope="session")

WAKING = re.compile(r"Waking \d+ s, billed")


Asking: TypeAlias = Callable[[LoopbackBaseten], Awaitable[str]]


@pytest_asyncio.fixture(loop_scope="session")
async def asking(tmp_path: Path) -> AsyncIterator[Asking]:
    """Starts an app that asks a model of Baseten's, in a process of its own; gives its address.

    To be named before the pages that are opened at it: they are closed first.
    """
    async with AsyncExitStack() as started:

        async def start(server: LoopbackBaseten) -> str:
            baseten = await started.enter_async_context(serving_baseten(server))
            app = running_app(tmp_path, **environment(baseten))
            # The model is served by this loop: it must go on while the app starts and ends.
            url = await asyncio.to_thread(app.__enter__)
            started.push_async_callback(asyncio.to_thread, app.__exit__, None, None, None)
            return url

        yield start


@pytest.fixture
def one_slot_url(tmp_path: Path) -> Iterator[str]:
    """An app that sends the model one turn at a time."""
    with running_app(tmp_path, GLM_SLOTS="1", GLM_SIMULATOR_TOKENS_PER_SECOND="1500") as url:
        yield url


async def hide(playground: Playground, *, hidden: bool = True) -> None:
    """Has the page believe that its tab is hidden, or seen again."""
    await playground.page.evaluate(
        """(hidden) => {
          Object.defineProperty(document, "hidden", { configurable: true, value: hidden });
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        hidden,
    )


async def test_a_sleeping_model_is_woken_and_then_sent_the_message(
    asking: Asking, open_at: OpenAt
) -> None:
    server = LoopbackBaseten("SCALED_TO_ZERO")
    playground = await open_at(await asking(server))
    await expect(playground.status).to_have_attribute("data-state", "asleep")
    await expect(playground.status).to_contain_text(
        "wakes with the first message; billed from then"
    )
    assert WAKE not in server.routes()
    await playground.send("Good morning")
    await expect(playground.user_messages).to_contain_text("Good morning")
    await expect(playground.turns).to_have_attribute("data-state", "running")
    await expect(playground.status).to_have_attribute("data-state", "waking")
    await expect(playground.status).to_contain_text(WAKING)
    await expect(playground.turns).to_contain_text(re.compile(r"Waking the server, billed · \d+ s"))
    assert CHAT not in server.routes()
    await hide(playground)
    await server.become("ACTIVE")
    await expect(playground.page).to_have_title(re.compile("^(Ready|Answered) · Good morning"))
    await hide(playground, hidden=False)
    await expect(playground.page).to_have_title("Good morning · GLM-5.3-Flash Playground")
    await expect(playground.status).to_have_attribute("data-state", "ready")
    turn = await playground.ended()
    await expect(turn).to_have_attribute("data-state", "complete")
    assert server.routes().count(WAKE) == 1
    assert server.routes().count(CHAT) == 1


async def test_a_wake_can_be_stopped(asking: Asking, open_at: OpenAt) -> None:
    server = LoopbackBaseten("SCALED_TO_ZERO")
    playground = await open_at(await asking(server))
    await expect(playground.status).to_have_attribute("data-state", "asleep")
    await playground.send("Good morning")
    await expect(playground.status).to_contain_text(WAKING)
    await playground.stop_button.click()
    turn = await playground.ended()
    await expect(turn.get_by_test_id("notice")).to_have_attribute("data-code", "stopped")
    await expect(playground.user_messages).to_contain_text("Good morning")
    await server.become("ACTIVE")
    await expect(playground.status).to_have_attribute("data-state", "ready")
    assert CHAT not in server.routes()


async def test_a_server_that_fails_says_why_in_its_own_words(
    asking: Asking, open_at: OpenAt
) -> None:
    server = LoopbackBaseten("FAILED")
    playground = await open_at(await asking(server))
    status = playground.status
    await expect(status).to_have_attribute("data-state", "unreachable")
    await status.get_by_role("button", name="Unreachable").press("Enter")
    said = playground.page.get_by_test_id("status-message")
    await expect(said).to_contain_text("The deployment failed (FAILED)")
    server.refused = 403
    await status.get_by_role("button", name="Try again").click()
    await expect(status).to_have_attribute("data-state", "unknown")
    await expect(said).to_contain_text("Refused, with the key")
    await expect(said).to_contain_text("Request id: request-on-loopback")
    await expect(said).not_to_contain_text("test-key-not-real")
    await playground.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await status.get_by_role("button", name="Copy what the server says").click()
    copied = await playground.page.evaluate("navigator.clipboard.readText()")
    assert "request-on-loopback" in copied
    server.refused = None
    await server.become("ACTIVE")
    await status.get_by_role("button", name="Try again").click()
    await expect(status).to_have_attribute("data-state", "ready")
    await expect(said).to_have_count(0)


async def test_a_turn_in_the_line_shows_its_place(one_slot_url: str, open_at: OpenAt) -> None:
    first, second, third = [await open_at(one_slot_url) for _ in range(3)]
    await first.simulate("stall-after=20")
    await first.send("The first")
    await expect(first.reasoning).to_be_attached()
    await expect(first.status).to_have_attribute("data-state", "simulator")
    for place, waiting in enumerate((second, third), start=1):
        await waiting.send("In the line")
        await expect(waiting.status).to_have_attribute("data-state", "busy")
        await expect(waiting.status).to_contain_text(f"your place in the line: {place}")
        before = "you are next" if place == 1 else "1 before you"
        await expect(waiting.turns).to_contain_text(f"All slots are busy · {before}")
    await second.stop_button.click()
    await second.ended()
    await expect(second.status).to_have_attribute("data-state", "simulator")
    await expect(third.status).to_contain_text("your place in the line: 1")
    await first.stop_button.click()
    turn = await third.ended()
    await expect(turn).to_have_attribute("data-state", "complete")
    await expect(third.status).to_have_attribute("data-state", "simulator")


async def test_a_playground_that_is_gone_is_offline_and_comes_back(playground: Playground) -> None:
    playground.watch.expect("ERR_INTERNET_DISCONNECTED")
    await expect(playground.status).to_have_attribute("data-state", "simulator")
    await playground.page.context.set_offline(True)
    try:
        await expect(playground.status).to_have_attribute("data-state", "offline")
        await expect(playground.status).to_contain_text("Offline")
        # Told once, politely.
        await expect(playground.page.get_by_test_id("announcer")).to_contain_text("Offline")
    finally:
        await playground.page.context.set_offline(False)
    await expect(playground.status).to_have_attribute("data-state", "simulator")


async def test_on_a_phone_the_badge_stays_and_a_tap_shows_its_words(
    open_playground: OpenPlayground,
) -> None:
    playground = await open_playground(width=390, height=844)
    badge = playground.status.get_by_role("button")
    await expect(badge).to_have_text("Model server: Simulator")
    sentence = "No model is connected: answers come from the built-in simulator."
    await expect(playground.page.get_by_text(sentence)).to_be_hidden()
    await badge.click()
    details = playground.page.get_by_role("dialog", name="The model server")
    await expect(details).to_contain_text(sentence)
    await expect(details).to_be_in_viewport(ratio=1)
    await expect(badge).to_have_attribute("aria-expanded", "true")
    await playground.page.keyboard.press("Escape")
    await expect(details).to_be_hidden()
    await expect(badge).to_be_focused()


async def test_the_title_names_the_chat_and_what_happened_unseen(playground: Playground) -> None:
    page = playground.page
    await expect(page).to_have_title("GLM-5.3-Flash Playground")
    await playground.send("What is machine learning?")
    named = "What is machine learning? · GLM-5.3-Flash Playground"
    await expect(page).to_have_title(named)
    await playground.ended()
    await hide(playground)
    await playground.ask("And what is a model?")
    await expect(page).to_have_title(f"Answered · {named}")
    await hide(playground, hidden=False)
    await expect(page).to_have_title(named)
    await playground.new_chat()
    await expect(page).to_have_title("GLM-5.3-Flash Playground")
