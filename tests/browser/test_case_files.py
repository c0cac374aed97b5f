"""Case files on the page: chats out of it, chats into it, and answers that are replayed."""

from __future__ import annotations

import asyncio
import io
import json
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import FilePayload, Locator, Request, Route, expect

from tests.browser.playground import OpenPlayground, Playground, file
from tests.browser.test_accessibility import violations
from tests.browser.test_chat_list import choose, line, lines, titles

pytestmark = pytest.mark.asyncio(loop_scope="session")

CASES = "**/api/cases"


def case(title: str, *texts: str) -> FilePayload:
    """A case file that a person has written: messages and answers in turn, nothing recorded."""
    kinds = ("user", "turn")
    entries = [{"kind": kinds[at % 2], "text": text} for at, text in enumerate(texts)]
    whole = {"format": "glm-playground-case", "version": 1, "title": title, "entries": entries}
    return file(f"{title}.case.json", "application/json", json.dumps(whole).encode())


async def exported(playground: Playground) -> FilePayload:
    """The case file of the chat on the page."""
    text: str = await playground.page.evaluate(
        """async () => {
          const chat = new URLSearchParams(location.hash.slice(1)).get("chat");
          const headers = { "X-Owner": glmOwner() };
          return await (await fetch(`api/chats/${chat}/case`, { headers })).text();
        }"""
    )
    return file("chat.case.json", "application/json", text.encode())


async def choose_files(playground: Playground, files: Sequence[FilePayload]) -> None:
    """Chooses files from the menu above the list of chats."""
    page = playground.page
    await page.get_by_role("button", name="Import and export").click()
    async with page.expect_file_chooser() as choosing:
        await page.get_by_role("menuitem", name="Import chats…").click()
    chooser = await choosing.value
    assert chooser.is_multiple()
    await chooser.set_files(list(files))


async def recorded_chat(playground: Playground, *texts: str, seconds: float = 12) -> None:
    """A chat that came with a case file, whose answers took so many seconds each."""
    for text in texts:
        await playground.ask(text)
    brought = json.loads((await exported(playground))["buffer"])
    for entry in brought["entries"]:
        for exchange in entry.get("exchanges", []):
            share = seconds * 1000 / len(exchange["wire"])
            exchange["wire"] = [{**read, "wait_ms": share} for read in exchange["wire"]]
    await playground.page.get_by_role("button", name="New chat").click()
    data = json.dumps(brought).encode()
    await playground.drop(file("chat.case.json", "application/json", data))
    await expect(marks(playground)).to_have_text(["Recorded"] * len(texts))


def marks(playground: Playground) -> Locator:
    return playground.page.get_by_test_id("turn-mark")


def bar(playground: Playground) -> Locator:
    return playground.page.get_by_role("region", name="Replay")


def stop(playground: Playground) -> Locator:
    return bar(playground).get_by_role("button", name="Stop")


def transfer(playground: Playground) -> Locator:
    return playground.page.get_by_test_id("transfer")


def asked(playground: Playground) -> list[str]:
    """The turns that the page asks for from now on."""
    found: list[str] = []

    def note(request: Request) -> None:
        if request.method == "POST" and request.url.endswith("/turns"):
            found.append(request.url)

    playground.page.on("request", note)
    return found


async def test_a_chat_is_saved_as_a_case_file_under_its_title(playground: Playground) -> None:
    await playground.ask("How far is the moon?")
    async with playground.page.expect_download() as saving:
        await choose(playground, "How far is the moon?", "Export as case file")
    download = await saving.value
    assert download.suggested_filename == "How far is the moon.case.json"
    found = json.loads(Path(await download.path()).read_text())
    assert found["format"] == "glm-playground-case"
    assert [entry["kind"] for entry in found["entries"]] == ["user", "turn"]
    assert found["entries"][1]["exchanges"][0]["wire"]
    await expect(transfer(playground)).to_have_count(0)


async def test_an_imported_chat_opens_says_that_it_is_recorded_and_offers_its_replay(
    playground: Playground,
) -> None:
    await playground.ask("How far is the moon?")
    answer = await playground.answers.inner_text()
    brought = await exported(playground)
    await playground.new_chat()
    turns = asked(playground)
    await choose_files(playground, [brought])
    await expect(playground.user_messages).to_have_text("How far is the moon?")
    assert await playground.answers.inner_text() == answer
    await expect(marks(playground)).to_have_text("Recorded")
    await expect(bar(playground)).to_contain_text("It came with a case file.")
    await expect(bar(playground).get_by_role("button", name="Replay")).to_be_focused()
    await expect(playground.page.get_by_test_id("announcer")).to_have_text(
        "“How far is the moon?” is imported, and open."
    )
    await expect(line(playground, "How far is the moon?")).to_have_count(2)
    await playground.reload()
    await expect(marks(playground)).to_have_text("Recorded")
    assert turns == []
    await playground.ask("And the sun?")
    await expect(marks(playground)).to_have_count(1)
    await expect(bar(playground)).to_be_hidden()


@pytest.mark.parametrize("way", ["drop", "paste"])
async def test_a_case_file_that_is_dropped_or_pasted_is_imported_not_attached(
    playground: Playground, way: str
) -> None:
    page = playground.page
    await playground.write("A draft")
    looked = asyncio.Event()

    async def hold(route: Route) -> None:
        await looked.wait()
        await route.continue_()

    await page.route(CASES, hold)
    brought = case("By hand", "Hello?", "Hello!")
    await (playground.drop(brought) if way == "drop" else playground.paste(brought))
    await expect(playground.said).to_have_text(
        "“By hand.case.json” holds a chat: it is imported, not attached."
    )
    looked.set()
    await expect(playground.user_messages).to_have_text("Hello?")
    await expect(playground.files).to_have_count(0)
    await expect(playground.message).to_have_value("")
    await playground.new_chat()
    await expect(playground.message).to_have_value("A draft")


async def test_of_several_files_those_that_are_refused_are_named_with_their_reason(
    playground: Playground,
) -> None:
    broken = file("broken.case.json", "application/json", b'{"format": "glm-playground-case"}')
    chats = [case("One", "1?", "1"), case("Two", "2?", "2")]
    await choose_files(playground, [chats[0], broken, chats[1]])
    await expect(transfer(playground)).to_contain_text("2 chats are imported. 1 was refused:")
    refused = transfer(playground).get_by_role("listitem")
    await expect(refused).to_have_count(1)
    await expect(refused).to_contain_text(re.compile(r"^broken\.case\.json .*version.*\.$"))
    await expect(lines(playground)).to_have_count(2)
    await expect(playground.welcome).to_be_visible()
    assert await violations(playground) == []
    await transfer(playground).get_by_role("button", name="Close").click()
    await expect(transfer(playground)).to_have_count(0)
    await expect(playground.message).to_be_focused()


async def test_all_chats_are_saved_in_one_archive_that_comes_back_whole(
    open_playground: OpenPlayground,
) -> None:
    playground = await open_playground()
    chats = [case("One", "1?", "1"), case("Two", "2?", "2"), case("Two", "3?", "3")]
    await choose_files(playground, chats)
    await expect(lines(playground)).to_have_count(3)
    page = playground.page
    await page.get_by_role("button", name="Import and export").click()
    async with page.expect_download() as saving:
        await page.get_by_role("menuitem", name="Export all chats").click()
    download = await saving.value
    assert download.suggested_filename == "chats.zip"
    data = Path(await download.path()).read_bytes()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert len(archive.namelist()) == 3
    other = await open_playground(another_visitor=True)
    await choose_files(other, [file("chats.zip", "application/zip", data)])
    await expect(lines(other)).to_have_count(3)
    assert sorted(await titles(other)) == ["One", "Two", "Two"]


async def test_an_import_and_an_export_say_how_far_they_are_and_can_be_stopped(
    playground: Playground,
) -> None:
    page = playground.page
    requested, answered = asyncio.Event(), asyncio.Event()

    async def hold(route: Route) -> None:
        requested.set()
        await answered.wait()
        await route.abort()

    await page.route(CASES, hold)
    await choose_files(playground, [case("One", "1?", "1"), case("Two", "2?", "2")])
    await requested.wait()
    await expect(transfer(playground)).to_contain_text("Importing 1 of 2 · One.case.json")
    await transfer(playground).get_by_role("button", name="Stop").click()
    await expect(transfer(playground)).to_contain_text("Stopped. 0 chats were imported before.")
    await transfer(playground).get_by_role("button", name="Close").click()
    await page.get_by_role("button", name="Import and export").click()
    await page.get_by_role("menuitem", name="Export all chats").click()
    await expect(transfer(playground)).to_contain_text("Exporting all chats")
    await transfer(playground).get_by_role("button", name="Stop").click()
    await expect(transfer(playground)).to_have_count(0)
    await expect(page.get_by_test_id("announcer")).to_have_text("The export is stopped.")
    answered.set()


async def test_an_answer_is_replayed_as_it_came_and_stands_as_before(
    playground: Playground,
) -> None:
    page = playground.page
    await playground.simulate("reasoning=4000")
    turn = await playground.ask("Tell me about the sea")
    await turn.get_by_test_id("reasoning").get_by_role("button").click()
    thought = turn.get_by_role("region", name="Reasoning")
    await thought.evaluate("(thought) => thought.scrollTo(0, 100)")
    before = await turn.evaluate("(turn) => turn.outerHTML")
    turns = asked(playground)
    await turn.get_by_role("button", name="Replay").click()
    await expect(stop(playground)).to_be_focused()
    await expect(marks(playground)).to_have_text("Replaying")
    await expect(bar(playground)).to_contain_text("A recording: no model is asked.")
    await expect(bar(playground)).to_be_hidden()
    await expect(marks(playground)).to_have_count(0)
    await expect(page.get_by_test_id("announcer")).to_have_text("The replay is over.")
    await expect(turn.get_by_role("button", name="Replay")).to_be_focused()
    assert await without_focus(turn) == without_tabs(before)
    assert await thought.evaluate("(thought) => thought.scrollTop") == 100
    assert turns == []


async def without_focus(turn: Locator) -> str:
    """The turn as it is drawn; which of its buttons Tab reaches follows the focus."""
    return without_tabs(await turn.evaluate("(turn) => turn.outerHTML"))


def without_tabs(html: str) -> str:
    return re.sub(r' tabindex="-?\d"', "", html)


async def test_a_replay_begins_again_at_another_speed_and_escape_ends_it(
    playground: Playground,
) -> None:
    await recorded_chat(playground, "Tell me something long")
    page = playground.page
    before = await without_focus(playground.turns.last)
    await bar(playground).get_by_role("button", name="Replay").press("Enter")
    await expect(marks(playground)).to_have_text("Replaying")
    await expect(bar(playground)).to_contain_text(re.compile(r"0:0[1-9] / 0:1[12]"))
    await expect(playground.answers).not_to_be_empty()
    async with page.expect_request("**/replay") as again:
        await bar(playground).get_by_text(re.compile("^10")).click()
    assert (await again.value).post_data_json == {"speed": 10}
    await expect(bar(playground).get_by_role("radio", name=re.compile("^10"))).to_be_checked()
    async with page.expect_request("**/replay") as again:
        await page.keyboard.press("ArrowLeft")
    assert (await again.value).post_data_json == {"speed": 4}
    await page.keyboard.press("Escape")
    await expect(marks(playground)).to_have_text("Recorded")
    await expect(bar(playground).get_by_role("button", name="Replay")).to_be_focused()
    assert await without_focus(playground.turns.last) == before


async def test_a_chat_is_replayed_from_its_first_message_one_answer_after_the_other(
    playground: Playground,
) -> None:
    await recorded_chat(playground, "The first", "The second", seconds=2)
    page = playground.page
    await bar(playground).get_by_role("button", name="Replay").click()
    await expect(playground.user_messages).to_have_text(["The first"])
    await expect(bar(playground)).to_contain_text("Replaying answer 1 of 2")
    await expect(bar(playground)).to_contain_text("Replaying answer 2 of 2")
    await expect(playground.user_messages).to_have_text(["The first", "The second"])
    await expect(marks(playground)).to_have_text(["Recorded", "Replaying"])
    await expect(marks(playground)).to_have_text(["Recorded", "Recorded"])
    await expect(page.get_by_test_id("announcer")).to_have_text("The replay is over.")


async def test_stop_shows_all_of_a_chat_again_and_leaving_it_ends_its_replay(
    playground: Playground,
) -> None:
    await recorded_chat(playground, "The first", "The second")
    shown = lines(playground).filter(has=playground.page.locator("[aria-current]"))
    await shown.hover()
    await shown.get_by_role("button", name="Options of").click()
    await playground.page.get_by_role("menuitem", name="Replay").click()
    await expect(playground.user_messages).to_have_text(["The first"])
    await expect(playground.answers).to_have_count(1)
    await stop(playground).click()
    await expect(playground.user_messages).to_have_text(["The first", "The second"])
    await expect(playground.turns).to_have_count(2)
    start = bar(playground).get_by_role("button", name="Replay")
    await expect(start).to_be_focused()
    await start.press("Enter")
    await expect(marks(playground)).to_have_text("Replaying")
    async with playground.page.expect_request(
        lambda request: request.method == "DELETE" and "/api/runs/" in request.url
    ):
        await playground.new_chat()
    await expect(bar(playground)).to_be_hidden()
    await playground.page.go_back()
    await expect(playground.user_messages).to_have_text(["The first", "The second"])
    await expect(marks(playground)).to_have_text(["Recorded", "Recorded"])


async def test_a_message_that_is_sent_ends_a_replay(playground: Playground) -> None:
    await recorded_chat(playground, "The first")
    await bar(playground).get_by_role("button", name="Replay").click()
    await expect(marks(playground)).to_have_text("Replaying")
    await playground.ask("The second")
    await expect(playground.user_messages).to_have_text(["The first", "The second"])
    await expect(marks(playground)).to_have_text("Recorded")
    await expect(bar(playground)).to_be_hidden()


async def test_where_nothing_was_recorded_that_is_said(playground: Playground) -> None:
    playground.watch.expect("404")
    async with playground.page.expect_file_chooser() as choosing:
        await playground.welcome.get_by_role("button", name="Open a case file…").click()
    await (await choosing.value).set_files([case("By hand", "Hello?", "Hello!")])
    await bar(playground).get_by_role("button", name="Replay").click()
    await expect(playground.said).to_contain_text("Nothing was recorded of this answer")
    await expect(marks(playground)).to_have_text("Recorded")
    await expect(playground.answers).to_have_text("Hello!")


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_a_replay_fits_a_phone_and_has_no_grave_violation(
    open_playground: OpenPlayground, theme: str
) -> None:
    playground = await open_playground(width=390, height=844, color_scheme=theme)
    await recorded_chat(playground, "Tell me about the sea")
    assert await violations(playground) == []
    await playground.turns.hover()
    await playground.turns.get_by_role("button", name="Replay").click()
    await expect(marks(playground)).to_have_text("Replaying")
    assert await playground.overflow() == 0
    assert await violations(playground) == []
    box: Any = await bar(playground).bounding_box()
    assert box["height"] < 160
