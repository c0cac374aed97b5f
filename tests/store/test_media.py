"""Pictures and clips: whose they are, their files, the cap, and addresses that are signed."""

from __future__ import annotations

import asyncio
import hashlib
import os
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias
from urllib.parse import parse_qs

import pytest

from app.chat.messages import Attachment
from app.store.chats import ChatStore
from app.store.database import Database, StoreError
from app.store.media import MediaStore, MediaUnknown
from tests.store.disk import files_of_at_most
from tests.store.entries import said

Media: TypeAlias = tuple[Attachment, bytes]


def media(content: str, name: str = "cat.png") -> Media:
    """A picture of 100 bytes; to the store they are but bytes."""
    data = content.encode().ljust(100)
    content_hash = hashlib.sha256(data).hexdigest()
    return Attachment(content_hash, "image", 100, name, "image/png", 40, 30), data


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "media"


@pytest.fixture
def open_media(database: Database, folder: Path, clock) -> Callable[[int], MediaStore]:
    return lambda max_bytes: MediaStore(database, folder, max_bytes=max_bytes, now=clock)


@pytest.fixture
def kept(open_media) -> MediaStore:
    return open_media(1_000_000)


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("??/*"))


async def test_what_was_added_is_given_back_to_its_owner(kept):
    cat, data = media("cat", "cat\0.png")
    clip = replace(media("clip")[0], kind="video", seconds=2.5, width=None, height=None)
    assert await kept.add("ann", cat, data) == cat
    await kept.add("ann", clip, media("clip")[1])
    assert await kept.get("ann", cat.hash) == (replace(cat, name="cat\ufffd.png"), data)
    assert await kept.find("ann", clip.hash) == clip


async def test_nobody_else_gets_it_until_they_add_the_same(kept, folder):
    cat, data = media("cat")
    await kept.add("ann", cat, data)
    for asked in (kept.get("bob", cat.hash), kept.find("bob", cat.hash)):
        with pytest.raises(MediaUnknown):
            await asked
    await kept.add("bob", replace(cat, name="katze.png"), data)
    assert (await kept.get("bob", cat.hash))[0].name == "katze.png"
    assert (await kept.get("ann", cat.hash))[0].name == "cat.png"
    await kept.add("ann", replace(cat, name="again.png"), data)
    assert (await kept.find("ann", cat.hash)).name == "again.png"
    assert files(folder) == [cat.hash]


async def test_what_was_never_added_is_unknown(kept):
    for name in ("0" * 64, "../../etc/passwd", "", "A" * 64):
        for asked in (kept.get("ann", name), kept.find("ann", name), kept.open_signed(name)):
            with pytest.raises(MediaUnknown):
                await asked
        await kept.clean([name])


async def test_a_hash_that_is_none_never_becomes_a_path(kept, folder):
    cat, data = media("cat")
    with pytest.raises(ValueError, match="64 hexadecimal digits"):
        await kept.add("ann", replace(cat, hash="../outside"), data)
    assert files(folder) == []


async def test_the_least_recently_used_goes_first(open_media, folder, clock):
    kept = open_media(350)
    added = [media(str(number)) for number in range(5)]
    for attachment, data in added[:3]:
        clock.time += 100
        await kept.add("ann", attachment, data)
    clock.time += 100
    await kept.get("ann", added[0][0].hash)
    clock.time += 100
    await kept.open_signed(added[1][0].hash)
    for attachment, data in added[3:]:
        clock.time += 100
        await kept.add("bob", attachment, data)
    left = [added[number][0].hash for number in (1, 3, 4)]
    assert files(folder) == sorted(left)
    for number, owner in ((0, "ann"), (2, "ann")):
        with pytest.raises(MediaUnknown):
            await kept.get(owner, added[number][0].hash)
    assert (await kept.get("ann", added[1][0].hash))[1] == added[1][1]


async def test_the_newest_is_kept_even_when_it_is_over_the_cap(open_media, folder):
    kept = open_media(1)
    for each in (media("one"), media("two")):
        await kept.add("ann", *each)
    assert files(folder) == [media("two")[0].hash]
    assert await kept.get("ann", media("two")[0].hash) == media("two")


async def test_many_may_add_the_same_and_others_at_once(kept, open_media, folder):
    stores = (kept, open_media(1_000_000))
    added = [media(str(number % 3)) for number in range(15)]
    await asyncio.gather(
        *(stores[number % 2].add(f"owner {number}", *each) for number, each in enumerate(added))
    )
    for number, each in enumerate(added):
        assert await kept.get(f"owner {number}", each[0].hash) == each
    assert files(folder) == sorted({each[0].hash for each in added})


async def test_a_file_that_went_missing_is_unknown_until_it_is_added_again(kept):
    cat, data = media("cat")
    await kept.add("ann", cat, data)
    (await kept.open_signed(cat.hash))[1].unlink()
    with pytest.raises(MediaUnknown):
        await kept.get("ann", cat.hash)
    await kept.add("ann", cat, data)
    assert (await kept.get("ann", cat.hash))[1] == data


async def test_what_does_not_fit_on_the_disk_is_refused_and_leaves_nothing(kept, folder):
    one, data = media("x" * 1000)
    with files_of_at_most(200), pytest.raises(StoreError, match="cannot be written"):
        await kept.add("ann", one, data)
    assert files(folder) == []
    await kept.add("ann", one, data)
    assert await kept.get("ann", one.hash) == (one, data)


async def test_files_are_for_nobody_else_on_the_machine(kept, folder):
    cat, data = media("cat")
    await kept.add("ann", cat, data)
    kept.sign(cat.hash, 60)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*")}
    assert modes["secret"] == modes[cat.hash] == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


async def test_a_chat_that_is_deleted_takes_its_media_with_it(kept, database, folder):
    store = ChatStore(database)
    ours, shared, bobs, unsent = (media(name) for name in ("ours", "shared", "bob's", "unsent"))
    for each in (ours, shared, bobs, unsent):
        await kept.add("ann", *each)
    await kept.add("bob", *bobs)
    for chat, attached in (("one", (ours[0], shared[0], bobs[0])), ("two", (shared[0],))):
        await store.open("ann", chat)
        await store.add("ann", chat, said(f"m {chat}", attachments=attached * 2), None)
    deleted = await store.delete("ann", "one")
    assert set(deleted) == {ours[0].hash, bobs[0].hash}
    await kept.clean(deleted)
    assert files(folder) == sorted(each[0].hash for each in (shared, bobs, unsent))
    assert await kept.get("bob", bobs[0].hash) == bobs
    assert await kept.get("ann", shared[0].hash) == shared
    for gone in (ours, bobs):
        with pytest.raises(MediaUnknown):
            await kept.find("ann", gone[0].hash)


async def test_media_of_no_chat_expire(kept, database, folder, clock):
    store = ChatStore(database)
    sent, unsent, fresh = media("sent"), media("unsent"), media("fresh")
    await kept.add("ann", *sent)
    await kept.add("ann", *unsent)
    await store.open("ann", "chat")
    await store.add("ann", "chat", said("m", attachments=(sent[0],)), None)
    remains = folder / "ab" / ("ab" * 32)
    remains.parent.mkdir(exist_ok=True)
    remains.write_bytes(b"of a process that was killed")
    for path in folder.glob("??/*"):
        os.utime(path, (clock.time, clock.time))
    clock.time += 1000
    await kept.add("ann", *fresh)
    await kept.expire(clock.time - 2000)
    assert len(files(folder)) == 4
    await kept.expire(clock.time - 500)
    assert sorted(files(folder)) == sorted((sent[0].hash, fresh[0].hash))
    with pytest.raises(MediaUnknown):
        await kept.find("ann", unsent[0].hash)
    await ChatStore(database, max_bytes=0).expire()
    await kept.expire(clock.time + 1000)
    assert fresh[0].hash not in files(folder)


async def test_a_signed_address_opens_one_file_for_its_time(kept, clock):
    cat, data = media("cat")
    await kept.add("ann", cat, data)
    query = parse_qs(kept.sign(cat.hash, 60))
    expires, signature = int(query["expires"][0]), query["signature"][0]
    assert expires == clock.time + 60
    assert kept.verify(cat.hash, expires, signature)
    assert not kept.verify("0" * 64, expires, signature)
    assert not kept.verify(cat.hash, expires + 1, signature)
    for forged in (signature[:-1], "é", "\ud800", ""):
        assert not kept.verify(cat.hash, expires, forged)
    mime, path = await kept.open_signed(cat.hash)
    assert (mime, path.read_bytes()) == ("image/png", data)
    clock.time += 60
    assert not kept.verify(cat.hash, expires, signature)


async def test_signatures_outlive_a_restart_and_mean_nothing_in_another_folder(
    database, tmp_path, clock
):
    def opened(name: str) -> MediaStore:
        return MediaStore(database, tmp_path / name, max_bytes=1, now=clock)

    query = parse_qs(opened("ours").sign("0" * 64, 60))
    signed = ("0" * 64, int(query["expires"][0]), query["signature"][0])
    assert opened("ours").verify(*signed)
    assert not opened("theirs").verify(*signed)
