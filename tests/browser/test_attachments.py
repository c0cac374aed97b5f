"""Pictures and clips: by file chooser, by paste, by drop; shown, sent, replaced, refused."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from playwright.async_api import FilePayload, Locator, expect

from tests.browser.playground import Playground, file
from tests.media.samples import clip, encoded, quarters

pytestmark = pytest.mark.asyncio(loop_scope="session")

TIMES = "\N{MULTIPLICATION SIGN}"
PNG = encoded(quarters(320, 240), "PNG")


async def choose(playground: Playground, kind: str, chosen: FilePayload) -> None:
    """Picks a file as a reader does: a click on the slot opens the file chooser."""
    async with playground.page.expect_file_chooser() as opened:
        await playground.slot(kind).get_by_role("button", name="Attach").click()
    await (await opened.value).set_files(chosen)


async def is_drawn(picture: Locator) -> bool:
    drawn: bool = await picture.evaluate(
        "async (image) => { await image.decode(); return image.naturalWidth > 0 }"
    )
    return drawn


async def test_a_chosen_picture_is_sent_shown_and_enlarged(playground: Playground) -> None:
    await choose(playground, "image", file("quarters.png", "image/png", PNG))
    await expect(playground.slot("image")).to_have_attribute("data-state", "ready")
    await expect(playground.slot("image")).to_contain_text("quarters.png")
    turn = await playground.ask("What is in the picture?")
    await expect(turn.get_by_test_id("answer")).to_contain_text(f"320 {TIMES} 240 pixels")
    await expect(playground.slot("image")).to_have_attribute("data-state", "empty")

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
    for way in (playground.paste, playground.drop):
        await way(file("moved.png", "image/png", PNG))
        await expect(playground.slot("image")).to_have_attribute("data-state", "ready")
        await expect(playground.slot("image")).to_contain_text("moved.png")
        turn = await playground.ask("")
        await expect(turn.get_by_test_id("answer")).to_contain_text(f"320 {TIMES} 240 pixels")
        await playground.new_chat()
    # An office program puts a picture of the text beside the text.
    await playground.paste(file("text.png", "image/png", PNG), text="the text")
    await expect(playground.slot("image")).to_have_attribute("data-state", "empty")


async def test_a_clip_and_a_picture_go_with_one_message(playground: Playground) -> None:
    moving = clip(width=160, height=120, frames=20, rate=10)
    await choose(playground, "video", file("quarters.mp4", "video/mp4", moving))
    await choose(playground, "image", file("quarters.png", "image/png", PNG))
    await expect(playground.slot("video")).to_have_attribute("data-state", "ready")
    await expect(playground.slot("image")).to_have_attribute("data-state", "ready")
    turn = await playground.ask("What is in the two?")
    answer = turn.get_by_test_id("answer")
    await expect(answer).to_contain_text(f"The clip is 2.0 seconds long, 160 {TIMES} 120 pixels")
    await expect(answer).to_contain_text(f"The picture is 320 {TIMES} 240 pixels")
    await playground.user_messages.get_by_role("button", name="Enlarge quarters.mp4").click()
    await expect(playground.page.get_by_role("dialog").locator("video")).to_be_visible()
    await playground.page.get_by_role("dialog").get_by_role("button", name="Close").click()
    await expect(playground.page.get_by_role("dialog")).to_have_count(0)


async def test_what_the_browser_cannot_draw_is_shown_as_the_server_made_it(
    playground: Playground,
) -> None:
    """Systems that do not know these kinds give them no type."""
    for kind, name in (("HEIF", "phone.heic"), ("TIFF", "scan.tif")):
        await playground.drop(file(name, "", encoded(quarters(320, 240), kind)))
        await expect(playground.slot("image")).to_have_attribute("data-state", "ready")
        picture = playground.slot("image").locator("img")
        await expect(picture).to_have_attribute("src", re.compile("^api/media/"))
        assert await is_drawn(picture)
        turn = await playground.ask("What is in the picture?")
        await expect(turn.get_by_test_id("answer")).to_contain_text(f"320 {TIMES} 240 pixels")
        await playground.new_chat()


async def test_a_clip_of_another_kind_is_taken_by_what_it_is(playground: Playground) -> None:
    for container, codec in (("matroska", "libx264"), ("webm", "libvpx"), ("mov", "libx264")):
        data = clip(width=160, height=120, codec=codec, container=container)
        await playground.drop(file("recording", "", data))
        await expect(playground.slot("video")).to_have_attribute("data-state", "ready")
        turn = await playground.ask("What is in the clip?")
        answer = turn.get_by_test_id("answer")
        await expect(answer).to_contain_text(f"2.0 seconds long, 160 {TIMES} 120 pixels")
        await playground.new_chat()


async def test_a_second_picture_takes_the_place_of_the_first(playground: Playground) -> None:
    await playground.drop(file("first.png", "image/png", PNG))
    await expect(playground.slot("image")).to_have_attribute("data-state", "ready")
    second = encoded(quarters(200, 100), "JPEG")
    await playground.drop(file("second.jpg", "image/jpeg", second))
    await expect(playground.said).to_contain_text("“second.jpg” takes the place of “first.png”")
    await expect(playground.slot("image")).to_contain_text("second.jpg")
    await expect(playground.slot("image")).to_have_attribute("data-state", "ready")
    turn = await playground.ask("What is in the picture?")
    await expect(playground.user_messages.locator(".thumb")).to_have_count(1)
    await expect(turn.get_by_test_id("answer")).to_contain_text(f"200 {TIMES} 100 pixels")


async def test_an_older_picture_is_replaced_by_a_note_and_the_turn_says_so(
    playground: Playground,
) -> None:
    for name in ("older.png", "newer.png"):
        await playground.drop(file(name, "image/png", PNG))
        await expect(playground.slot("image")).to_have_attribute("data-state", "ready")
        turn = await playground.ask("What is in the picture?")
    await expect(turn).to_have_attribute("data-state", "complete")
    await expect(playground.notices).to_have_count(1)
    await expect(turn.get_by_test_id("notice")).to_have_attribute("data-code", "media_replaced")


async def test_an_attachment_outlives_a_reload_and_can_be_taken_away(
    playground: Playground,
) -> None:
    await playground.drop(file("mistake.png", "image/png", PNG))
    await expect(playground.slot("image")).to_have_attribute("data-state", "ready")
    await playground.reload()
    await expect(playground.slot("image")).to_contain_text("mistake.png")
    assert await is_drawn(playground.slot("image").locator("img"))
    await playground.page.get_by_role("button", name="Take away mistake.png").click()
    await expect(playground.slot("image")).to_have_attribute("data-state", "empty")
    body = await playground.send("Without it")
    assert body["attachments"] == []
    await playground.ended()


REFUSED = {
    "a type by its name": (
        file("paper.pdf", "application/pdf", b"%PDF-1.7"),
        "“paper.pdf” is a PDF, which the model cannot read: copy its text and paste it",
    ),
    "what only claims to be a picture": (
        file("paper.png", "image/png", b"%PDF-1.7 and more"),
        "paper.png",
    ),
    "a picture that is broken": (file("half.png", "image/png", PNG[:60]), "half.png"),
    "a recording": (
        file("voice.mp3", "audio/mpeg", b"ID3\x04" + bytes(40)),
        "“voice.mp3” is a sound recording, and the model does not hear: attach a clip",
    ),
    "a clip that is broken": (file("half.mp4", "video/mp4", clip()[:400]), "half.mp4"),
}


async def test_what_is_refused_gets_a_sentence_and_costs_nothing(playground: Playground) -> None:
    playground.watch.expect("422")
    await playground.write("the message being written")
    for what, (refused, sentence) in REFUSED.items():
        await playground.drop(refused)
        await expect(playground.said, what).to_contain_text(sentence)
        await expect(playground.said).to_have_attribute("data-tone", "refused")
        await expect(playground.page.locator(".slot:not([data-state=empty])")).to_have_count(0)
        await expect(playground.files).to_have_count(0)
        await expect(playground.message).to_have_value("the message being written")
    await expect(playground.send_button).to_be_enabled()


async def test_what_is_too_large_is_refused_before_it_is_sent(
    playground: Playground, tmp_path: Path
) -> None:
    path = tmp_path / "huge.png"
    path.write_bytes(PNG)
    os.truncate(path, 512_000_000)
    async with playground.page.expect_file_chooser() as opened:
        await playground.slot("image").get_by_role("button", name="Attach").click()
    await (await opened.value).set_files(path)
    await expect(playground.said).to_contain_text(
        "“huge.png” has 512 MB, and at most 500 MB can be attached: shrink or trim it."
    )
    await expect(playground.slot("image")).to_have_attribute("data-state", "empty")
