"""The panel of a chat's tools: what is typed there, what is found in it, what of it is sent."""

from __future__ import annotations

import json
from typing import Any

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Locator, expect

from tests.browser.playground import OpenPlayground, Playground

pytestmark = pytest.mark.asyncio(loop_scope="session")

WEATHER = (
    '[\n  {"type": "function", "function": {\n    "name": "get_weather",\n    "x-note": 1.0,\n'
    '    "description": "The weather.",\n    "parameters": {"type": "object", "properties": '
    '{"place": {"type": "string", "minLength": 1}}, "required": ["place"]}}},\n'
    '  {"type": "function", "function": {"name": "get_time", "description": "The time.",'
    ' "parameters": {"type": "object", "properties": {}}}}\n]'
)


async def open_tools(playground: Playground) -> Locator:
    """The panel, opened by its tab."""
    await playground.page.get_by_role("tab", name="Tools").click()
    panel = playground.page.get_by_role("tabpanel", name="Tools")
    await expect(panel).to_be_visible()
    return panel


async def write_json(panel: Locator, text: str) -> Locator:
    """Puts a text into the editor of tools; gives the editor."""
    await panel.get_by_role("button", name="JSON", exact=True).click()
    editor = panel.get_by_role("textbox", name="Tools as JSON")
    await editor.fill(text)
    return editor


async def caret(editor: Locator) -> str:
    """What stands before the caret."""
    before: str = await editor.evaluate("e => e.value.slice(0, e.selectionStart)")
    return before


async def test_tools_are_sent_as_they_are_written(playground: Playground) -> None:
    panel = await open_tools(playground)
    await write_json(panel, WEATHER)
    await expect(panel.get_by_text("2 tools")).to_be_visible()
    await panel.get_by_label("Tool choice").select_option("Must call get_weather")
    await panel.get_by_label("Several calls at once").select_option("One at a time")
    body = await playground.send("What is the weather in Paris?")
    assert body["options"]["tools"] == WEATHER
    choice = {"type": "function", "function": {"name": "get_weather"}}
    assert body["options"]["tool_choice"] == choice
    assert body["options"]["parallel_tool_calls"] is False
    assert body["loop"] == {"mocks": "", "auto": False, "max_steps": 8}
    await playground.ended()


async def test_an_error_is_listed_live_and_nothing_is_sent_with_it(playground: Playground) -> None:
    panel = await open_tools(playground)
    editor = await write_json(panel, WEATHER.replace('"get_weather"', '""').replace("1.0", "1.0,"))
    findings = panel.get_by_role("list", name="Found in: Tools as JSON").get_by_role("button")
    await expect(findings).to_have_count(1)
    await expect(findings).to_contain_text("4:")
    await findings.click()
    await expect(editor).to_be_focused()
    assert (await caret(editor)).count("\n") == 3
    await playground.write("Hello")
    await playground.message.press("Enter")
    await expect(playground.said).to_contain_text("The tools have an error")
    await expect(playground.user_messages).to_have_count(0)
    await expect(playground.message).to_have_value("Hello")
    await playground.page.get_by_role("tab", name="Settings").click()
    await playground.said.get_by_role("button", name="Show it").click()
    await expect(editor).to_be_focused()
    await editor.fill(WEATHER)
    await expect(findings).to_have_count(0)
    await playground.send("Hello")
    await playground.ended()


async def test_warnings_are_told_and_stop_nothing(playground: Playground) -> None:
    panel = await open_tools(playground)
    await write_json(panel, WEATHER.replace("get_weather", "get weather"))
    await expect(panel.get_by_text("1 warning")).to_be_visible()
    await expect(panel.locator(".finding[data-kind=warning]")).to_contain_text("rename the tool")
    body = await playground.send("Hello")
    assert "get weather" in body["options"]["tools"]
    await playground.ended()


async def test_a_tool_is_added_by_the_form_alone(playground: Playground) -> None:
    panel = await open_tools(playground)
    await panel.get_by_role("button", name="Add a tool").click()
    name = panel.get_by_label("Name", exact=True)
    await expect(name).to_be_focused()
    await name.fill("find_order")
    await panel.get_by_label("Description").fill("Finds an order.")
    await panel.get_by_role("button", name="Add a parameter").click()
    parameter = panel.get_by_test_id("parameter")
    await expect(parameter.get_by_role("textbox", name="Parameter")).to_be_focused()
    await parameter.get_by_role("textbox", name="Parameter").fill("state")
    await parameter.get_by_label("Type").select_option("Text")
    await parameter.get_by_label("Allowed values").fill("open, sent")
    await parameter.get_by_label("Required").check()
    await panel.get_by_role("button", name="JSON", exact=True).click()
    editor = panel.get_by_role("textbox", name="Tools as JSON")
    [tool] = json.loads(await editor.input_value())
    function = tool["function"]
    assert (function["name"], function["description"]) == ("find_order", "Finds an order.")
    schema = function["parameters"]
    assert schema["properties"]["state"]["enum"] == ["open", "sent"]
    assert schema["required"] == ["state"]


async def test_the_form_changes_its_place_and_keeps_what_it_cannot_show(
    playground: Playground,
) -> None:
    panel = await open_tools(playground)
    editor = await write_json(panel, WEATHER)
    await panel.get_by_role("button", name="Form", exact=True).click()
    await panel.get_by_test_id("tool-card").first.locator("> summary").click()
    await panel.get_by_label("Description").first.fill("Weather now.")
    await panel.get_by_role("textbox", name="Parameter").fill("city")
    await panel.get_by_role("textbox", name="Parameter").press("Enter")
    await expect(panel.get_by_text("All of it, as JSON")).to_be_visible()
    await panel.get_by_role("button", name="JSON", exact=True).click()
    changed = WEATHER.replace("The weather.", "Weather now.").replace('"place"', '"city"')
    await expect(editor).to_have_value(changed)


async def test_a_bare_schema_is_made_a_tool_that_has_a_form(playground: Playground) -> None:
    panel = await open_tools(playground)
    schema = '{"title": "find order", "type": "object", "properties": {"id": {"type": "string"}}}'
    editor = await write_json(panel, schema)
    await panel.get_by_role("button", name="Form", exact=True).click()
    await panel.get_by_role("button", name="Make it a tool").click()
    name = panel.get_by_label("Name", exact=True)
    await expect(name).to_be_focused()
    await expect(name).to_have_value("find_order")
    await expect(panel.get_by_test_id("parameter")).to_have_count(1)
    await panel.get_by_role("button", name="JSON", exact=True).click()
    [tool] = json.loads(await editor.input_value())
    assert tool["function"]["parameters"] == json.loads(schema)


async def test_a_tool_that_is_off_is_not_declared(playground: Playground) -> None:
    panel = await open_tools(playground)
    await write_json(panel, WEATHER)
    await panel.get_by_role("switch", name="Declare get_time").click()
    await expect(playground.page.get_by_test_id("declared-tools")).to_have_text("get_weather")
    body = await playground.send("Hello")
    assert body["options"]["tools_off"] == ["get_time"]
    await playground.ended()
    await panel.get_by_role("switch", name="Declare get_weather").click()
    body = await playground.send("Hello")
    assert not {"tools", "tools_off", "tool_choice"} & body["options"].keys()
    await playground.ended()


async def test_a_set_brings_its_tools_and_the_rules_that_answer(playground: Playground) -> None:
    panel = await open_tools(playground)
    await panel.get_by_role("button", name="Weather").click()
    await expect(panel.get_by_test_id("tool-card")).to_have_count(4)
    answers = panel.get_by_test_id("answers-section")
    await answers.locator("> summary").click()
    rules = answers.get_by_role("list", name="What the rules do")
    await expect(rules).to_contain_text("get_current_weather, where location is Paris")
    await answers.get_by_label("Send answers by themselves").check()
    steps = answers.get_by_label("Stop and ask after")
    await steps.fill("99")
    await steps.press("Enter")
    await expect(steps).to_have_value("8")
    await steps.fill("3")
    await steps.press("Enter")
    body = await playground.send("What is the current weather in Paris?")
    assert (body["loop"]["auto"], body["loop"]["max_steps"]) == (True, 3)
    assert json.loads(body["loop"]["mocks"])["mocks"]
    await playground.ended()


async def test_an_answer_format_is_checked_and_sent(playground: Playground) -> None:
    panel = await open_tools(playground)
    section = panel.get_by_test_id("format-section")
    await section.locator("> summary").click()
    editor = section.get_by_role("textbox", name="JSON Schema of the answer")
    await editor.fill('{"type": "objekt"}')
    await expect(section.locator(".finding")).to_have_count(1)
    await playground.write("Hello")
    await playground.message.press("Enter")
    await expect(playground.said).to_contain_text("The answer format has an error")
    await editor.fill('{"type": "object"}')
    await expect(section.get_by_text("Valid")).to_be_visible()
    body = await playground.send("Hello")
    assert body["options"]["response_schema"] == '{"type": "object"}'
    await playground.ended()


async def test_keys_make_json_quick_and_hold_nobody(playground: Playground) -> None:
    panel = await open_tools(playground)
    editor = await write_json(panel, "")
    await editor.press("[")
    await editor.press("Enter")
    await editor.press("{")
    await editor.press("Tab")
    assert await editor.input_value() == "[\n  {  "
    await editor.press("Shift+Tab")
    assert await editor.input_value() == "[\n{  "
    await editor.press("Control+z")
    assert await editor.input_value() == "[\n  {  "
    await editor.press("Escape")
    await editor.press("Tab")
    await expect(editor).not_to_be_focused()
    await editor.fill('[{"b":1.0,"a":[]}]')
    await panel.get_by_role("button", name="Format").first.click()
    assert await editor.input_value() == '[\n  {\n    "b": 1.0,\n    "a": []\n  }\n]'


async def test_what_is_set_up_before_the_first_message_outlives_a_reload(
    playground: Playground,
) -> None:
    panel = await open_tools(playground)
    editor = await write_json(panel, WEATHER)
    await playground.reload()
    await expect(editor).to_have_value(WEATHER)
    await playground.new_chat()
    await expect(editor).to_have_value("")


async def test_the_setup_outlives_a_reload_whole_or_not(playground: Playground) -> None:
    panel = await open_tools(playground)
    await write_json(panel, WEATHER)
    await playground.ask("Hello")
    editor = await write_json(panel, WEATHER + "]")
    await playground.reload()
    await expect(editor).to_have_value(WEATHER + "]")
    await expect(panel.locator(".finding")).to_have_count(1)


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_no_grave_violation_wide_or_narrow(
    open_playground: OpenPlayground, theme: str
) -> None:
    playground = await open_playground(color_scheme=theme)
    panel = await open_tools(playground)
    assert await grave(playground) == []
    await write_json(panel, WEATHER.replace('"get_time"', '"get time"').replace("string", "strng"))
    await expect(panel.locator(".finding")).to_have_count(2)
    for section in await panel.locator(".tools-fold > summary").all():
        await section.click()
    assert await grave(playground) == []
    await playground.resize(390, 844)
    await playground.settings_toggle.click()
    await expect(playground.settings).to_be_in_viewport(ratio=1)
    await panel.get_by_role("button", name="Form", exact=True).click()
    await panel.get_by_test_id("tool-card").first.locator("> summary").click()
    assert await grave(playground) == []
    assert await playground.overflow() == 0


async def grave(playground: Playground) -> list[str]:
    await playground.page.wait_for_function(
        "document.getAnimations().every(a => a.playState !== 'running')"
    )
    found: list[dict[str, Any]] = (await Axe().run(playground.page)).response["violations"]
    return [
        f"{each['id']}: {node['html'][:160]} {node.get('failureSummary', '')}"
        for each in found
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ]


async def test_tools_are_declared_sent_and_answered_by_keys_alone(playground: Playground) -> None:
    page = playground.page

    async def tab_to(target: Locator) -> None:
        for _ in range(120):
            await page.keyboard.press("Tab")
            if await target.evaluate_all("found => found.includes(document.activeElement)"):
                return
        raise AssertionError(f"{target} is not reached by Tab.")

    await tab_to(page.get_by_role("tab", name="Settings"))
    await page.keyboard.press("ArrowRight")
    panel = page.get_by_role("tabpanel", name="Tools")
    await expect(panel).to_be_visible()
    await tab_to(panel.get_by_role("button", name="Weather"))
    await page.keyboard.press("Enter")
    await expect(panel.get_by_role("switch", name="Declare get_current_weather")).to_be_checked()
    await tab_to(playground.message)
    await page.keyboard.type("What is the current weather in Paris?")
    await page.keyboard.press("Enter")
    send = page.get_by_role("button", name="Send results")
    await expect(send).to_be_enabled()  # a rule of the set has filled the result in
    await tab_to(send)
    await page.keyboard.press("Enter")
    await expect(playground.turns).to_have_count(2)
    await playground.ended()
    await expect(playground.answers.last).to_contain_text("Paris")
