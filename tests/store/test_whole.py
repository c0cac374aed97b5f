"""A chat taken whole: what is read of one makes the same one elsewhere, or nothing at all."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from sqlalchemy import select

from app.chat.entries import Feedback, TurnEntry, WholeChat, WholeNode
from app.chat.exchange import Exchange
from app.chat.files import TextFile
from app.chat.messages import Text
from app.chat.request import Options
from app.chat.turn import Turn
from app.store.chats import ChatStore, ChatUnknown, Page, Totals
from app.store.schema import node_media, nodes
from tests.store.entries import answered, ids, long_talk, picture, said, talk

EXCHANGE = Exchange(Options("glm", seed=7), "d1", wire=b"a wire")


def node(entry, parent=None, created=5.0, **rest) -> WholeNode:
    return WholeNode(entry, parent, created, **rest)


def renamed(whole: WholeChat) -> WholeChat:
    """The same with other ids: those of nodes are unique in a database."""

    def new(name: str | None) -> str | None:
        return None if name is None else f"{name}-x"

    return WholeChat(
        whole.title,
        new(whole.leaf),
        tuple(
            replace(each, entry=replace(each.entry, id=new(each.entry.id)), parent=new(each.parent))
            for each in whole.nodes
        ),
    )


async def versions(store: ChatStore) -> None:
    """Two versions of the second message, the first shown; a rating, and two requests."""
    await talk(store, "ann", "chat", 1)
    await store.add("ann", "chat", said("m2"), "a1", updated=False)
    await store.add("ann", "chat", answered("a2", "Cut"), "m2", exchange=EXCHANGE)
    second = replace(EXCHANGE, digest="d2", base=(Text("Cut"),), is_cut=True)
    await store.replace("ann", "chat", answered("a2", "Cut no more"), second)
    await store.add("ann", "chat", said("m2b"), "a1")
    await store.choose("ann", "chat", "m2")
    await store.rate("ann", "chat", "a2", Feedback("like", "Well"))


async def test_all_of_a_chat_is_read_parents_first(store, clock):
    await versions(store)
    whole = await store.whole("ann", "chat")
    assert [(each.entry.id, each.parent) for each in whole.nodes] == [
        ("m1", None),
        ("a1", "m1"),
        ("m2", "a1"),
        ("m2b", "a1"),
        ("a2", "m2"),
    ]
    assert (whole.title, whole.leaf) == (None, "a2")
    last = whole.nodes[-1]
    assert last.entry == answered("a2", "Cut no more")
    assert last.feedback == Feedback("like", "Well")
    assert last.created == clock.time
    assert [each.digest for each in last.exchanges] == ["d1", "d2"]
    assert last.exchanges[1] == replace(EXCHANGE, digest="d2", base=(Text("Cut"),), is_cut=True)


async def test_what_was_read_makes_the_same_chat_elsewhere(store, clock):
    await versions(store)
    await store.rename("ann", "chat", "Sums")
    whole = renamed(await store.whole("ann", "chat"))
    clock.time += 60
    await store.add_whole("bob", "other", whole)
    assert await store.whole("bob", "other") == whole
    line = await store.find("bob", "other")
    assert (line.title, line.created, line.updated) == ("Sums", clock.time, clock.time)
    page = await store.page("bob", "other")
    assert ids(page) == ["m1-x", "a1-x", "m2-x", "a2-x"]
    assert page.nodes[2].versions == ("m2-x", "m2b-x")
    await store.choose("bob", "other", "m2b-x")
    assert ids(await store.page("bob", "other")) == ["m1-x", "a1-x", "m2b-x"]
    await store.choose("bob", "other", "m2-x")
    assert ids(await store.page("bob", "other")) == ["m1-x", "a1-x", "m2-x", "a2-x"]
    assert await store.totals("bob", "other") == await store.totals("ann", "chat")


async def test_it_is_as_large_and_found_as_if_it_were_added_piece_by_piece(store, database):
    await versions(store)
    whole = renamed(await store.whole("ann", "chat"))
    await store.add_whole("bob", "other", whole)
    await store.open("bob", "piecemeal")
    for each in renamed(whole).nodes:
        await store.add("bob", "piecemeal", each.entry, each.parent)
    columns = (nodes.c.kind, nodes.c.number, nodes.c.depth, nodes.c.text, nodes.c.folded)
    columns += (nodes.c.prompt_tokens, nodes.c.completion_tokens, nodes.c.seconds)
    rows = []
    async with database.connect() as connection:
        for chat in ("other", "piecemeal"):
            found = await connection.execute(
                select(*columns).where(nodes.c.chat_id == chat).order_by(nodes.c.id)
            )
            rows.append(found.all())
    assert rows[0] == rows[1]
    assert [line.id for line in (await store.list("bob", search="cut no more"))[0]] == [
        "piecemeal",
        "other",
    ]


async def test_a_chat_with_nothing_shown_is_called_by_its_first_message(store):
    whole = WholeChat(None, None, (node(said("m1", "First words")), node(answered("a1"), "m1")))
    await store.add_whole("ann", "chat", whole)
    assert await store.page("ann", "chat") == Page((), 0)
    assert (await store.find("ann", "chat")).title == "First words"
    await store.choose("ann", "chat", "m1")
    assert ids(await store.page("ann", "chat")) == ["m1", "a1"]


async def test_the_shown_beginning_names_the_chat(store):
    beginnings = (node(said("m1", "One")), node(said("m2", "Two")), node(said("m3", "Three")))
    await store.add_whole("ann", "chat", WholeChat(None, "m2", beginnings))
    assert (await store.find("ann", "chat")).title == "Two"
    assert (await store.page("ann", "chat")).nodes[0].versions == ("m1", "m2", "m3")


async def test_a_path_may_end_before_what_followed_it(store):
    whole = WholeChat(None, "a1", (*two(), node(said("m2"), "a1")))
    await store.add_whole("ann", "chat", whole)
    assert ids(await store.page("ann", "chat")) == ["m1", "a1"]
    await store.add("ann", "chat", said("m2b"), "a1")
    assert (await store.page("ann", "chat")).nodes[-1].versions == ("m2", "m2b")


def two() -> tuple[WholeNode, WholeNode]:
    return node(said("m1")), node(answered("a1"), "m1")


async def test_titles_and_texts_are_made_what_a_database_takes(store):
    whole = WholeChat(
        "  Nul\0 \n and\ud800 half " + "x" * 400,
        "a1",
        (
            node(said("m1", "nul\0", files=(TextFile("a\ud800.txt", "b"),))),
            node(answered("a1", "half\udfff"), "m1", feedback=Feedback("like", "\0")),
        ),
    )
    await store.add_whole("ann", "chat", whole)
    title = (await store.find("ann", "chat")).title
    assert title.startswith("Nul\ufffd and\ufffd half xxx")
    assert len(title) == 300
    kept = await store.whole("ann", "chat")
    assert kept.nodes[0].entry.text == "nul\0"  # its JSON writes it as six characters
    assert kept.nodes[0].entry.files == (TextFile("a\ufffd.txt", "b"),)
    assert kept.nodes[1].feedback == Feedback("like", "\ufffd")


async def test_a_title_of_blanks_is_none(store):
    await store.add_whole("ann", "chat", WholeChat(" \n ", "a1", two()))
    assert (await store.whole("ann", "chat")).title is None
    assert (await store.find("ann", "chat")).title == "Hello"


async def test_pictures_are_known_as_used_until_the_chat_is_deleted(store, database):
    entry = said("m1", attachments=(picture("a"), picture("a", "again.png"), picture("b")))
    await store.add_whole("ann", "chat", WholeChat(None, "m1", (node(entry),)))
    async with database.connect() as connection:
        found = await connection.execute(
            select(node_media.c.hash, node_media.c.owner).order_by(node_media.c.hash)
        )
        assert found.all() == [("a" * 64, "ann"), ("b" * 64, "ann")]
    assert sorted(await store.delete("ann", "chat")) == ["a" * 64, "b" * 64]


async def test_a_recorded_answer_stays_one(store):
    entry = TurnEntry("a1", Turn((Text("Hi"),), "stop"), (), (), {}, recorded=True)
    whole = WholeChat(None, "a1", (node(said("m1")), node(entry, "m1")))
    await store.add_whole("ann", "chat", whole)
    assert (await store.node("ann", "chat", "a1")).entry == entry


async def test_an_id_that_is_taken_adds_nothing(store):
    await talk(store, "ann", "chat", 1)
    whole = WholeChat(None, "a1", (node(said("new")), node(answered("a1"), "new")))
    with pytest.raises(Exception, match=r"(?i)unique"):
        await store.add_whole("bob", "other", whole)
    assert await store.find("bob", "other") is None
    assert await store.node("bob", "other", "new") is None
    assert ids(await store.page("ann", "chat")) == ["m1", "a1"]


async def test_an_entry_that_follows_nothing_known_adds_nothing(store):
    whole = WholeChat(None, "m1", (node(said("m1"), "unknown"),))
    with pytest.raises(KeyError):
        await store.add_whole("ann", "chat", whole)
    assert await store.find("ann", "chat") is None


async def test_an_addition_that_is_cancelled_is_whole_or_nothing(store):
    for steps in range(0, 120, 6):
        chat = f"chat {steps}"
        whole = WholeChat(
            None,
            f"a{steps}",
            (node(said(f"m{steps}")), node(answered(f"a{steps}"), f"m{steps}")),
        )
        adding = asyncio.create_task(store.add_whole("ann", chat, whole))
        for _ in range(steps):
            await asyncio.sleep(0)
        adding.cancel()
        await asyncio.wait((adding,))
        if await store.find("ann", chat) is not None:
            assert ids(await store.page("ann", chat)) == [f"m{steps}", f"a{steps}"]
        assert await store.totals("ann", chat) in (
            Totals(0, 0, 0, 0.0, 0),
            Totals(0, 0, 0, 1.0, 1),
        )


async def test_a_chat_of_many_entries_comes_back_in_their_order(store, database):
    await long_talk(database, "ann", "chat", 250)
    whole = renamed(await store.whole("ann", "chat"))
    assert len(whole.nodes) == 500
    await store.add_whole("bob", "chat", whole)
    assert ids(await store.page("bob", "chat")) == [each.entry.id for each in whole.nodes]
    assert await store.whole("bob", "chat") == whole


async def test_what_is_added_whole_counts_for_the_room_of_all_chats(database, clock):
    store = ChatStore(database, clock, max_bytes=100_000)
    await talk(store, "ann", "old", 1)
    clock.time += 60
    whole = WholeChat(None, "m", (node(said("m", "x" * 120_000)),))
    await store.add_whole("bob", "new", whole)
    assert await store.find("ann", "old") is None
    assert await store.find("bob", "new") is not None


async def test_another_owner_s_chat_is_unknown(store):
    await talk(store, "ann", "chat", 1)
    with pytest.raises(ChatUnknown):
        await store.whole("bob", "chat")
