"""The page in the reader's language, and text that runs from right to left."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Locator, expect

from tests.browser.playground import OpenPlayground, Playground
from tests.media.samples import encoded, quarters

pytestmark = pytest.mark.asyncio(loop_scope="session")

OURS = """() => {
  const theirs = ".answer, .thought-text, .user-text, .call-arguments, .call-name, .call-problems,"
    + " textarea, script, style, option, [hidden], .tab-wrapper";
  const said = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    if (!walker.currentNode.parentElement.closest(theirs)) said.push(walker.currentNode.data);
  }
  for (const element of document.querySelectorAll("[aria-label], [title], [placeholder]")) {
    if (element.closest(".tab-wrapper")) continue;
    said.push(element.ariaLabel, element.title, element.placeholder);
  }
  return [...new Set(said.filter(Boolean))];
}"""
"""All that the page says by itself, in sight or to a screen reader."""

REFUSES_STORAGE = """
  for (const name of ["localStorage", "sessionStorage"]) {
    Object.defineProperty(window, name, {
      get() { throw new DOMException("refused", "SecurityError"); } });
  }
  Object.defineProperty(Document.prototype, "cookie", { get: () => "", set: () => {} });
"""
"""A browser that keeps nothing for the page, as some do for one in a frame of another site."""


async def english_left(playground: Playground) -> list[str]:
    """What is said in an English phrase of two words or more."""
    said: list[str] = await playground.page.evaluate(OURS)
    return [each for each in said if re.search(r"[A-Za-z]{2,} [a-z]{2,}", each)]


async def choose(playground: Playground, language: str) -> None:
    """Chooses a language as a reader does; the page loads anew."""
    async with playground.page.expect_navigation():
        await playground.page.locator("#language").select_option(label=language)
    await playground.ready()


async def test_a_chinese_browser_shows_chinese_and_nothing_else(
    open_playground: OpenPlayground,
) -> None:
    playground = await open_playground(width=1440, height=900, locale="zh-CN")
    page = playground.page
    await expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    await expect(page.get_by_role("log", name="对话内容")).to_be_attached()
    await expect(page.get_by_role("textbox", name="系统提示词")).to_be_visible()
    await expect(page.get_by_role("slider", name="思考强度")).to_be_attached()
    await expect(page.get_by_role("slider", name="温度滑块")).to_be_attached()
    assert await english_left(playground) == []

    turn = await playground.ask("你好")
    await expect(turn.get_by_test_id("reasoning")).to_contain_text("已思考")
    await expect(turn.get_by_role("list", name="本轮数据")).to_contain_text(
        re.compile(r"首个 token \d.* 秒.*[\d,]+ 个 token")
    )
    assert await english_left(playground) == []


async def test_the_example_that_calls_a_tool_calls_it_in_chinese_too(
    open_playground: OpenPlayground,
) -> None:
    playground = await open_playground(locale="zh-CN")
    await playground.examples.filter(has_text="调用一个工具").click()
    turn = await playground.ended()
    await expect(turn.get_by_role("region", name="工具调用 get_weather")).to_contain_text(
        "符合 Schema"
    )
    assert await english_left(playground) == []


async def test_a_notice_is_translated_and_the_servers_own_words_are_not(
    open_playground: OpenPlayground,
) -> None:
    playground = await open_playground(locale="zh-CN")
    await playground.simulate("status=400")
    turn = await playground.ask("你好")
    notice = turn.get_by_test_id("notice")
    await expect(notice).to_contain_text("服务器返回 400")
    await expect(notice).to_contain_text("Status 400: asked for by X-Simulate.")
    await expect(notice).to_contain_text("请修改上面指出的内容")


@pytest.mark.parametrize("locale", ["zh-TW", "zh-Hans-CN", "de-DE"])
async def test_the_language_follows_the_browsers_first_that_there_is(
    open_playground: OpenPlayground, locale: str
) -> None:
    playground = await open_playground(locale=locale)
    lang = "zh-Hans" if locale.startswith("zh") else "en"
    await expect(playground.page.locator("html")).to_have_attribute("lang", lang)


async def test_a_choice_is_kept_and_costs_nothing_of_chat_draft_and_settings(
    playground: Playground,
) -> None:
    await playground.ask("Hello")
    await playground.settings.get_by_label("System prompt").fill("Be brief.")
    await playground.page.get_by_test_id("image-input").set_input_files(
        {"name": "kept.png", "mimeType": "image/png", "buffer": encoded(quarters(), "PNG")}
    )
    slot = playground.page.get_by_test_id("image-slot")
    await expect(slot).to_have_attribute("data-state", "ready")
    await playground.write("not yet sent")

    await choose(playground, "中文")
    await expect(playground.page.locator("#language")).to_have_value("zh")
    await expect(playground.send_button).to_have_accessible_name("发送")
    await expect(playground.message).to_have_value("not yet sent")
    await expect(slot).to_contain_text("kept.png")
    await expect(playground.user_messages).to_have_text("Hello")
    await expect(playground.settings.get_by_label("系统提示词")).to_have_value("Be brief.")

    await playground.reload()
    await expect(playground.page.locator("html")).to_have_attribute("lang", "zh-Hans")
    await choose(playground, "English")
    await expect(playground.send_button).to_have_accessible_name("Send")
    await expect(playground.message).to_have_value("not yet sent")


async def test_a_choice_costs_nothing_where_the_browser_keeps_nothing(
    open_playground: OpenPlayground,
) -> None:
    playground = await open_playground(another_visitor=True)
    await playground.page.add_init_script(REFUSES_STORAGE)
    await playground.reload()
    await playground.ask("Hello")
    await playground.write("not yet sent")
    await choose(playground, "中文")
    await expect(playground.send_button).to_have_accessible_name("发送")
    await expect(playground.message).to_have_value("not yet sent")
    await expect(playground.user_messages).to_have_text("Hello")


async def test_the_choice_is_made_by_keyboard_and_has_a_name(playground: Playground) -> None:
    language = playground.page.get_by_role("combobox", name="Language")
    await language.focus()
    async with playground.page.expect_navigation():
        await playground.page.keyboard.press("ArrowDown")
    await playground.ready()
    await expect(playground.page.get_by_role("combobox", name="语言")).to_have_value("zh")


WIDTHS = (390, 768, 1440)


async def test_nothing_overflows_in_chinese(open_playground: OpenPlayground) -> None:
    playground = await open_playground(locale="zh-CN")
    await playground.ask("请用三句话介绍稀疏注意力")
    for width in WIDTHS:
        await playground.resize(width, 844)
        assert await playground.overflow() == 0, width
        await expect(playground.message).to_be_in_viewport(ratio=1)
        await expect(playground.send_button).to_be_in_viewport(ratio=1)
        for button in await playground.page.locator("header.header button:visible").all():
            await expect(button).to_be_in_viewport(ratio=1)


async def runs(part: Locator) -> str:
    direction: str = await part.evaluate("part => getComputedStyle(part).direction")
    return direction


@pytest.mark.parametrize("text", ["ما هو تعلم الآلة؟", "מהי למידת מכונה?"])
async def test_right_to_left_text_stays_so_wherever_it_is_shown(
    playground: Playground, text: str
) -> None:
    await playground.write(text)
    assert await runs(playground.message) == "rtl"
    turn = await playground.ask(text)
    assert await runs(playground.user_messages.locator(".user-text")) == "rtl"
    assert await runs(turn.locator(".answer blockquote p")) == "rtl"
    # The page itself is not turned.
    assert await runs(playground.page.locator("header.header")) == "ltr"
    await playground.write("and now in English")
    assert await runs(playground.message) == "ltr"


async def test_a_name_from_right_to_left_turns_no_sentence(playground: Playground) -> None:
    picture = encoded(quarters(), "PNG")
    for name in ("صورة.png", "תמונה.png"):
        await playground.page.get_by_test_id("image-input").set_input_files(
            {"name": name, "mimeType": "image/png", "buffer": picture}
        )
        slot = playground.page.get_by_test_id("image-slot")
        await expect(slot).to_have_attribute("data-state", "ready")
        await expect(slot).to_contain_text(name)
    await expect(playground.said).to_contain_text("takes the place of")
    assert await runs(playground.said) == "ltr"
