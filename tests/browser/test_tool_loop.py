"""The tool loop in the conversation: calls that wait, their results, and what follows them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Locator, expect

from tests.browser.playground import RESULTS, Playground

pytestmark = pytest.mark.asyncio(loop_scope="session")

PARALLEL = "What is the weather in Paris and the time in London?"
STEPS = "Tell me the weather in Paris, then the time in London, then the distance to Rome."


def function(name: str) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "properties": {"location": {"type": "string"}},
        "required": ["location"],
    }
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


WEATHER, TIME, DISTANCE = (function(f"get_{name}") for name in ("weather", "time", "distance"))


def rules(*names: str, **more: Any) -> str:
    return json.dumps(
        [{"tool": name, "when": {}, "result": {"of": name}, **more} for name in names]
    )


def pending(playground: Playground) -> Locator:
    return playground.page.get_by_test_id("pending")


def results(playground: Playground) -> Locator:
    return playground.page.get_by_test_id("result")


def editor(playground: Playground, name: str) -> Locator:
    return playground.page.get_by_role("textbox", name=f"Result of {name}")


async def send_results(playground: Playground) -> dict[str, Any]:
    """Sends them with the button; gives what the page asked of the server."""
    async with playground.page.expect_response(RESULTS) as answered:
        await playground.page.get_by_test_id("send-results").click()
    response = await answered.value
    assert response.status == 201, await response.text()
    return dict(response.request.post_data_json)


async def test_two_parallel_calls_are_answered_by_hand_in_any_order(playground: Playground) -> None:
    await playground.set_up(WEATHER, TIME)
    await playground.ask(PARALLEL)
    await expect(pending(playground)).to_contain_text("2 results are left.")
    await editor(playground, "get_time").fill("noon")
    await expect(pending(playground)).to_contain_text("1 result is left.")
    await editor(playground, "get_weather").fill('{"c": 21}')
    await editor(playground, "get_weather").press("Control+Enter")
    await expect(results(playground)).to_have_count(2)
    await expect(results(playground).nth(0)).to_contain_text('{"c": 21}')
    await expect(results(playground).nth(1)).to_contain_text("noon")
    await expect(results(playground).nth(1)).to_contain_text("By hand")
    turn = await playground.ended()
    await expect(playground.turns).to_have_count(2)
    await expect(turn.get_by_test_id("answer")).to_be_visible()
    await expect(pending(playground)).to_be_hidden()


async def test_results_that_are_left_are_where_the_focus_goes(playground: Playground) -> None:
    await playground.set_up(WEATHER, TIME)
    await playground.ask(PARALLEL)
    await editor(playground, "get_weather").fill("sunny")
    await editor(playground, "get_weather").press("Control+Enter")
    await expect(editor(playground, "get_time")).to_be_focused()
    await expect(playground.turns).to_have_count(1)


async def test_rules_answer_by_themselves_over_three_steps(playground: Playground) -> None:
    names = ("get_weather", "get_time", "get_distance")
    await playground.set_up(WEATHER, TIME, DISTANCE, rules=rules(*names), auto=True)
    await playground.send(STEPS)
    await expect(results(playground)).to_have_count(3)
    await expect(playground.turns).to_have_count(4)
    turn = await playground.ended()
    await expect(turn.get_by_test_id("answer")).to_be_visible()
    for number, name in enumerate(names):
        await expect(results(playground).nth(number)).to_contain_text(f"Rule {number + 1}")
        await expect(results(playground).nth(number)).to_contain_text(name)
        step = playground.turns.nth(number)
        await expect(step.get_by_test_id("reasoning")).to_have_count(1)
        await expect(step.get_by_role("list", name="Figures")).to_be_visible()


async def test_an_error_is_injected_by_one_click(playground: Playground) -> None:
    await playground.set_up(WEATHER)
    await playground.ask("What is the weather in Paris?")
    await pending(playground).get_by_role("button", name="Timeout").click()
    sent = await send_results(playground)
    [result] = sent["results"]
    assert (result["content"], result["answered_by"]) == ('{"error":"timeout"}', "error")
    await expect(results(playground)).to_contain_text("Error")
    await playground.ended()


async def test_a_limit_that_is_reached_asks_to_go_on(playground: Playground) -> None:
    names = ("get_weather", "get_time", "get_distance")
    await playground.set_up(WEATHER, TIME, DISTANCE, rules=rules(*names), auto=True, max_steps=2)
    await playground.send(STEPS)
    await expect(pending(playground)).to_contain_text("The limit of 2 steps is reached.")
    await expect(playground.turns).to_have_count(2)
    await pending(playground).get_by_role("button", name="Go on").click()
    await expect(playground.turns).to_have_count(4)
    turn = await playground.ended()
    await expect(turn.get_by_test_id("answer")).to_be_visible()


async def test_a_reload_in_the_middle_of_the_loop_loses_nothing(playground: Playground) -> None:
    await playground.set_up(
        WEATHER, TIME, rules=rules("get_weather", "get_time", delay_s=1), auto=True
    )
    await playground.send("Tell me the weather in Paris, then the time in London.")
    await expect(results(playground)).to_have_count(1)
    await playground.reload()
    await expect(results(playground)).to_have_count(2)
    await expect(playground.turns).to_have_count(3)
    turn = await playground.ended()
    await expect(turn.get_by_test_id("answer")).to_be_visible()
    await expect(playground.user_messages).to_have_count(1)


async def test_a_run_stopped_while_a_tool_takes_its_time_can_go_on(playground: Playground) -> None:
    await playground.set_up(WEATHER, rules=rules("get_weather", delay_s=60), auto=True)
    await playground.send("What is the weather in Paris?")
    entry = playground.page.get_by_test_id("results")
    await expect(entry).to_contain_text("The rule holds the result back")
    await playground.stop_button.click()
    await entry.get_by_role("button", name="Go on").click()
    await expect(playground.turns).to_have_count(2)
    turn = await playground.ended()
    await expect(turn.get_by_test_id("answer")).to_be_visible()


async def test_what_was_typed_survives_a_reload(playground: Playground) -> None:
    await playground.set_up(WEATHER, TIME)
    await playground.ask(PARALLEL)
    await editor(playground, "get_time").fill("half past nine")
    await playground.reload()
    await expect(editor(playground, "get_time")).to_have_value("half past nine")
    await expect(pending(playground)).to_contain_text("1 result is left.")


async def test_cut_arguments_are_repaired_in_their_place(playground: Playground) -> None:
    await playground.simulate("no-reasoning;chunk=1")
    await playground.set_up(WEATHER, choice="required", options={"max_tokens": 6})
    await playground.ask("What is the weather in Paris?")
    arguments = playground.page.get_by_role("textbox", name="Arguments of get_weather")
    await arguments.fill('{"location": "Paris"}')
    await pending(playground).get_by_role("button", name="Use these arguments").click()
    await expect(playground.calls).to_have_attribute("data-state", "good")
    await expect(editor(playground, "get_weather")).to_be_focused()
    await expect(arguments).to_have_count(0)


async def test_the_error_of_a_bad_call_is_sent_back(playground: Playground) -> None:
    await playground.simulate("no-reasoning;chunk=1")
    await playground.set_up(WEATHER, choice="required", options={"max_tokens": 6})
    await playground.ask("What is the weather in Paris?")
    await pending(playground).get_by_role("button", name="Send the error back").click()
    sent = await send_results(playground)
    assert sent["results"][0]["answered_by"] == "error"
    await playground.ended()


async def test_a_message_that_leaves_calls_unanswered_asks_first(playground: Playground) -> None:
    await playground.set_up(WEATHER)
    await playground.ask("What is the weather in Paris?")
    await playground.write("Never mind. Say hello.")
    await playground.message.press("Enter")
    question = playground.page.get_by_role("dialog")
    await question.get_by_role("button", name="Answer the calls first").click()
    await expect(playground.message).to_have_value("Never mind. Say hello.")
    await expect(pending(playground)).to_be_visible()
    await playground.message.press("Enter")
    await question.get_by_role("button", name="Send anyway").click()
    await expect(results(playground)).to_contain_text("Not executed")
    await expect(playground.user_messages).to_have_count(2)
    await playground.ended()
    await expect(pending(playground)).to_be_hidden()


async def test_calls_are_cancelled_and_the_model_may_go_on(playground: Playground) -> None:
    await playground.set_up(WEATHER)
    await playground.ask("What is the weather in Paris?")
    await pending(playground).get_by_role("button", name="Not executed").click()
    entry = playground.page.get_by_test_id("results")
    await expect(entry).to_contain_text("Not executed")
    await expect(entry).to_be_focused()
    await expect(entry.get_by_role("button", name="Go on")).to_be_visible()


async def test_a_result_becomes_a_rule(playground: Playground) -> None:
    await playground.set_up(WEATHER)
    await playground.ask("What is the weather in Paris?")
    await editor(playground, "get_weather").fill('{"c": 21}')
    await pending(playground).get_by_role("button", name="Make it a rule").click()
    await expect(pending(playground)).to_contain_text("Rule 1")
    sent = await send_results(playground)
    assert json.loads(sent["loop"]["mocks"]) == [
        {"tool": "get_weather", "when": {"location": "Paris"}, "result": {"c": 21}}
    ]
    await playground.ended()


async def test_a_delay_can_be_stopped(playground: Playground) -> None:
    await playground.set_up(WEATHER)
    await playground.ask("What is the weather in Paris?")
    await editor(playground, "get_weather").fill("sunny")
    await pending(playground).get_by_role("button", name="Delay", exact=True).click()
    await pending(playground).get_by_label("Delay in seconds").fill("60")
    await playground.reload()
    await expect(pending(playground).get_by_label("Delay in seconds")).to_have_value("60")
    await playground.page.get_by_test_id("send-results").click()
    await expect(pending(playground)).to_contain_text("The results are sent in")
    await pending(playground).get_by_role("button", name="Stop the delay").click()
    await expect(playground.page.get_by_test_id("send-results")).to_be_focused()
    await expect(playground.turns).to_have_count(1)


async def test_another_chat_and_back_keeps_what_was_half_typed(playground: Playground) -> None:
    await playground.set_up(WEATHER, TIME)
    await playground.ask(PARALLEL)
    await editor(playground, "get_time").fill("half past nine")
    address = playground.page.url
    await playground.new_chat()
    await expect(pending(playground)).to_be_hidden()
    assert playground.page.url != address
    await playground.page.go_back()
    await expect(editor(playground, "get_time")).to_have_value("half past nine")
    await expect(pending(playground)).to_contain_text("1 result is left.")


async def test_calls_that_wait_have_no_grave_violation(playground: Playground) -> None:
    await playground.set_up(WEATHER, TIME)
    await playground.ask(PARALLEL)
    await editor(playground, "get_time").fill('{"time": ')
    await pending(playground).get_by_role("button", name="Delay", exact=True).first.click()
    found = (await Axe().run(playground.page)).response["violations"]
    assert [each["id"] for each in found if each["impact"] in ("serious", "critical")] == []


async def test_two_calls_are_answered_by_keys_alone(playground: Playground) -> None:
    await playground.set_up(WEATHER, TIME)
    await playground.ask(PARALLEL)
    keys = playground.page.keyboard
    await editor(playground, "get_weather").focus()
    await keys.type("sunny")
    for _ in range(12):
        await keys.press("Tab")
        if await editor(playground, "get_time").evaluate("e => e === document.activeElement"):
            break
    await keys.type("noon")
    await keys.press("Control+Enter")
    await expect(results(playground)).to_have_count(2)
    await playground.ended()
