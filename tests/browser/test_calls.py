"""Calls of tools, as cards."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.async_api import expect

from tests.browser.playground import Playground

pytestmark = pytest.mark.asyncio(loop_scope="session")


def function(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "parameters": {
            "type": "object",
            "properties": {"location": {"type": "string"}},
            "required": ["location"],
        },
    }


async def test_the_example_calls_its_tool(playground: Playground) -> None:
    await playground.examples.filter(has_text="Call a tool").click()
    turn = await playground.ended()
    call = turn.get_by_role("region", name="Tool call get_weather")
    await expect(call).to_have_attribute("data-state", "good")
    await expect(call).to_contain_text("get_weather")
    await expect(call).to_contain_text("Fits the schema")
    arguments = await call.get_by_role("region", name="Arguments").inner_text()
    assert json.loads(arguments) == {"location": "Paris"}
    shown = await call.inner_html()
    await playground.reload()
    assert await call.inner_html() == shown


async def test_declared_tools_are_named_at_the_box_and_can_be_taken_away(
    playground: Playground,
) -> None:
    await playground.examples.filter(has_text="Call a tool").click()
    await playground.ended()
    tools = playground.page.get_by_test_id("declared-tools")
    await expect(tools).to_contain_text("get_weather")
    body = await playground.send("And the weather in London?", leaving_calls=True)
    declared = json.loads(body["options"]["tools"])
    assert [tool["function"]["name"] for tool in declared] == ["get_weather"]
    await playground.ended()
    await tools.get_by_role("button", name="no longer").click()
    await expect(tools).to_be_hidden()
    body = await playground.send("And the weather in London?", leaving_calls=True)
    assert "tools" not in body["options"]
    turn = await playground.ended()
    await expect(turn.get_by_test_id("call")).to_have_count(0)


async def test_calls_in_parallel_have_a_card_each(playground: Playground) -> None:
    await playground.declare(function("get_weather"), function("get_time"))
    turn = await playground.ask("What is the weather in Paris and the time in London?")
    calls = turn.get_by_test_id("call")
    await expect(calls).to_have_count(2)
    await expect(calls.nth(0)).to_contain_text("get_weather")
    await expect(calls.nth(0)).to_contain_text("Paris")
    await expect(calls.nth(1)).to_contain_text("get_time")
    await expect(calls.nth(1)).to_contain_text("London")


async def test_cut_arguments_are_shown_with_what_is_wrong(playground: Playground) -> None:
    await playground.simulate("no-reasoning;chunk=1")
    await playground.declare(function("get_weather"), max_tokens=6, tool_choice="required")
    turn = await playground.ask("What is the weather in Paris?")
    call = turn.get_by_test_id("call")
    await expect(call).to_have_attribute("data-state", "bad")
    await expect(call).to_contain_text("1 problem")
    await expect(call.get_by_role("listitem")).to_be_visible()
    notice = turn.locator("[data-code=invalid_arguments]")
    await expect(notice).to_contain_text("The arguments of “get_weather” are not valid")
    await expect(notice).to_contain_text("Allow more tokens")
