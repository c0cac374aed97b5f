"""What axe finds, and what a screen reader is told."""

from __future__ import annotations

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import expect

from tests.browser.playground import TURNS, OpenPlayground, Playground, file

pytestmark = pytest.mark.asyncio(loop_scope="session")

GRAVE = ("serious", "critical")


async def violations(playground: Playground) -> list[str]:
    """The serious and critical ones, with the elements that they are about."""
    await playground.page.wait_for_function(
        "document.getAnimations().every(a => a.playState !== 'running')"
    )
    found = (await Axe().run(playground.page)).response["violations"]
    return [
        f"{each['id']} ({each['impact']}): {node['html'][:200]} {node.get('failureSummary', '')}"
        for each in found
        if each["impact"] in GRAVE
        for node in each["nodes"]
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_no_grave_violation(open_playground: OpenPlayground, theme: str) -> None:
    playground = await open_playground(color_scheme=theme)
    assert await violations(playground) == []
    turn = await playground.ask("Show me what Markdown can do")
    await turn.get_by_test_id("reasoning").get_by_role("button").click()
    assert await violations(playground) == []
    await playground.new_chat()
    await playground.examples.filter(has_text="Call a tool").click()
    await playground.ended()
    await playground.simulate("status=400")
    await playground.ask("And now?", leaving_calls=True)
    await playground.resize(390, 844)
    await expect(playground.settings_toggle).to_have_attribute("aria-expanded", "false")
    assert await violations(playground) == []
    await playground.settings_toggle.click()
    await expect(playground.settings).to_be_in_viewport(ratio=1)
    assert await violations(playground) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_no_grave_violation_in_what_waits(
    open_playground: OpenPlayground, theme: str
) -> None:
    playground = await open_playground(color_scheme=theme)
    await playground.simulate("stall-after=20")
    await playground.send("Hello")
    for text in ("The next message", "And another"):
        await playground.drop(file("notes.md", "text/markdown", b"# Notes"))
        await expect(playground.files).to_have_count(1)
        await playground.write(text)
        if text == "The next message":
            await playground.message.press("Enter")
    await expect(playground.queued).to_have_count(1)
    await playground.message.press("Escape")
    await playground.ended()
    await playground.status.get_by_role("button").click()
    assert await violations(playground) == []
    await playground.page.keyboard.press("Escape")
    await playground.files.get_by_role("button", name="Show notes.md").click()
    assert await violations(playground) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_no_grave_violation_in_what_is_done_with_messages(
    open_playground: OpenPlayground, theme: str
) -> None:
    playground = await open_playground(color_scheme=theme)
    page = playground.page
    await playground.drop(file("notes.md", "text/markdown", b"# Notes"))
    await expect(playground.files).to_have_count(1)
    await playground.simulate("drop-after=60")
    turn = await playground.ask("A line\n" * 30)
    again = turn.get_by_role("button", name="Answer again")
    await again.click()
    assert await violations(playground) == []
    async with page.expect_response(TURNS):
        await page.keyboard.press("Enter")
    await playground.ended()
    await expect(turn.get_by_role("group", name="Versions")).to_contain_text("2 of 2")
    await turn.get_by_role("button", name="Dislike").click()
    await playground.user_messages.hover()
    assert await violations(playground) == []
    await page.get_by_role("textbox", name="Comment on this answer").fill("Too short")
    await page.keyboard.press("Enter")
    await playground.user_messages.get_by_role("button", name="Edit message").click()
    await expect(page.get_by_test_id("editor")).to_be_visible()
    assert await violations(playground) == []


async def test_a_screen_reader_is_told_the_stages_and_not_each_token(
    playground: Playground,
) -> None:
    await playground.page.evaluate(
        """() => {
          window.told = [];
          const region = document.querySelector("[data-testid=announcer]");
          new MutationObserver(() => window.told.push(region.textContent))
            .observe(region, { childList: true, characterData: true, subtree: true });
        }"""
    )
    await playground.simulate("speed=60")
    await playground.ask("Hello")
    await playground.page.wait_for_function("window.told.at(-1) === 'Done'")
    told = list(dict.fromkeys(await playground.page.evaluate("window.told")))
    assert told == ["Thinking", "Answering", "Done"]
    log = playground.page.get_by_role("log", name="Conversation")
    await expect(log).to_have_attribute("aria-live", "off")


async def test_the_page_has_one_name_and_headings_in_order(playground: Playground) -> None:
    await expect(playground.page.get_by_role("heading", level=1)).to_have_count(1)
    await expect(playground.page).to_have_title("GLM-5.3-Flash Playground")
    await expect(playground.page.get_by_test_id("status")).to_contain_text("Simulator")
