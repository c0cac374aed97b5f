"""The answer as it is read: Markdown, made safe."""

from __future__ import annotations

import pytest
from playwright.async_api import Locator, expect

from tests.browser.playground import Playground

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def answer_to(playground: Playground, text: str) -> Locator:
    return (await playground.ask(text)).get_by_test_id("answer")


async def test_markdown_is_shown_as_what_it_means(playground: Playground) -> None:
    await playground.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    answer = await answer_to(playground, "Show me what Markdown can do")
    await expect(answer.get_by_role("heading", name="A heading", level=2)).to_be_visible()
    await expect(answer.locator("ol > li")).to_have_count(3)
    await expect(answer.locator("ol ul > li")).to_have_count(2)
    await expect(answer.locator("em").first).to_have_text("emphasised")
    await expect(answer.locator("blockquote").last).to_contain_text("A quotation stands apart.")

    table = answer.get_by_role("table")
    await expect(table.get_by_role("columnheader")).to_have_text(["Effort", "Thought", "Meant for"])
    await expect(table.locator("tbody tr")).to_have_count(3)
    await expect(table.get_by_role("cell", name="longest")).to_have_css("text-align", "right")

    link = answer.get_by_role("link", name="link")
    await expect(link).to_have_attribute("href", "https://example.com/")
    await expect(link).to_have_attribute("target", "_blank")
    assert "noopener" in (await link.get_attribute("rel") or "")

    await expect(answer.locator("math[display=block] mfrac")).to_be_visible()
    await expect(answer.locator("math")).to_have_count(4)
    await expect(answer).not_to_contain_text("$")

    code = answer.locator(".code")
    await expect(code.locator(".code-head")).to_have_text("Python")
    keyword = code.locator("span", has_text="def").last
    plain = await code.locator("pre").evaluate("pre => getComputedStyle(pre).color")
    assert await keyword.evaluate("span => getComputedStyle(span).color") != plain
    await code.get_by_role("button", name="Copy code").click()
    await expect(code.get_by_title("Copied")).to_be_visible()
    copied = await playground.page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("def fibonacci(limit: int) -> list[int]:\n    ")
    assert copied.rstrip().endswith("print(fibonacci(100))")


async def test_an_open_fence_is_plain_and_is_highlighted_when_it_closes(
    playground: Playground,
) -> None:
    await playground.simulate("no-reasoning;speed=45")
    await playground.send("Write some code")
    code = playground.answers.locator("pre code")
    await expect(code).to_contain_text("def fibonacci")
    assert await code.locator("span").count() == 0
    await playground.ended()
    assert await code.locator("span").count() > 10
    await expect(code).to_contain_text("print(fibonacci(100))")


async def test_money_is_text_and_so_is_maths_that_cannot_be_read(playground: Playground) -> None:
    text = "Is $5 and $6 more than US$5, or $20-$30, or **$4**, in $HOME/$USER?"
    answer = await answer_to(playground, text)
    await expect(answer.locator("math")).to_have_count(0)
    await expect(answer.locator("blockquote")).to_have_text(text.replace("**", ""))
    answer = await answer_to(playground, r"What is $\frac{1$ and $x^2$ ?")
    await expect(answer.locator("blockquote")).to_contain_text(r"\frac{1")
    await expect(answer.locator("blockquote math")).to_contain_text("x2")


async def test_html_is_text_and_pictures_are_links(playground: Playground) -> None:
    text = "<b>bold</b> <img src=x> ![a cat](https://pictures.example/cat.png) <i>x</i>"
    answer = await answer_to(playground, text)
    quotation = answer.locator("blockquote")
    await expect(quotation).to_contain_text("<b>bold</b> <img src=x>")
    await expect(answer.locator("b, i, img")).to_have_count(0)
    link = quotation.get_by_role("link", name="a cat")
    await expect(link).to_have_attribute("href", "https://pictures.example/cat.png")


async def html_of_blocks(answer: Locator) -> list[str]:
    """The HTML of each block; line breaks between elements are nobody's."""
    html: list[str] = await answer.locator(".block").evaluate_all(
        r"list => list.map(each => each.innerHTML.replace(/>\s+</g, '><'))"
    )
    return html


async def test_what_streamed_is_what_a_whole_rendering_gives(playground: Playground) -> None:
    await playground.simulate("answer=12000;chunk=7;speed=300")
    answer = await answer_to(playground, "A bit of everything")
    streamed = await html_of_blocks(answer)
    await playground.reload()
    whole = await html_of_blocks(answer)
    assert len(streamed) > 20
    assert streamed == whole


async def test_right_to_left_text_runs_from_the_right(playground: Playground) -> None:
    arabic = "ما هو تعلم الآلة؟"
    turn = await playground.ask(arabic)
    text = playground.user_messages.locator(".user-text")
    await expect(text).to_have_css("direction", "rtl")
    await expect(turn.get_by_test_id("answer").locator("blockquote")).to_contain_text(arabic)
    await expect(turn.get_by_test_id("answer").locator("blockquote p")).to_have_css(
        "direction", "rtl"
    )
