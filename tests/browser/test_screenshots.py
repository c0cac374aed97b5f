"""Pictures of the page for people to look at, and those in the README.

They are written to tests/browser/screenshots, which is not committed. README_PICTURES=folder writes
the README's pictures there as well.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.browser.playground import OpenPlayground, Playground

pytestmark = pytest.mark.asyncio(loop_scope="session")

FOLDER = Path(__file__).parent / "screenshots"
SIZES = ((1440, 900), (1024, 768), (390, 844))
EXAMPLE = Path(__file__).parents[2] / "assets" / "examples" / "picture.png"


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_pictures_of_each_state(open_playground: OpenPlayground, theme: str) -> None:
    playground = await open_playground(color_scheme=theme)

    await _take(playground, f"empty-{theme}")
    await playground.simulate("reasoning=6000;chunk=20;speed=80;stall-after=60")
    await playground.send("Explain sparse attention in three concise sentences.")
    await expect(playground.reasoning).to_contain_text(re.compile("(That is everything.*){3}"))
    await _take(playground, f"thinking-{theme}")
    await playground.page.keyboard.press("Escape")
    await playground.ended()
    await _take(playground, f"stopped-{theme}")

    await playground.simulate("")
    await playground.new_chat()
    turn = await playground.ask("Show me what Markdown can do")
    await _take(playground, f"finished-{theme}")
    await turn.get_by_test_id("reasoning").get_by_role("button").click()
    await playground.page.locator(".transcript").evaluate("t => t.scrollTo(0, 0)")
    await _take(playground, f"reasoning-{theme}")

    await playground.new_chat()
    await playground.examples.filter(has_text="Call a tool").click()
    await playground.ended()
    await _take(playground, f"tool-{theme}")

    await playground.simulate("status=400")
    await playground.ask("And tomorrow?", leaving_calls=True)
    await _take(playground, f"error-{theme}")

    await playground.new_chat()
    await _attach(playground)
    await playground.write("What do you see in this picture?\nName its shapes and colours.")
    await _take(playground, f"attached-{theme}")

    for width, height in SIZES:
        await playground.page.set_viewport_size({"width": width, "height": height})
        is_beside = width >= 1200
        toggle = playground.settings_toggle
        await expect(toggle).to_have_attribute("aria-expanded", "true" if is_beside else "false")
        if not is_beside:
            await toggle.click()
        await expect(playground.settings).to_be_in_viewport(ratio=1)
        await _save(playground, f"settings-{theme}-{width}")
        if not is_beside:
            await playground.page.keyboard.press("Escape")


async def test_the_picture_of_the_readme(open_playground: OpenPlayground) -> None:
    playground = await open_playground(width=1440, height=900, color_scheme="light")
    await playground.effort.press("ArrowRight")
    await playground.simulate("delay=0.4;speed=60")
    turn = await playground.ask("Compare the reasoning efforts in a table.")
    await expect(turn.get_by_role("table")).to_be_visible()
    await turn.get_by_test_id("reasoning").get_by_role("button").click()
    await _attach(playground)
    await playground.write("And what do you see in this picture?")
    await expect(playground.send_button).to_be_in_viewport(ratio=1)
    await _save_for_readme(playground, "screenshot")


async def test_the_picture_of_the_tools_in_the_readme(open_playground: OpenPlayground) -> None:
    playground = await open_playground(width=1440, height=900, color_scheme="light")
    page = playground.page
    await page.get_by_role("tab", name="Tools").click()
    sets = page.get_by_role("list", name="Ready-made sets")
    await sets.get_by_role("button").filter(has_text="Weather").click()
    await expect(page.get_by_test_id("declared-tools")).to_contain_text("get_severe_alerts")
    question = "What is the current weather in Paris and the forecast for London for 3 days?"
    await playground.ask(question)
    waiting = page.get_by_test_id("pending")
    await expect(waiting.get_by_text("Rule 18")).to_be_visible()
    await expect(waiting.get_by_role("button", name="Send results")).to_be_in_viewport(ratio=1)
    await _save_for_readme(playground, "tools")


async def _save_for_readme(playground: Playground, name: str) -> None:
    picture = await _save(playground, name)
    if folder := os.environ.get("README_PICTURES"):
        (Path(folder) / f"{name}.png").write_bytes(picture)


async def _attach(playground: Playground) -> None:
    await playground.page.get_by_test_id("image-input").set_input_files(EXAMPLE)
    slot = playground.page.get_by_test_id("image-slot")
    await expect(slot).to_have_attribute("data-state", "ready")


async def _take(playground: Playground, name: str) -> None:
    """A picture at each size."""
    for width, height in SIZES:
        await playground.page.set_viewport_size({"width": width, "height": height})
        await _save(playground, f"{name}-{width}")


async def _save(playground: Playground, name: str) -> bytes:
    FOLDER.mkdir(exist_ok=True)
    await playground.page.mouse.move(0, 0)
    await playground.page.evaluate("document.fonts.ready")
    picture = await playground.page.screenshot(path=FOLDER / f"{name}.png", animations="disabled")
    assert picture.startswith(b"\x89PNG")
    return picture
