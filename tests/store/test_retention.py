"""What becomes of chats with time, and with a change of their owner."""

from __future__ import annotations

from app.store.chats import ChatStore
from app.store.database import Database
from app.store.media import MediaStore
from tests.store.entries import answered, ids, picture, said, talk


async def listed(store: ChatStore, owner: str) -> set[str]:
    return {line.id for line in (await store.list(owner))[0]}


async def test_chats_that_nobody_came_back_to_expire(store, clock):
    for chat in ("old", "pinned", "new"):
        await store.open("ann", chat)
        await store.add("ann", chat, said(f"m {chat}"), None)
    await store.pin("ann", "pinned", True)
    clock.time += 100
    await store.add("ann", "new", answered("a"), "m new")
    assert await store.expire(clock.time - 200) == 0
    assert await store.expire(clock.time - 50) == 2
    assert await listed(store, "ann") == {"new"}
    assert ids(await store.page("ann", "new")) == ["m new", "a"]


async def test_over_the_cap_the_longest_unchanged_go_whoever_s_they_are(database, store, clock):
    for owner, chat in (("ann", "1"), ("bob", "2"), ("ann", "3"), ("bob", "4")):
        clock.time += 1
        await store.open(owner, chat)
        await store.add(owner, chat, said(f"m{chat}", "x" * 10_000), None)
    clock.time += 1
    await store.add("ann", "1", answered("a1", "short"), "m1")
    assert await ChatStore(database, max_bytes=100_000).expire() == 0
    assert await ChatStore(database, max_bytes=25_000).expire() == 2
    assert (await listed(store, "ann"), await listed(store, "bob")) == ({"1"}, {"4"})
    assert await ChatStore(database, max_bytes=0).expire() == 2


async def test_what_is_added_over_the_cap_sends_away_what_rested_longest(database, clock):
    store = ChatStore(database, clock, max_bytes=50_000)
    for chat in ("1", "2", "3", "4", "5", "6"):
        clock.time += 1
        await store.open("ann", chat)
        await store.add("ann", chat, said(f"m{chat}", "x" * 12_000), None)
    assert await listed(store, "ann") == {"3", "4", "5", "6"}


async def test_sizes_follow_what_is_changed(database, store):
    await store.open("ann", "chat")
    await store.add("ann", "chat", said("m"), None)
    await store.add("ann", "chat", answered("a", "x" * 10_000), "m")
    assert await ChatStore(database, max_bytes=5_000).expire() == 1
    await store.open("ann", "chat")
    await store.add("ann", "chat", said("m"), None)
    await store.add("ann", "chat", answered("a", "x" * 10_000), "m")
    await store.replace("ann", "chat", answered("a", "short"))
    assert await ChatStore(database, max_bytes=5_000).expire() == 0


async def test_an_owner_who_signs_in_keeps_chats_and_media(database, store, tmp_path):
    media = MediaStore(database, tmp_path / "media", max_bytes=1_000_000)
    for owner, content in (("browser", "a"), ("browser", "b"), ("ann", "b")):
        await media.add(owner, picture(content, f"{owner}.png"), content.encode())
    await talk(store, "browser", "first", 2)
    await store.rename("browser", "first", "Mine")
    await store.open("browser", "same")
    await store.add("browser", "same", said("of the browser", attachments=(picture("a"),)), None)
    await store.open("ann", "same")
    await store.add("ann", "same", said("of ann"), None)

    await store.adopt("browser", "ann")
    await store.adopt("browser", "ann")
    await store.adopt("ann", "ann")

    assert await store.list("browser") == ([], False)
    assert (await store.find("ann", "first")).title == "Mine"
    assert ids(await store.page("ann", "first")) == ["m1", "a1", "m2", "a2"]
    assert ids(await store.page("ann", "same")) == ["of ann"]
    (renamed,) = await listed(store, "ann") - {"first", "same"}
    assert ids(await store.page("ann", renamed)) == ["of the browser"]
    assert (await media.find("ann", "a" * 64)).name == "browser.png"
    assert (await media.find("ann", "b" * 64)).name == "ann.png"
    assert await store.delete("ann", renamed) == ("a" * 64,)


async def test_a_chat_that_is_deleted_leaves_no_row(database: Database, store):
    await talk(store, "ann", "chat", 2)
    await store.add("ann", "chat", said("m", attachments=(picture("a"),)), "a2")
    await store.delete("ann", "chat")
    async with database.connect() as connection:
        for table in ("chats", "nodes", "media", "node_media"):
            found = await connection.exec_driver_sql(f"SELECT count(*) FROM {table}")
            assert found.scalar() == 0, table
    await store.open("ann", "chat")
    assert ids(await store.page("ann", "chat")) == []


async def test_a_chat_that_alone_is_over_the_cap_is_not_taken_from_who_writes_in_it(
    database, clock
):
    store = ChatStore(database, clock, max_bytes=5_000)
    await store.open("ann", "old")
    await store.add("ann", "old", said("m1"), None)
    clock.time += 1
    await store.open("bob", "long")
    await store.add("bob", "long", said("m2", "x" * 10_000), None)
    await store.add("bob", "long", answered("a2"), "m2")
    assert await listed(store, "ann") == set()
    assert ids(await store.page("bob", "long")) == ["m2", "a2"]
