"""A turn belongs to the server: reloads, tabs and lost networks change nothing about it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from playwright.async_api import Route, expect

from tests.browser.playground import OpenPlayground, Playground

pytestmark = pytest.mark.asyncio(loop_scope="session")

RUN_EVENTS = "**/api/runs/*/events**"


async def words_of_the_model(playground: Playground) -> dict[str, str]:
    """The last turn as the server has it: the thought, and the answer's Markdown."""
    parts: list[dict[str, Any]] = await playground.page.evaluate(
        """async () => {
          const chat = JSON.parse(sessionStorage["glm.chat"]).id;
          const get = async (path) => (await fetch(path, {
            headers: { "X-Owner": window.glmOwner() } })).json();
          const { messages } = await get(`api/chats/${chat}`);
          return (await get(`api/chats/${chat}/turns/${messages.at(-1).id}`)).parts;
        }"""
    )
    return {part["kind"]: part["text"] for part in parts}


async def blocks(playground: Playground) -> list[str]:
    """The text of each block of the answer."""
    return await playground.answers.locator(".block").all_inner_texts()


async def test_reloads_in_mid_turn_lose_nothing(playground: Playground) -> None:
    await playground.simulate("reasoning=3000;answer=8000;chunk=12;speed=14")
    await playground.send("Tell me something long")
    for shown, text in ((playground.reasoning, "The effort"), (playground.answers, "Section 1")):
        await expect(shown).to_contain_text(text)
        await playground.reload()
        await expect(playground.turns).to_have_attribute("data-state", "running")
        await expect(playground.stop_button).to_be_visible()
    turn = await playground.ended()
    await expect(turn).to_have_attribute("data-state", "complete")
    for once in (playground.user_messages, playground.turns, playground.reasoning):
        await expect(once).to_have_count(1)
    source = await words_of_the_model(playground)
    thought = await playground.reasoning.locator(".thought-text").text_content()
    assert thought == source["reasoning"]
    headings = [line[3:] for line in source["answer"].splitlines() if line.startswith("## ")]
    assert len(headings) > 5
    await expect(playground.answers.locator("h2")).to_have_text(headings)
    followed = await blocks(playground)
    await playground.reload()
    assert await blocks(playground) == followed


async def test_a_lost_connection_is_said_and_the_turn_goes_on(playground: Playground) -> None:
    playground.watch.expect("ERR_CONNECTION_REFUSED")
    lost = 0

    async def lose(route: Route) -> None:
        nonlocal lost
        lost += 1
        if lost > 1:
            await route.continue_()
        else:
            await route.abort("connectionrefused")

    await playground.page.route(RUN_EVENTS, lose)
    await playground.simulate("speed=120")
    await playground.send("Hello")
    await expect(playground.turns).to_contain_text("Connection lost")
    turn = await playground.ended()
    await expect(turn).to_have_attribute("data-state", "complete")
    await expect(playground.answers).to_contain_text("Connect a real endpoint")
    assert lost == 2


async def test_two_tabs_of_one_reader_do_not_mix(open_playground: OpenPlayground) -> None:
    first, second = await open_playground(), await open_playground()
    for tab in (first, second):
        await tab.simulate("speed=120")
    await asyncio.gather(first.send("The first tab speaks"), second.send("The second tab speaks"))
    await asyncio.gather(first.ended(), second.ended())
    for tab, own in ((first, "first"), (second, "second")):
        await expect(tab.user_messages).to_have_text(f"The {own} tab speaks")
        await expect(tab.answers.locator("blockquote")).to_have_text(f"The {own} tab speaks")
        await tab.reload()
        await expect(tab.answers.locator("blockquote")).to_have_text(f"The {own} tab speaks")


async def test_an_ended_chat_is_there_after_a_reload_and_goes_on(playground: Playground) -> None:
    await playground.ask("First message")
    await playground.reload()
    turn = await playground.ask("Second message")
    await expect(playground.user_messages).to_have_count(2)
    await expect(turn.get_by_test_id("answer")).to_contain_text("It is message 2 of this chat.")


async def test_another_visitor_sees_nothing_of_it(open_playground: OpenPlayground) -> None:
    first = await open_playground()
    await first.ask("My own business")
    chat = await first.page.evaluate("sessionStorage['glm.chat']")
    other = await open_playground(another_visitor=True)
    other.watch.expect("404")
    await other.page.evaluate("chat => { sessionStorage['glm.chat'] = chat }", chat)
    await other.reload()
    await expect(other.welcome).to_be_visible()
    await expect(other.user_messages).to_have_count(0)
