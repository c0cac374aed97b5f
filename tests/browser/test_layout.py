"""The page at each width, in light and dark, and by keyboard alone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.async_api import Locator, expect

from tests.browser.playground import OpenPlayground, Playground

pytestmark = pytest.mark.asyncio(loop_scope="session")

WIDTHS = (390, 768, 1024, 1440)
UNBROKEN = "https://example.com/" + "an-address-without-a-break" * 8

STICKING_OUT = """() => {
  const scrolls = (element) => {
    for (let up = element.parentElement; up; up = up.parentElement) {
      if (/auto|scroll/.test(getComputedStyle(up).overflowX) && up.scrollWidth > up.clientWidth
          && !up.matches(".transcript, body, html")) return true;
    }
    return false;
  };
  return [...document.querySelectorAll(".gradio-container *")]
    .filter((each) => each.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .filter((each) => !each.closest("math, .visually-hidden, [inert]"))
    .map((each) => [each, each.getBoundingClientRect()])
    .filter(([, box]) => box.width && box.height)
    .filter(([, box]) => box.right > innerWidth + 1 || box.left < -1)
    .filter(([each]) => !scrolls(each))
    .map(([each, box]) => `${each.tagName}.${each.className} ${box.left}..${box.right}`);
}"""
"""What reaches over an edge of the window, unless it scrolls inside a box of its own."""


async def fits(playground: Playground) -> None:
    """At each width nothing is wider than the window, and the message box is whole within it."""
    transcript = playground.page.get_by_role("log", name="Conversation")
    for width in WIDTHS:
        await playground.resize(width, 844)
        assert await playground.overflow() == 0, width
        assert await playground.page.evaluate(STICKING_OUT) == [], width
        assert await transcript.evaluate("t => t.scrollWidth - t.clientWidth") <= 0, width
        await expect(playground.message).to_be_in_viewport(ratio=1)
        await expect(playground.send_button).to_be_in_viewport(ratio=1)
        await expect(playground.page.locator("header.header")).to_be_in_viewport(ratio=1)


async def test_nothing_overflows_at_any_width(playground: Playground) -> None:
    await fits(playground)
    turn = await playground.ask(f"Markdown with {UNBROKEN}")
    await fits(playground)
    await turn.get_by_test_id("reasoning").get_by_role("button").click()
    await fits(playground)
    await playground.simulate("status=400")
    await playground.ask(UNBROKEN)
    await fits(playground)


async def test_the_opening_is_read_from_its_top_on_a_phone(open_playground: OpenPlayground) -> None:
    playground = await open_playground(width=390, height=640)
    page = playground.page
    welcome = page.get_by_test_id("welcome")
    await expect(welcome.get_by_test_id("example").last).to_be_attached()
    await expect(welcome.get_by_role("heading")).to_be_in_viewport(ratio=1)
    await page.get_by_text("Open a case file").scroll_into_view_if_needed()
    await expect(page.get_by_role("button", name="Jump to the end")).to_be_hidden()
    await playground.ask("What is machine learning?")
    await expect(playground.turns).to_be_in_viewport()


async def test_the_settings_are_a_drawer_where_there_is_no_room(
    open_playground: OpenPlayground,
) -> None:
    playground = await open_playground(width=390, height=844)
    toggle, close = playground.settings_toggle, playground.settings.get_by_label("Close settings")
    await expect(playground.effort).not_to_be_in_viewport()
    await expect(toggle).to_have_attribute("aria-expanded", "false")
    for width in (390, 768):
        await playground.resize(width, 844)
        await toggle.click()
        await expect(toggle).to_have_attribute("aria-expanded", "true")
        await expect(playground.settings).to_be_in_viewport(ratio=1)
        await expect(playground.effort).to_be_in_viewport()
        await expect(close).to_be_focused()
        assert await playground.overflow() == 0
        await close.click()
        await expect(playground.settings).not_to_be_in_viewport()
        await expect(toggle).to_be_focused()
        await toggle.click()
        await expect(close).to_be_focused()
        await playground.page.keyboard.press("Escape")
        await expect(playground.settings).not_to_be_in_viewport()
        await expect(toggle).to_be_focused()


async def test_the_settings_stand_beside_the_chat_where_there_is_room(
    open_playground: OpenPlayground,
) -> None:
    playground = await open_playground(width=1440, height=900)
    await expect(playground.effort).to_be_in_viewport()
    panel, chat = await box(playground.settings), await box(playground.page.locator("#tabs"))
    assert chat["x"] + chat["width"] <= panel["x"] + 1
    await playground.settings_toggle.click()
    await expect(playground.effort).not_to_be_in_viewport()
    await playground.settings_toggle.click()
    await expect(playground.effort).to_be_in_viewport()


async def test_a_line_of_an_answer_has_a_readable_length(open_playground: OpenPlayground) -> None:
    playground = await open_playground(width=1440, height=900)
    turn = await playground.ask("A text of 200 words")
    paragraph = turn.get_by_test_id("answer").locator("p", has_text="fills the page").first
    size = await paragraph.evaluate("p => parseFloat(getComputedStyle(p).fontSize)")
    assert 15 <= size <= 16
    # A letter is about half as wide as its size: 72 to 80 of them.
    assert (await box(paragraph))["width"] / size < 48


async def brightness(playground: Playground) -> float:
    """Of the page's ground, 0 to 255."""
    ground = playground.page.locator(".gradio-container").first
    colour: str = await ground.evaluate("ground => getComputedStyle(ground).backgroundColor")
    red, green, blue = (int(number) for number in re.findall(r"\d+", colour)[:3])
    return (red + green + blue) / 3


async def test_the_theme_follows_the_system_then_the_reader_then_the_address(
    open_playground: OpenPlayground,
) -> None:
    playground = await open_playground(color_scheme="dark")
    assert await brightness(playground) < 60
    await playground.page.locator("#theme-toggle").click()
    assert await brightness(playground) > 240
    await playground.reload()
    assert await brightness(playground) > 240
    await playground.page.emulate_media(color_scheme="light")
    await playground.page.goto(f"{playground.address}?__theme=dark")
    await playground.ready()
    assert await brightness(playground) < 60


async def test_all_can_be_reached_by_tab_and_the_focus_is_seen(
    open_playground: OpenPlayground,
) -> None:
    playground = await open_playground(width=1440, height=900)
    await playground.ask("Write some code")
    await playground.write("a draft, so that it can be sent")
    await playground.reload()
    reached = [found async for found in _tab_through(playground)]
    unseen = [name for name, is_seen in reached if not is_seen]
    assert unseen == []
    names = [name for name, _ in reached]
    wanted = (
        "Chats",
        "Settings",
        "New chat",
        "Search chats",
        "Write some code",
        "Options of",
        "Use my chats in another browser",
        "Conversation",
        "Copy message",
        "Thought for",
        "Copy code",
        "Copy as Markdown",
        "Message",
        "Attach an image",
        "Attach a video",
        "Reasoning effort: Default",
        "Send",
        "Reasoning effort",
        "System prompt",
    )
    at = -1
    for name in wanted:
        later = [i for i, found in enumerate(names) if i > at and found.startswith(name)]
        assert later, f"{name} is not reached after {names[: at + 1]}; then: {names[at + 1 :]}"
        at = later[0]


async def _tab_through(playground: Playground, most: int = 60) -> Any:
    """Presses Tab through the whole page; gives each stop's name, and whether it looks focused."""
    page = playground.page
    for _ in range(most):
        await page.keyboard.press("Tab")
        focused = page.locator(":focus")
        if not await focused.count():
            return
        name = await focused.evaluate(
            "e => e.ariaLabel ?? e.labels?.[0]?.innerText ?? (e.innerText || e.title)"
        )
        yield name.strip(), await _looks_focused(focused)


async def _looks_focused(focused: Locator) -> bool:
    """Whether the pixels around an element change when it loses the focus."""
    page = focused.page
    around = await box(focused)
    clip = {
        "x": max(0, around["x"] - 8),
        "y": max(0, around["y"] - 8),
        "width": around["width"] + 16,
        "height": min(around["height"], 200) + 16,
    }
    element = await focused.element_handle()
    assert element is not None
    await page.wait_for_function("document.getAnimations().every(a => a.playState !== 'running')")
    with_focus = await page.screenshot(clip=clip)
    await element.evaluate("e => e.blur()")
    await page.wait_for_function("document.getAnimations().every(a => a.playState !== 'running')")
    without = await page.screenshot(clip=clip)
    await element.evaluate("e => e.focus({ focusVisible: true, preventScroll: true })")
    return with_focus != without


async def test_keys_alone_send_read_and_stop(playground: Playground) -> None:
    page = playground.page
    await page.keyboard.press("Tab")
    await playground.message.focus()
    await page.keyboard.type("Hello")
    await page.keyboard.press("Enter")
    turn = await playground.ended()
    await turn.get_by_test_id("reasoning").get_by_role("button").press("Enter")
    await expect(page.get_by_role("region", name="Reasoning")).to_be_visible()
    await playground.simulate("delay=60")
    await playground.message.focus()
    await page.keyboard.type("Hello again")
    await page.keyboard.press("Enter")
    await expect(playground.turns.last).to_contain_text("Waiting for the first token")
    await page.keyboard.press("Escape")
    await playground.ended()
    await expect(playground.notices).to_contain_text("Stopped before anything came.")


async def box(part: Locator) -> dict[str, float]:
    found = await part.bounding_box()
    assert found is not None
    return dict(found)
