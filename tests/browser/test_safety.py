"""Nothing that a visitor, a file or a model names ever runs, or is fetched."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.playground import Playground
from tests.media.samples import encoded, quarters

pytestmark = pytest.mark.asyncio(loop_scope="session")

RUN = "window.ran=1"
HOSTILE = (
    f"<img src=x onerror={RUN}> <script>{RUN}</script> <svg onload={RUN}> "
    "![x](https://e.example/p.png) [y](javascript:window.ran=1) [z](//e.example/z) "
    "<iframe src=https://e.example></iframe> ${window.ran=1} {{window.ran=1}}"
)


async def nothing_ran(playground: Playground) -> None:
    """No script ran, and nothing was built that could load anything; `Watch` sees requests."""
    assert await playground.page.evaluate("window.ran === undefined")
    built = playground.page.locator(
        ".conversation :is(script, iframe, object, embed, svg, form, style, link, img[src='x'])"
    )
    await expect(built).to_have_count(0)
    for link in await playground.page.locator(".conversation a").all():
        assert (await link.get_attribute("href") or "").startswith(("https://", "http://"))


async def test_a_hostile_message_its_echo_and_settings_are_text(playground: Playground) -> None:
    system = playground.page.locator("#system-prompt textarea")
    await system.fill(HOSTILE)
    await playground.has_setting("system", HOSTILE)
    turn = await playground.ask(HOSTILE)
    text = playground.user_messages.locator(".user-text")
    await expect(text).to_have_text(HOSTILE)
    answer = turn.get_by_test_id("answer")
    await expect(answer.locator("blockquote")).to_contain_text(f"<img src=x onerror={RUN}>")
    await nothing_ran(playground)
    await playground.reload()
    await expect(answer.locator("blockquote")).to_contain_text(f"<script>{RUN}</script>")
    await expect(system).to_have_value(HOSTILE)
    await nothing_ran(playground)


async def test_a_hostile_name_of_a_tool_is_text(playground: Playground) -> None:
    name = f"<img src=x onerror={RUN}>"
    parameters = {
        "type": "object",
        "properties": {name: {"type": "string", "enum": [f"<script>{RUN}</script>"]}},
        "required": [name],
    }
    await playground.declare({"name": name, "parameters": parameters}, tool_choice="required")
    turn = await playground.ask("Call it")
    call = turn.get_by_test_id("call")
    await expect(call.locator(".call-head")).to_contain_text(name)
    await expect(call).to_contain_text(f"<script>{RUN}</script>")
    await nothing_ran(playground)


async def test_a_hostile_name_of_a_file_is_text(playground: Playground) -> None:
    name = f"<img src=x onerror={RUN}>.png"
    data = encoded(quarters(), "PNG")
    await playground.page.get_by_test_id("image-input").set_input_files(
        {"name": name, "mimeType": "image/png", "buffer": data}
    )
    slot = playground.page.get_by_test_id("image-slot")
    await expect(slot).to_contain_text(name)
    await expect(slot).to_have_attribute("data-state", "ready")
    await playground.ask("What is in the picture?")
    thumbnail = playground.user_messages.get_by_role("button", name="Enlarge")
    await thumbnail.click()
    await expect(playground.page.get_by_role("dialog")).to_contain_text(name)
    assert await playground.page.evaluate("window.ran === undefined")
