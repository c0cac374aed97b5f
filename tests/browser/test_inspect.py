"""What was really sent for an answer, and what came back, on the page."""

from __future__ import annotations

import json
import re

import pytest
from playwright.async_api import Locator, expect

from tests.browser.playground import OpenPlayground, Playground, file
from tests.browser.test_accessibility import violations
from tests.media.samples import encoded, quarters

pytestmark = pytest.mark.asyncio(loop_scope="session")

EXCHANGES = re.compile(r"/api/chats/\w+/turns/[\w-]+/exchanges$")


async def inspect(playground: Playground) -> Locator:
    """Opens the inspector of the last answer."""
    turn = playground.turns.last
    await turn.hover()
    await turn.get_by_role("button", name="Inspect").click()
    dialog = playground.page.get_by_role("dialog", name="Inspect this answer")
    await expect(dialog).to_be_visible()
    return dialog


async def copied(playground: Playground, button: Locator) -> str:
    """What the clipboard holds once a button has said that it copied."""
    page = playground.page
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await button.click()
    await expect(page.get_by_test_id("announcer")).to_have_text("Copied")
    text: str = await page.evaluate("navigator.clipboard.readText()")
    return text


async def test_the_request_is_shown_as_sent_and_copied_whole(playground: Playground) -> None:
    await playground.ask("Explain <b>sparse</b> attention")
    dialog = await inspect(playground)
    await expect(dialog.get_by_role("tab", name="Request")).to_have_attribute(
        "aria-selected", "true"
    )
    await expect(dialog.get_by_role("tabpanel")).to_contain_text(
        "Nothing was changed before sending."
    )
    shown = json.loads(await dialog.get_by_test_id("request-body").inner_text())
    assert shown["messages"][-1]["content"] == "Explain <b>sparse</b> attention"
    whole = await copied(playground, dialog.get_by_role("button", name="Copy whole"))
    assert json.loads(whole) == shown


async def test_what_was_changed_before_sending_is_listed(playground: Playground) -> None:
    picture = encoded(quarters(64, 48), "PNG")
    for name in ("first.png", "second.png"):
        await playground.drop(file(name, "image/png", picture))
        await expect(playground.slot("image")).to_have_attribute("data-state", "ready")
        await playground.ask("What is in the picture?")
    dialog = await inspect(playground)
    changed = dialog.get_by_role("listitem")
    await expect(changed).to_have_count(1)
    await expect(changed).to_contain_text("older image")
    url = re.compile(r"data:image/\w+;base64,.+[\d,]+ bytes\)")
    await expect(dialog.get_by_test_id("request-body")).to_contain_text(url)
    whole = await copied(playground, dialog.get_by_role("button", name="Copy whole"))
    assert "bytes)" not in whole
    assert ";base64," in whole


async def test_its_modules_are_loaded_when_it_is_asked_for(playground: Playground) -> None:
    script = (
        "performance.getEntriesByType('resource')"
        r".some(({ name }) => /inspect\w*\.mjs$/.test(name))"
    )
    await playground.ask("Hello")
    assert not await playground.page.evaluate(script)
    await inspect(playground)
    assert await playground.page.evaluate(script)


async def test_it_is_used_by_keys_alone_and_gives_the_focus_back(playground: Playground) -> None:
    turn = await playground.ask("Hello")
    button = turn.get_by_role("button", name="Inspect")
    await turn.get_by_role("button", name="Copy as Markdown").focus()
    await playground.page.keyboard.press("End")
    await expect(button).to_be_focused()
    await playground.page.keyboard.press("Enter")
    tabs = playground.page.get_by_test_id("inspector").get_by_role("tab")
    await expect(tabs).to_have_count(4)
    await tabs.first.focus()
    for key, name in (("ArrowRight", "Wire"), ("End", "Code"), ("ArrowRight", "Request")):
        await playground.page.keyboard.press(key)
        chosen = playground.page.get_by_role("tab", name=name, exact=True)
        await expect(chosen).to_be_focused()
        await expect(chosen).to_have_attribute("aria-selected", "true")
        await expect(playground.page.get_by_role("tabpanel", name=name)).to_be_visible()
    await playground.page.keyboard.press("Escape")
    await expect(tabs).to_have_count(0)
    await expect(button).to_be_focused()


async def test_the_wire_comes_some_events_at_a_time_and_unfolds(playground: Playground) -> None:
    await playground.simulate("answer=4000;chunk=3")
    await playground.ask("Tell me something long")
    dialog = await inspect(playground)
    await dialog.get_by_role("tab", name="Wire").click()
    rows = dialog.get_by_role("table", name="Events of the stream").locator("tbody tr")
    await expect(rows).to_have_count(200)
    await expect(dialog.get_by_role("status")).to_have_text(re.compile(r"^200 of \d{3,} events$"))
    first = rows.first.get_by_role("button")
    await expect(first).to_contain_text("chat.completion.chunk")
    await first.press("Enter")
    await expect(first).to_have_attribute("aria-expanded", "true")
    await first.press("ArrowDown")
    await expect(rows.nth(1).get_by_role("button")).to_be_focused()
    await dialog.get_by_role("button", name="Show more").click()
    await expect(rows.nth(200).get_by_role("button")).to_be_focused()
    text = await copied(playground, dialog.get_by_role("button", name="Copy what is shown"))
    lines = text.splitlines()
    assert len(lines) == await rows.count() > 200
    times = [float(line.split("\t")[0]) for line in lines]
    assert times == sorted(times)


async def test_the_seconds_are_divided_among_phases(playground: Playground) -> None:
    await playground.ask("What is machine learning?")
    dialog = await inspect(playground)
    await dialog.get_by_role("tab", name="Timing").click()
    bar = dialog.get_by_role("img", name=re.compile(r"^Where the time went: .*Thinking .* s"))
    await expect(bar).to_be_visible()
    table = dialog.get_by_role("table", name="Seconds of each phase")
    for phase in ("Waiting", "Thinking", "Answering", "Total"):
        await expect(table.get_by_role("row", name=phase)).to_contain_text(
            re.compile(r"[\d.]+ s.*%")
        )
    chunks = dialog.get_by_role("table", name="How many chunks brought how many tokens")
    await expect(chunks.locator("tbody tr").first).to_be_visible()
    panel = dialog.get_by_role("tabpanel", name="Timing")
    await expect(panel).to_contain_text(
        re.compile(r"\d\.\d\d tokens a chunk on average: [\d,]+ tokens in [\d,]+ chunks")
    )


async def test_the_same_call_is_shown_as_python_and_as_curl(playground: Playground) -> None:
    await playground.ask("What is machine learning?")
    dialog = await inspect(playground)
    await dialog.get_by_role("tab", name="Code").click()
    code = dialog.get_by_test_id("code")
    await expect(code).to_contain_text("client.chat.completions.create(")
    await expect(dialog.get_by_role("tabpanel")).to_contain_text("pip install openai")
    button = dialog.get_by_role("button", name="Copy code")
    assert await copied(playground, button) == await code.text_content()
    await dialog.get_by_role("button", name="cURL").click()
    await expect(code).to_contain_text(re.compile(r"^curl -sN? "))
    await expect(code).to_contain_text("What is machine learning?")


async def test_an_answer_gone_on_with_has_several_requests(playground: Playground) -> None:
    await playground.simulate("drop-after=60")
    await playground.ask("Tell me something long")
    await playground.simulate("")
    await playground.page.get_by_role("button", name="Continue").click()
    await playground.ended()
    dialog = await inspect(playground)
    choice = dialog.get_by_role("combobox", name="Which request")
    await expect(choice).to_have_value("1")
    await expect(choice.locator("option")).to_have_text(["Request 1 of 2", "Request 2 of 2"])
    body = dialog.get_by_test_id("request-body")
    sent = json.loads(await body.inner_text())["messages"]
    assert sent[-1]["role"] == "assistant"
    await choice.select_option("0")
    await expect(body).not_to_contain_text("assistant")


async def test_a_failure_is_said_and_can_be_tried_again(playground: Playground) -> None:
    await playground.ask("Hello")
    playground.watch.expect("503|ERR_FAILED")
    await playground.page.route(EXCHANGES, lambda route: route.fulfill(status=503))
    dialog = await inspect(playground)
    await expect(dialog.get_by_role("alert")).to_contain_text("answered with an error (503)")
    await playground.page.unroute(EXCHANGES)
    await dialog.get_by_role("button", name="Try again").click()
    await expect(dialog.get_by_role("tab")).to_have_count(4)


async def test_an_answer_worded_by_hand_has_no_request(playground: Playground) -> None:
    turn = await playground.ask("Hello")
    await turn.hover()
    await turn.get_by_role("button", name="Edit answer").click()
    await playground.page.get_by_role("textbox", name="The answer, reworded").fill("By hand")
    await playground.page.get_by_role("button", name="Save").click()
    await expect(playground.turns.last).to_contain_text("By hand")
    dialog = await inspect(playground)
    await expect(dialog).to_contain_text("Nothing was recorded for this answer")


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_each_tab_is_accessible_and_fits_a_small_screen(
    open_playground: OpenPlayground, theme: str
) -> None:
    playground = await open_playground(390, 844, color_scheme=theme)
    await playground.ask("What is machine learning?")
    dialog = await inspect(playground)
    tabs = dialog.get_by_role("tab")
    await expect(tabs).to_have_count(4)
    box = await dialog.bounding_box()
    assert box == {"x": 0, "y": 0, "width": 390, "height": 844}
    for tab in await tabs.all():
        await tab.click()
        panel = dialog.get_by_role("tabpanel")
        await expect(panel.locator("pre, table").first).to_be_visible()
        await expect(panel.get_by_text("Loading…")).to_have_count(0)
        assert await panel.evaluate("panel => panel.scrollWidth - panel.clientWidth") == 0
        assert await violations(playground) == []
