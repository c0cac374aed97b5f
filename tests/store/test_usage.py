from __future__ import annotations

import asyncio

from sqlalchemy import func, select

from app.chat.messages import Attachment
from app.chat.setup import ToolSetup
from app.store.chats import ChatStore
from app.store.database import Database
from app.store.media import MediaStore
from app.store.schema import usage
from app.store.usage import DAY_S, UsageStore, Used
from tests.store.entries import said


async def test_what_a_visitor_takes_adds_up_and_nobody_elses_does(empty_url):
    database = Database(empty_url)
    await database.open()
    store = UsageStore(database)
    assert await store.today("ann") == Used()
    await store.add("ann", tokens=5)
    assert await store.add("ann", tokens=2, upload_bytes=10) == Used(7, 10)
    assert await store.today("bob") == Used()
    await database.close()


async def test_many_at_once_lose_no_count(empty_url):
    database = Database(empty_url)
    await database.open()
    store = UsageStore(database)
    await asyncio.gather(*(store.add("ann", tokens=1) for _ in range(20)))
    assert (await store.today("ann")).tokens == 20
    await database.close()


async def test_a_new_day_begins_at_nothing_and_the_old_one_is_forgotten(empty_url):
    database, now = Database(empty_url), [10 * DAY_S + 3600.0]
    await database.open()
    store = UsageStore(database, lambda: now[0])
    await store.add("ann", tokens=5)
    assert store.seconds_left == DAY_S - 3600
    now[0] += DAY_S
    assert await store.today("ann") == Used()
    await store.add("bob", tokens=1)
    async with database.connect() as connection:
        assert await connection.scalar(select(func.count()).select_from(usage)) == 1
    await database.close()


async def test_a_restart_gives_nobody_a_new_day(empty_url):
    for expected in (3, 6):
        database = Database(empty_url)
        await database.open()
        await UsageStore(database, lambda: 1.0).add("ann", tokens=3)
        assert (await UsageStore(database, lambda: 1.0).today("ann")).tokens == expected
        await database.close()


async def test_what_an_owner_keeps_is_chats_setups_and_media(empty_url, tmp_path):
    database = Database(empty_url)
    await database.open()
    chats, store = ChatStore(database), UsageStore(database)
    assert await store.kept_bytes("ann") == 0
    await chats.open("ann", "chat")
    await chats.add("ann", "chat", said("m1", "x" * 500), None)
    text = await store.kept_bytes("ann")
    assert text >= 500
    media = MediaStore(database, tmp_path / "media", max_bytes=10_000)
    await media.add("ann", Attachment("0" * 64, "image", 77, "a.png", "image/png"), b"x" * 77)
    assert await store.kept_bytes("ann") == text + 77
    await chats.set_up("ann", "chat", ToolSetup(tools="[]" * 100))
    assert await store.kept_bytes("ann") >= text + 77 + 200
    assert await store.kept_bytes("bob") == 0
    await database.close()
