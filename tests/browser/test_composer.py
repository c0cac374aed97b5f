"""What is written and not yet sent: drafts, and text files that go into the prompt."""

from __future__ import annotations

import io
import json
import re
import zipfile
from typing import Any

import pytest
from playwright.async_api import Route, expect

from tests.browser.playground import TURNS, OpenPlayground, Playground, file
from tests.media.samples import encoded, quarters

pytestmark = pytest.mark.asyncio(loop_scope="session")

PNG = encoded(quarters(320, 240), "PNG")
NOTES = file("notes.md", "text/markdown", b"# Notes\n\nOne thing, and another.\n")


async def tell(playground: Playground, event: str, detail: dict[str, Any]) -> None:
    """Has the page's chat say something, as its other parts do."""
    await playground.page.evaluate(
        """async ([event, detail]) => {
          const { chat } = await import(window.ownFile("js/chat.mjs"));
          chat.tell(event, detail);
        }""",
        [event, detail],
    )


async def attach(playground: Playground) -> None:
    await playground.drop(NOTES, file("a.png", "image/png", PNG))
    await expect(playground.slot("image")).to_have_attribute("data-state", "ready")


async def test_each_chat_keeps_its_draft(playground: Playground) -> None:
    await playground.ask("The first chat")
    await playground.write("a draft in the first chat")
    await attach(playground)
    await playground.new_chat()
    await expect(playground.message).to_have_value("")
    await expect(playground.files).to_have_count(0)
    await expect(playground.slot("image")).to_have_attribute("data-state", "empty")
    await playground.write("a draft in no chat yet")
    await playground.page.go_back()
    await expect(playground.message).to_have_value("a draft in the first chat")
    await expect(playground.files).to_contain_text("notes.md")
    await expect(playground.slot("image")).to_contain_text("a.png")
    await playground.new_chat()
    await expect(playground.message).to_have_value("a draft in no chat yet")


async def test_a_draft_outlives_its_tab(open_playground: OpenPlayground) -> None:
    first = await open_playground()
    await first.write("not yet sent")
    await attach(first)
    async with first.page.expect_event("close"):
        await first.page.close(run_before_unload=True)
    second = await open_playground()
    await expect(second.message).to_have_value("not yet sent")
    body = await second.send("sent now")
    assert [each["name"] for each in body["files"]] == ["notes.md"]
    assert len(body["attachments"]) == 1
    await second.ended()
    await second.reload()
    await expect(second.message).to_have_value("")
    await expect(second.files).to_have_count(0)


async def test_a_picture_whose_address_has_expired_is_its_icon_and_is_still_sent(
    playground: Playground,
) -> None:
    playground.watch.expect("403")
    await playground.write("What is in it?")
    await attach(playground)
    await playground.page.route("**/api/media/*", lambda route: route.fulfill(status=403))
    await playground.reload()
    picture = playground.slot("image")
    await expect(picture.locator(".icon-image")).to_be_visible()
    await picture.get_by_role("button", name="Enlarge a.png").click()
    await expect(playground.said).to_contain_text("“a.png” is attached and will be sent")
    await playground.message.press("Enter")
    turn = await playground.ended()
    await expect(turn.get_by_test_id("answer")).to_contain_text("320")


async def test_a_picture_that_the_server_no_longer_keeps_is_said(playground: Playground) -> None:
    playground.watch.expect("404")
    await playground.write("What is in it?")
    await attach(playground)

    async def forget(route: Route) -> None:
        body = json.loads(route.request.post_data or "{}") | {"attachments": ["0" * 64]}
        await route.continue_(post_data=json.dumps(body))

    await playground.page.route(TURNS, forget)
    await playground.message.press("Enter")
    await expect(playground.said).to_contain_text("An attachment is no longer kept.")
    await expect(playground.message).to_have_value("What is in it?")


async def test_a_message_taken_back_stands_before_what_is_written(playground: Playground) -> None:
    await playground.write("being written")
    await tell(
        playground,
        "draft",
        {"text": "taken back", "attachments": [], "files": [{"name": "a.txt", "text": "one\n"}]},
    )
    await expect(playground.message).to_have_value("taken back\n\nbeing written")
    await expect(playground.message).to_be_focused()
    await expect(playground.files).to_contain_text("a.txt")


async def test_two_pictures_do_not_fit_so_what_was_written_is_set_aside(
    playground: Playground,
) -> None:
    turn = await _ask_about_a_picture(playground)
    await expect(turn).to_have_attribute("data-state", "complete")
    sent = await playground.page.evaluate(
        """async () => {
          const { chat } = await import(window.ownFile("js/chat.mjs"));
          return chat.undo();
        }"""
    )
    await playground.write("about another")
    await playground.drop(file("b.png", "image/png", PNG))
    await expect(playground.slot("image")).to_contain_text("b.png")
    await expect(playground.slot("image")).to_have_attribute("data-state", "ready")
    await tell(playground, "draft", sent)
    await expect(playground.message).to_have_value("What is in it?")
    await expect(playground.slot("image")).to_contain_text("a.png")
    await expect(playground.queued).to_contain_text(["about another"])
    await expect(playground.queued).to_contain_text(["b.png"])
    await expect(playground.said).to_contain_text("set aside")


async def _ask_about_a_picture(playground: Playground) -> Any:
    await playground.drop(file("a.png", "image/png", PNG))
    await expect(playground.slot("image")).to_have_attribute("data-state", "ready")
    return await playground.ask("What is in it?")


async def test_what_is_too_long_to_be_kept_is_said_once(playground: Playground) -> None:
    await playground.write("being written")
    await playground.drop(file("long.txt", "text/plain", b"x" * 3_999_990))
    await expect(playground.said).to_contain_text("too long to be kept")
    await playground.reload()
    await expect(playground.message).to_have_value("being written")
    await expect(playground.files).to_have_count(0)


async def test_a_dropped_file_is_a_chip_can_be_read_and_is_sent(playground: Playground) -> None:
    await playground.drop(NOTES)
    await expect(playground.files).to_contain_text(["notes.md3 lines, 33 B"])
    await playground.files.get_by_role("button", name="Show notes.md").click()
    dialog = playground.page.get_by_role("dialog", name="notes.md")
    await expect(dialog.locator("pre")).to_have_text("# Notes\n\nOne thing, and another.\n")
    await playground.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await dialog.get_by_role("button", name="Copy the text").click()
    copied = await playground.page.evaluate("navigator.clipboard.readText()")
    assert copied == "# Notes\n\nOne thing, and another.\n"
    await playground.page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)
    body = await playground.send("Read it")
    assert body["files"] == [{"name": "notes.md", "text": "# Notes\n\nOne thing, and another.\n"}]
    await playground.ended()
    await expect(playground.files).to_have_count(0)


async def test_files_come_by_chooser_and_paste_and_can_be_taken_away(
    playground: Playground,
) -> None:
    async with playground.page.expect_file_chooser() as opened:
        await playground.page.get_by_role("button", name="Attach text files").click()
    await (await opened.value).set_files(
        [file("a.csv", "text/csv", b"a,b\n1,2\n"), file("b.json", "application/json", b"{}")]
    )
    # A file manager puts the name beside the file.
    await playground.paste(file("c.log", "", b"started\n"), text="c.log")
    await expect(playground.files).to_contain_text(["a.csv", "b.json", "c.log"])
    await playground.page.get_by_role("button", name="Take away b.json").press("Enter")
    await expect(playground.files).to_contain_text(["a.csv", "c.log"])
    await expect(playground.files.last.get_by_role("button").first).to_be_focused()
    await expect(playground.send_button).to_be_enabled()


TEXTS = {
    "no name for what it is": (file("README", "", "Grüße, 你好".encode()), "Grüße, 你好"),
    "a name that a browser takes for a clip": (
        file("page.ts", "video/mp2t", b"export const one = 1;\n"),
        "export const one = 1;\n",
    ),
    "a drawing that is text": (file("dot.svg", "image/svg+xml", b"<svg/>"), "<svg/>"),
    "UTF-8 with its mark": (file("marked.txt", "text/plain", b"\xef\xbb\xbfone"), "one"),
    "UTF-16 with its mark": (file("wide.txt", "text/plain", "einz\n".encode("utf-16")), "einz\n"),
    "longer than one look, a letter across its edge": (
        file("long.txt", "text/plain", b"x" * 4095 + "é".encode()),
        "x" * 4095 + "é",
    ),
}


async def test_the_content_decides_what_is_text(playground: Playground) -> None:
    await playground.drop(*(sent for sent, _ in TEXTS.values()))
    await expect(playground.files).to_have_count(len(TEXTS))
    body = await playground.send("Read them")
    assert [each["text"] for each in body["files"]] == [text for _, text in TEXTS.values()]
    await playground.ended()


def zipped() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("word/document.xml", "<xml/>")
    return packed.getvalue()


REFUSED = {
    "“a.pdf” is a PDF": file("a.pdf", "application/pdf", b"%PDF-1.7\n%\xe2\xe3"),
    "“a.docx” is an office document": file("a.docx", "", zipped()),
    "“a.zip” is an archive": file("a.zip", "application/zip", zipped()),
    "“empty.txt” is empty": file("empty.txt", "text/plain", b""),
    "“latin.txt” cannot be attached": file("latin.txt", "text/plain", b"Gr\xfc\xdfe an alle"),
    "“nul.bin” cannot be attached": file("nul.bin", "", b"a\0b"),
}


async def test_what_is_no_text_gets_its_own_sentence(playground: Playground) -> None:
    await playground.write("being written")
    for sentence, sent in REFUSED.items():
        await playground.drop(sent)
        await expect(playground.said).to_contain_text(sentence)
        await expect(playground.said).to_have_attribute("data-tone", "refused")
        await expect(playground.files).to_have_count(0)
    await expect(playground.message).to_have_value("being written")


async def test_files_have_limits_that_are_said(playground: Playground) -> None:
    many = [file(f"{number}.txt", "text/plain", b"x") for number in range(21)]
    await playground.drop(*many)
    await expect(playground.files).to_have_count(20)
    await expect(playground.said).to_have_text(
        "“20.txt” was left out: a message takes 20 files at most."
    )
    await playground.ask("Read them")
    half = b"x" * 2_000_001
    await playground.drop(file("a.txt", "text/plain", half), file("b.txt", "text/plain", half))
    await expect(playground.files).to_have_count(1)
    await expect(playground.said).to_contain_text(re.compile(r"“b\.txt” was left out.*4,000,000"))
