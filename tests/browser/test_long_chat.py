"""A chat of many messages opens at its end, loads upwards, and does not move under its reader."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Route, expect

from app.chat.entries import TurnEntry, UserEntry
from app.chat.messages import Attachment, Text
from app.chat.turn import Turn
from app.store.chats import ChatStore
from app.store.database import Database, database_url
from app.turns.visitors import owner_of
from tests.browser.playground import OpenAt, Playground
from tests.browser.process import running_app

pytestmark = pytest.mark.asyncio(loop_scope="session")

PAIRS = 75
GONE = "f" * 64
CHAT = "a-chat-of-many-messages"
EARLIER = re.compile(r"/api/chats/[^/]+\?before=")

LOSE_PICTURES = """frames => new MutationObserver((_, watch) => {
  watch.disconnect();
  const lose = () => document.querySelectorAll(".thumb img").forEach((picture) =>
    picture.dispatchEvent(new Event("error")));
  const wait = (left) => (left ? requestAnimationFrame(() => wait(left - 1)) : lose());
  wait(frames);
}).observe(document.querySelector(".conversation"), {childList: true})"""


@dataclass(frozen=True, slots=True)
class LongChat:
    """The page at a chat of `PAIRS` messages, each answered; the first was worded twice."""

    playground: Playground

    @property
    def articles(self) -> int:
        return 2 * PAIRS

    async def shown(self) -> list[str]:
        """The numbers of the messages shown, in order."""
        texts = await self.playground.page.locator(".user-text").all_inner_texts()
        return [text.split()[1] for text in texts]

    async def scroll_to(self, top: int) -> None:
        await self.playground.page.locator(".transcript").evaluate(
            "(t, y) => t.scrollTo(0, y)", top
        )

    async def at_end(self) -> bool:
        """Whether nothing is below what is seen."""
        below: float = await self.playground.page.locator(".transcript").evaluate(
            "t => t.scrollHeight - t.scrollTop - t.clientHeight"
        )
        return abs(below) < 2

    async def place(self, text: str) -> float:
        """Where a message stands on the window, from its top."""
        found = self.playground.page.locator(".user-text", has_text=re.compile(f"^{text}$"))
        top: float = await found.evaluate("e => e.getBoundingClientRect().top")
        return top


async def fill(folder: Path, owner: str, chat: str) -> None:
    """Puts the chat into the store of an app that runs."""
    database = Database(database_url(None, folder))
    await database.open()
    try:
        store = ChatStore(database)
        await store.open(owner, chat)
        other = UserEntry(f"{chat}-other", "Message 0, worded otherwise")
        await store.add(owner, chat, other, None)
        parent = None
        for number in range(PAIRS):
            gone = Attachment(
                GONE, "image", name="gone.png", mime="image/png", size=1, width=40, height=30
            )
            pictures = (gone,) if number % 10 == 5 else ()
            asked = UserEntry(f"{chat}-m{number}", f"Message {number}", pictures)
            answer = f"Answer {number}.\n\n" + "A sentence that fills a line or two. " * (
                number % 9
            )
            turn = Turn(parts=(Text(answer),), finish_reason="stop")
            answered = TurnEntry(f"{chat}-t{number}", turn, (), (), {}, ((None, True),))
            await store.add(owner, chat, asked, parent)
            await store.add(owner, chat, answered, asked.id)
            parent = answered.id
    finally:
        await database.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("long")


@pytest.fixture(scope="module")
def url(folder: Path) -> Iterator[str]:
    with running_app(folder, GLM_SIMULATOR_TOKENS_PER_SECOND="1500") as address:
        yield address


@pytest_asyncio.fixture(loop_scope="session")
async def long_chat(url: str, folder: Path, open_at: OpenAt) -> LongChat:
    playground = await open_at(url)
    playground.watch.expect("404")  # its pictures are no longer kept
    token = await playground.page.evaluate("window.glmOwner()")
    await fill(folder / "data", owner_of(token), f"{CHAT}-{token[:8]}")
    await playground.page.evaluate("id => { location.hash = `chat=${id}` }", f"{CHAT}-{token[:8]}")
    await expect(playground.user_messages.last).to_contain_text(f"Message {PAIRS - 1}")
    return LongChat(playground)


async def test_a_long_chat_opens_at_its_end_and_loads_upwards_to_its_beginning(
    long_chat: LongChat,
) -> None:
    articles = long_chat.playground.page.get_by_role("article")
    await expect(articles).to_have_count(40)
    assert await long_chat.at_end()
    while (count := await articles.count()) < long_chat.articles:
        await long_chat.scroll_to(0)
        await expect(articles).not_to_have_count(count)
    assert await long_chat.shown() == [str(number) for number in range(PAIRS)]
    await expect(long_chat.playground.page.get_by_test_id("earlier")).to_contain_text("Began on")


@pytest.mark.parametrize("frames", [0, 1, 2, 3])
async def test_what_is_read_stays_where_it_is_while_earlier_messages_come(
    long_chat: LongChat, frames: int
) -> None:
    page = long_chat.playground.page
    read = f"Message {PAIRS - 18}"
    asked, moved = asyncio.Event(), asyncio.Event()

    async def hold_messages(route: Route) -> None:
        await asked.wait()
        await route.continue_()

    async def hold_pictures(route: Route) -> None:
        await moved.wait()
        await route.continue_()

    await expect(page.locator(".thumb-gone")).to_have_count(2)
    await page.route(EARLIER, hold_messages)
    await page.route(re.compile(GONE), hold_pictures)
    await long_chat.scroll_to(420)
    await expect(page.get_by_test_id("earlier")).to_have_text("Loading earlier messages…")
    before = await long_chat.place(read)
    # Pictures that are no longer kept give their place back, so many frames after earlier messages
    # have come; what is read does not follow them.
    await page.evaluate(LOSE_PICTURES, frames)
    asked.set()
    await expect(page.get_by_role("article")).to_have_count(80)
    await expect(page.locator(".thumb-gone")).to_have_count(4)
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    after = await long_chat.place(read)
    moved.set()
    assert after == pytest.approx(before, abs=1)


async def test_where_earlier_messages_cannot_be_loaded_that_is_said_with_a_retry(
    long_chat: LongChat,
) -> None:
    page = long_chat.playground.page
    long_chat.playground.watch.expect("ERR_FAILED")
    asked = 0

    async def refuse(route: Route) -> None:
        nonlocal asked
        asked += 1
        await route.abort()

    await page.route(EARLIER, refuse)
    await long_chat.scroll_to(0)
    line = page.get_by_test_id("earlier")
    await expect(line).to_contain_text("The playground cannot be reached.")
    await long_chat.scroll_to(300)
    await long_chat.scroll_to(0)
    await page.unroute(EARLIER)
    assert asked == 1
    await line.get_by_role("button", name="Retry").click()
    await expect(page.get_by_role("article")).to_have_count(80)


async def test_another_version_far_above_is_shown_where_the_reader_is(
    long_chat: LongChat,
) -> None:
    playground = long_chat.playground
    articles = playground.page.get_by_role("article")
    while (count := await articles.count()) < long_chat.articles:
        await long_chat.scroll_to(0)
        await expect(articles).not_to_have_count(count)
    await long_chat.scroll_to(0)
    switch = playground.user_messages.first.get_by_role("group", name="Versions")
    await expect(switch).to_contain_text("2 of 2")
    top = await switch.evaluate("s => s.getBoundingClientRect().top")
    await switch.get_by_role("button", name="Earlier version").click()
    await expect(playground.user_messages).to_have_count(1)
    await expect(playground.user_messages).to_contain_text("Message 0, worded otherwise")
    await expect(switch.get_by_role("button", name="Earlier version")).to_be_focused()
    await playground.page.keyboard.press("ArrowRight")
    await expect(switch).to_contain_text("2 of 2")
    await expect(playground.user_messages.first).to_contain_text("Message 0")
    assert await switch.evaluate("s => s.getBoundingClientRect().top") == pytest.approx(top, abs=1)
    assert await long_chat.shown() == [str(number) for number in range(PAIRS)]


async def test_a_second_tab_shows_the_same_chat_and_nothing_twice(
    long_chat: LongChat,
) -> None:
    first = long_chat.playground
    page = await first.page.context.new_page()
    first.watch.over(page)
    second = Playground(page, first.page.url, first.watch)
    await second.visit()
    await expect(second.user_messages.last).to_contain_text(f"Message {PAIRS - 1}")
    await first.simulate("speed=120")
    await first.send("Seen by both")
    await expect(second.user_messages.last).to_contain_text("Seen by both")
    for tab in (first, second):
        turn = await tab.ended()
        await expect(turn.locator("blockquote")).to_have_text("Seen by both")
    await expect(first.page.get_by_role("article")).to_have_count(42)
    await second.reload()
    assert await first.turns.last.inner_text() == await second.turns.last.inner_text()
    await page.close()


async def test_another_chat_and_back_is_at_the_end_at_once(long_chat: LongChat) -> None:
    playground = long_chat.playground
    await long_chat.scroll_to(100)
    await playground.new_chat()
    await playground.page.go_back()
    await expect(playground.user_messages.last).to_contain_text(f"Message {PAIRS - 1}")
    assert await long_chat.at_end()
