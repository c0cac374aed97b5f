"""The settings panel, and what of it reaches a request."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from tests.browser.playground import Playground

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_untouched_settings_send_the_defaults(playground: Playground) -> None:
    body = await playground.send("Hello")
    assert body == {
        "text": "Hello",
        "attachments": [],
        "files": [],
        "options": {
            "effort": None,
            "system": "",
            "temperature": 1,
            "top_p": 0.95,
            "max_tokens": None,
            "seed": None,
            "stop": [],
        },
    }
    await playground.ended()


async def test_the_effort_slider_reaches_the_request(playground: Playground) -> None:
    chip = playground.page.get_by_role("button", name="Reasoning effort")
    stops = ((None, "Default"), ("low", "Low"), ("high", "High"), ("max", "Max"))
    for at, (effort, name) in enumerate(stops):
        if at:
            await playground.effort.press("ArrowRight")
        await expect(chip).to_have_accessible_name(f"Reasoning effort: {name}")
        await expect(playground.page.locator(".effort-stops .is-chosen")).to_contain_text(name)
        body = await playground.send("Hello")
        assert body["options"]["effort"] == effort
        turn = await playground.ended()
        await turn.get_by_test_id("reasoning").get_by_role("button").click()
        await expect(turn.get_by_test_id("reasoning")).to_contain_text(
            f"the effort is {effort or 'high'}."
        )
        await playground.new_chat()


async def test_a_click_on_a_stop_of_the_slider_chooses_it(playground: Playground) -> None:
    low = playground.page.locator(".effort-stops > span", has_text="Low")
    box = await low.bounding_box()
    assert box is not None
    await playground.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    await expect(low).to_have_class(re.compile("is-chosen"))
    body = await playground.send("Hello")
    assert body["options"]["effort"] == "low"
    await playground.ended()


async def test_changing_the_effort_in_mid_chat_warns(playground: Playground) -> None:
    warning = playground.page.locator("#effort-warning")
    await playground.effort.press("ArrowRight")
    await expect(warning).to_be_hidden()
    await playground.ask("Hello")
    await expect(warning).to_be_hidden()
    await playground.effort.press("ArrowRight")
    await expect(warning).to_contain_text("drops the server's prefix cache")
    await playground.effort.press("ArrowLeft")
    await expect(warning).to_be_hidden()
    await playground.effort.press("ArrowRight")
    await playground.new_chat()
    await expect(warning).to_be_hidden()


async def test_every_other_setting_reaches_the_request_and_outlives_a_reload(
    playground: Playground,
) -> None:
    panel = playground.settings
    await panel.get_by_label("System prompt").fill("Be brief.")
    await panel.locator("#temperature input[type=number]").fill("0.3")
    await panel.locator("#top-p input[type=number]").fill("0.5")
    await panel.get_by_label("Max tokens").fill("4000")
    await panel.get_by_label("Seed").fill("7")
    await panel.get_by_label("Stop strings").fill("END\n\\n\\n---")
    await panel.get_by_label("Stop strings").blur()
    await playground.has_setting("stop", "END\n\\n\\n---")
    asked = {
        "effort": None,
        "system": "Be brief.",
        "temperature": 0.3,
        "top_p": 0.5,
        "max_tokens": 4000,
        "seed": 7,
        "stop": ["END", "\n\n---"],
    }
    body = await playground.send("Hello")
    assert body["options"] == asked
    turn = await playground.ended()
    await expect(turn.get_by_test_id("answer")).to_contain_text(
        "The system prompt before it has 9 characters."
    )
    await playground.reload()
    await expect(panel.get_by_label("System prompt")).to_have_value("Be brief.")
    await expect(panel.locator("#temperature input[type=number]")).to_have_value("0.3")
    await expect(panel.get_by_label("Seed")).to_have_value("7")
    body = await playground.send("Hello again")
    assert body["options"] == asked
    await playground.ended()


async def test_a_setting_that_cannot_be_is_said_before_sending(playground: Playground) -> None:
    await playground.page.locator("#seed input").fill("1.5")
    await playground.has_setting("seed", "1.5")
    await playground.write("Keep me")
    await playground.message.press("Enter")
    await expect(playground.said).to_contain_text("The seed must be a whole number")
    await expect(playground.message).to_have_value("Keep me")
    await expect(playground.user_messages).to_have_count(0)


async def test_the_chip_at_the_box_leads_to_the_slider(playground: Playground) -> None:
    await playground.settings_toggle.click()
    await expect(playground.effort).not_to_be_in_viewport()
    await playground.page.get_by_role("button", name="Reasoning effort").click()
    await expect(playground.effort).to_be_focused()
    await expect(playground.effort).to_be_in_viewport()
