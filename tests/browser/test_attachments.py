"""Pictures and clips: by file chooser, by paste, by drop; shown, sent, replaced, refused."""

from __future__ import annotations

import base64
import re
from typing import Any

import pytest
from playwright.async_api import FilePayload, Locator, expect

from tests.browser.playground import Playground
from tests.media.samples import clip, encoded, quarters

pytestmark = pytest.mark.asyncio(loop_scope="session")

TIMES = "\N{MULTIPLICATION SIGN}"
PNG = encoded(quarters(320, 240), "PNG")


def file(name: str, mime: str, data: bytes) -> FilePayload:
    return {"name": name, "mimeType": mime, "buffer": data}


def slot(playground: Playground, kind: str) -> Locator:
    return playground.page.get_by_test_id(f"{kind}-slot")


async def choose(playground: Playground, kind: str, chosen: FilePayload) -> None:
    """Picks a file as a reader does: a click on the slot opens the file chooser."""
    async with playground.page.expect_file_chooser() as opened:
        await slot(playground, kind).get_by_role("button", name="Attach").click()
    await (await opened.value).set_files(chosen)


async def transfer(playground: Playground, event: str, sent: FilePayload, **more: Any) -> None:
    """Pastes or drops a file, with the bytes that the system would hand over."""
    await playground.message.evaluate(
        """(target, [kind, name, type, data, text]) => {
          const carried = new DataTransfer();
          const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
          carried.items.add(new File([bytes], name, { type }));
          if (text) carried.setData("text/plain", text);
          const common = { bubbles: true, cancelable: true };
          if (kind === "paste") {
            target.dispatchEvent(new ClipboardEvent(kind, { ...common, clipboardData: carried }));
          } else {
            for (const each of ["dragenter", "dragover", kind]) {
              target.dispatchEvent(new DragEvent(each, { ...common, dataTransfer: carried }));
            }
          }
        }""",
        [
            event,
            sent["name"],
            sent["mimeType"],
            base64.b64encode(sent["buffer"]).decode(),
            more.get("text", ""),
        ],
    )


async def is_drawn(picture: Locator) -> bool:
    drawn: bool = await picture.evaluate(
        "async (image) => { await image.decode(); return image.naturalWidth > 0 }"
    )
    return drawn


async def test_a_chosen_picture_is_sent_shown_and_enlarged(playground: Playground) -> None:
    await choose(playground, "image", file("quarters.png", "image/png", PNG))
    await expect(slot(playground, "image")).to_have_attribute("data-state", "ready")
    await expect(slot(playground, "image")).to_contain_text("quarters.png")
    turn = await playground.ask("What is in the picture?")
    await expect(turn.get_by_test_id("answer")).to_contain_text(f"320 {TIMES} 240 pixels")
    await expect(slot(playground, "image")).to_have_attribute("data-state", "empty")

    thumbnail = playground.user_messages.get_by_role("button", name="Enlarge quarters.png")
    assert await is_drawn(thumbnail.locator("img"))
    await thumbnail.click()
    viewer = playground.page.get_by_role(
        "dialog", name=re.compile(f"quarters.png, 320 {TIMES} 240")
    )
    await expect(viewer).to_be_visible()
    assert await is_drawn(viewer.locator("img"))
    await playground.page.keyboard.press("Escape")
    await expect(viewer).to_have_count(0)
    await expect(thumbnail).to_be_focused()
    await playground.reload()
    assert await is_drawn(playground.user_messages.locator("img"))


async def test_a_picture_comes_by_paste_and_by_drop_and_can_go_alone(
    playground: Playground,
) -> None:
    for way in ("paste", "drop"):
        await transfer(playground, way, file("moved.png", "image/png", PNG))
        await expect(slot(playground, "image")).to_have_attribute("data-state", "ready")
        await expect(slot(playground, "image")).to_contain_text("moved.png")
        turn = await playground.ask("")
        await expect(turn.get_by_test_id("answer")).to_contain_text(f"320 {TIMES} 240 pixels")
        await playground.new_chat()
    # An office program puts a picture of the text beside the text.
    await transfer(playground, "paste", file("text.png", "image/png", PNG), text="the text")
    await expect(slot(playground, "image")).to_have_attribute("data-state", "empty")


async def test_a_clip_and_a_picture_go_with_one_message(playground: Playground) -> None:
    moving = clip(width=160, height=120, frames=20, rate=10)
    await choose(playground, "video", file("quarters.mp4", "video/mp4", moving))
    await choose(playground, "image", file("quarters.png", "image/png", PNG))
    await expect(slot(playground, "video")).to_have_attribute("data-state", "ready")
    await expect(slot(playground, "image")).to_have_attribute("data-state", "ready")
    turn = await playground.ask("What is in the two?")
    answer = turn.get_by_test_id("answer")
    await expect(answer).to_contain_text(f"The clip is 2.0 seconds long, 160 {TIMES} 120 pixels")
    await expect(answer).to_contain_text(f"The picture is 320 {TIMES} 240 pixels")
    await playground.user_messages.get_by_role("button", name="Enlarge quarters.mp4").click()
    await expect(playground.page.get_by_role("dialog").locator("video")).to_be_visible()
    await playground.page.get_by_role("dialog").get_by_role("button", name="Close").click()
    await expect(playground.page.get_by_role("dialog")).to_have_count(0)


async def test_a_second_picture_takes_the_place_of_the_first(playground: Playground) -> None:
    await transfer(playground, "drop", file("first.png", "image/png", PNG))
    await expect(slot(playground, "image")).to_have_attribute("data-state", "ready")
    second = encoded(quarters(200, 100), "JPEG")
    await transfer(playground, "drop", file("second.jpg", "image/jpeg", second))
    await expect(playground.said).to_contain_text("“second.jpg” takes the place of “first.png”")
    await expect(slot(playground, "image")).to_contain_text("second.jpg")
    await expect(slot(playground, "image")).to_have_attribute("data-state", "ready")
    turn = await playground.ask("What is in the picture?")
    await expect(playground.user_messages.locator(".thumb")).to_have_count(1)
    await expect(turn.get_by_test_id("answer")).to_contain_text(f"200 {TIMES} 100 pixels")


async def test_an_older_picture_is_replaced_by_a_note_and_the_turn_says_so(
    playground: Playground,
) -> None:
    for name in ("older.png", "newer.png"):
        await transfer(playground, "drop", file(name, "image/png", PNG))
        await expect(slot(playground, "image")).to_have_attribute("data-state", "ready")
        turn = await playground.ask("What is in the picture?")
    await expect(turn).to_have_attribute("data-state", "complete")
    await expect(playground.notices).to_have_count(1)
    await expect(turn.get_by_test_id("notice")).to_have_attribute("data-code", "media_replaced")


async def test_an_attachment_outlives_a_reload_and_can_be_taken_away(
    playground: Playground,
) -> None:
    await transfer(playground, "drop", file("mistake.png", "image/png", PNG))
    await expect(slot(playground, "image")).to_have_attribute("data-state", "ready")
    await playground.reload()
    await expect(slot(playground, "image")).to_contain_text("mistake.png")
    assert await is_drawn(slot(playground, "image").locator("img"))
    await playground.page.get_by_role("button", name="Take away mistake.png").click()
    await expect(slot(playground, "image")).to_have_attribute("data-state", "empty")
    body = await playground.send("Without it")
    assert body["attachments"] == []
    await playground.ended()


REFUSED = {
    "a type by its name": (
        file("paper.pdf", "application/pdf", b"%PDF-1.7"),
        "“paper.pdf” cannot be attached: take a JPEG, PNG, WebP or GIF picture, or an MP4 clip.",
    ),
    "what only claims to be a picture": (
        file("paper.png", "image/png", b"%PDF-1.7 and more"),
        "paper.png",
    ),
    "a picture that is broken": (file("half.png", "image/png", PNG[:60]), "half.png"),
    "a clip that is broken": (file("half.mp4", "video/mp4", clip()[:400]), "half.mp4"),
}


async def test_what_is_refused_gets_a_sentence_and_costs_nothing(playground: Playground) -> None:
    playground.watch.expect("422")
    await playground.write("the message being written")
    for what, (refused, sentence) in REFUSED.items():
        await transfer(playground, "drop", refused)
        await expect(playground.said, what).to_contain_text(sentence)
        await expect(playground.said).to_have_attribute("data-tone", "refused")
        await expect(playground.page.locator(".slot:not([data-state=empty])")).to_have_count(0)
        await expect(playground.message).to_have_value("the message being written")
    await expect(playground.send_button).to_be_enabled()
