"""The list of an owner's chats: order, titles, and what happens to a chat as a whole."""

from __future__ import annotations

import asyncio

import pytest

from app.chat.files import TextFile
from app.store.chats import ChatLine, ChatUnknown
from tests.store.entries import answered, ids, picture, said, talk


async def start(store, owner, *chats):
    for chat in chats:
        await store.open(owner, chat)
        await store.add(owner, chat, said(f"{owner} {chat}", f"About {chat}"), None)


def names(listed):
    return [line.id for line in listed[0]]


async def test_the_newest_stands_first_and_pinned_ones_above(store, clock):
    for chat in ("one", "two", "three"):
        clock.time += 1
        await start(store, "ann", chat)
    assert names(await store.list("ann")) == ["three", "two", "one"]
    await store.pin("ann", "one", True)
    assert names(await store.list("ann")) == ["one", "three", "two"]
    clock.time += 1
    await store.add("ann", "two", answered("a"), "ann two")
    assert names(await store.list("ann")) == ["one", "two", "three"]
    await store.pin("ann", "one", False)
    assert names(await store.list("ann")) == ["two", "three", "one"]


async def test_an_addition_may_leave_the_chat_s_place(store, clock):
    await start(store, "ann", "one")
    then = clock.time
    clock.time += 60
    await store.add("ann", "one", answered("a"), "ann one", updated=False)
    assert await store.find("ann", "one") == ChatLine("one", "About one", False, then, then)


async def test_the_list_comes_in_parts(store):
    await start(store, "ann", *(f"chat{number}" for number in range(5)))
    whole = await store.list("ann")
    assert (len(whole[0]), whole[1]) == (5, False)
    first = await store.list("ann", limit=3)
    rest = await store.list("ann", offset=3, limit=3)
    assert (first[1], rest[1]) == (True, False)
    assert first[0] + rest[0] == whole[0]
    assert await store.list("ann", limit=5) == whole


async def test_a_chat_in_which_nothing_was_said_is_not_listed(store):
    await store.open("ann", "empty")
    assert await store.list("ann") == ([], False)
    assert (await store.find("ann", "empty")).title == ""


async def test_a_chat_is_called_by_its_first_message_until_it_is_renamed(store):
    await talk(store, "ann", "chat", 2)
    assert (await store.find("ann", "chat")).title == "Question 1"
    await store.rename("ann", "chat", "  Sums \n and\0 products ")
    assert (await store.find("ann", "chat")).title == "Sums and\ufffd products"
    await store.rename("ann", "chat", "x" * 1000)
    assert (await store.find("ann", "chat")).title == "x" * 300
    for nothing in (None, " "):
        await store.rename("ann", "chat", nothing)
        assert (await store.find("ann", "chat")).title == "Question 1"


async def test_a_message_of_nothing_but_files_names_the_chat_by_them(store):
    await store.open("ann", "chat")
    files = said("m", "", files=(TextFile("sums.csv", "1,2"),), attachments=(picture("a"),))
    await store.add("ann", "chat", files, None)
    assert (await store.find("ann", "chat")).title == "cat.png, sums.csv"


async def test_two_owners_may_have_a_chat_of_the_same_id(store):
    await start(store, "ann", "chat")
    await start(store, "bob", "chat")
    await store.rename("bob", "chat", "Bob's")
    await store.pin("bob", "chat", True)
    assert (await store.find("ann", "chat")).title == "About chat"
    assert ids(await store.page("ann", "chat")) == ["ann chat"]
    assert ids(await store.page("bob", "chat")) == ["bob chat"]
    await store.delete("bob", "chat")
    assert await store.find("bob", "chat") is None
    assert ids(await store.page("ann", "chat")) == ["ann chat"]


async def test_another_owner_s_chat_is_as_if_it_were_not_there(store):
    await start(store, "ann", "chat")
    assert await store.find("bob", "chat") is None
    assert await store.list("bob") == ([], False)
    assert await store.list("bob", search="about") == ([], False)
    for asked in (
        store.page("bob", "chat"),
        store.rename("bob", "chat", "Mine"),
        store.pin("bob", "chat", True),
        store.delete("bob", "chat"),
        store.add("bob", "chat", said("new"), None),
    ):
        with pytest.raises(ChatUnknown):
            await asked
    assert (await store.find("ann", "chat")).title == "About chat"


async def test_a_change_whose_caller_is_gone_is_made_and_keeps_no_other_waiting(store):
    for steps in range(0, 60, 4):
        chat = f"chat {steps}"
        await store.open("ann", chat)
        adding = asyncio.create_task(store.add("ann", chat, said(f"m{steps}"), None))
        for _ in range(steps):
            await asyncio.sleep(0)
        adding.cancel()
        await asyncio.wait((adding,))
        await store.rename("ann", chat, "Another name")
        assert len((await store.page("ann", chat)).nodes) == (1 if steps else 0)
