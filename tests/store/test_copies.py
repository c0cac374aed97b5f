"""The copy of a database where none can work: whole at any time, and the way back from it."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.store.chats import ChatStore
from app.store.copies import DatabaseCopy
from app.store.database import Database, StoreError, sqlite_url


def chats_in(file: Path) -> int:
    """How many chats a database file holds by itself, without what may lie beside it."""
    with closing(sqlite3.connect(f"file:{file}?immutable=1", uri=True)) as connection:
        found: tuple[int] = connection.execute("SELECT count(*) FROM chats").fetchone()
        return found[0]


async def opened(file: Path) -> tuple[Database, ChatStore]:
    database = Database(sqlite_url(file))
    await database.open()
    return database, ChatStore(database)


async def test_a_copy_is_whole_while_the_database_is_at_work(tmp_path: Path) -> None:
    database, chats = await opened(tmp_path / "own" / "chats.sqlite3")
    copy = DatabaseCopy(tmp_path / "own" / "chats.sqlite3", tmp_path / "bucket" / "chats.sqlite3")

    async def write() -> None:
        for number in range(40):
            await chats.open("ann", f"chat-{number}")

    writing = asyncio.create_task(write())
    counts = []
    while not writing.done():
        await copy.save()
        counts.append(chats_in(copy.copy))
    await copy.save()
    assert chats_in(copy.copy) == 40
    assert counts == sorted(counts)
    assert [path.name for path in copy.copy.parent.iterdir()] == ["chats.sqlite3"]
    await database.close()


async def test_what_has_not_changed_is_not_copied_again(tmp_path: Path) -> None:
    database, chats = await opened(tmp_path / "chats.sqlite3")
    copy = DatabaseCopy(tmp_path / "chats.sqlite3", tmp_path / "bucket" / "chats.sqlite3")
    await copy.save()
    first = copy.copy.stat().st_ino
    await copy.save()
    assert copy.copy.stat().st_ino == first
    await chats.open("ann", "chat")
    await copy.save()
    assert copy.copy.stat().st_ino != first
    await database.close()


async def test_it_is_saved_by_the_clock_and_at_the_end(tmp_path: Path) -> None:
    database, chats = await opened(tmp_path / "chats.sqlite3")
    copy = DatabaseCopy(
        tmp_path / "chats.sqlite3", tmp_path / "bucket" / "chats.sqlite3", every_s=0.01
    )
    async with copy.kept():
        await chats.open("ann", "first")
        async with asyncio.timeout(20):
            while not copy.copy.exists() or chats_in(copy.copy) < 1:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        await chats.open("ann", "last")
        await database.close()
    assert chats_in(copy.copy) == 2


async def test_only_a_missing_database_is_taken_from_the_copy(tmp_path: Path) -> None:
    kept = tmp_path / "bucket" / "chats.sqlite3"
    database, chats = await opened(tmp_path / "first" / "chats.sqlite3")
    await chats.open("ann", "chat")
    await DatabaseCopy(tmp_path / "first" / "chats.sqlite3", kept).save()
    await chats.open("ann", "newer than the copy")
    await database.close()

    await DatabaseCopy(tmp_path / "first" / "chats.sqlite3", kept).restore()
    database, chats = await opened(tmp_path / "first" / "chats.sqlite3")
    assert await chats.find("ann", "newer than the copy") is not None
    await database.close()

    await DatabaseCopy(tmp_path / "second" / "chats.sqlite3", kept).restore()
    database, chats = await opened(tmp_path / "second" / "chats.sqlite3")
    assert await chats.find("ann", "chat") is not None
    assert await chats.find("ann", "newer than the copy") is None
    await database.close()


async def test_without_a_copy_it_begins_empty(tmp_path: Path) -> None:
    await DatabaseCopy(tmp_path / "own" / "chats.sqlite3", tmp_path / "none").restore()
    assert not (tmp_path / "own").exists()


async def test_a_copy_that_cannot_be_read_is_left_and_said(tmp_path: Path) -> None:
    kept = tmp_path / "chats.sqlite3"
    kept.write_bytes(b"not a database" * 100)
    copy = DatabaseCopy(tmp_path / "own" / "chats.sqlite3", kept)
    with pytest.raises(StoreError, match="move it elsewhere"):
        await copy.restore()
    assert kept.read_bytes().startswith(b"not a database")
    assert not (tmp_path / "own" / "chats.sqlite3").exists()


async def test_a_bucket_that_takes_nothing_is_logged_and_tried_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database, chats = await opened(tmp_path / "chats.sqlite3")
    bucket = tmp_path / "bucket"
    bucket.write_text("in the way")
    copy = DatabaseCopy(tmp_path / "chats.sqlite3", bucket / "chats.sqlite3")
    with caplog.at_level(logging.ERROR):
        await copy.save()
    assert "it is tried again" in caplog.text
    assert not list(tmp_path.glob("*.outgoing"))
    bucket.unlink()
    await chats.open("ann", "chat")
    await copy.save()
    assert chats_in(copy.copy) == 1
    await database.close()
