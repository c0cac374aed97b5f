from __future__ import annotations

import asyncio
import sqlite3
import stat
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, make_url, text

from app.store.chats import ChatStore
from app.store.database import Database, StoreError, database_url
from app.store.schema import metadata
from tests.store.entries import said


def differences(connection: Connection) -> list[object]:
    return list(compare_metadata(MigrationContext.configure(connection), metadata))


async def test_migrations_make_the_tables_that_the_code_asks_for(empty_url):
    database = Database(empty_url)
    await database.open()
    async with database.connect() as connection:
        assert await connection.run_sync(differences) == []
    await database.close()


async def test_what_was_kept_is_there_when_it_is_opened_again(empty_url):
    database = Database(empty_url)
    await database.open()
    store = ChatStore(database)
    await store.open("ann", "chat")
    await store.add("ann", "chat", said("m1", "Still here"), None)
    await database.close()
    await database.open()
    assert [line.title for line in (await store.list("ann"))[0]] == ["Still here"]
    await database.close()


async def test_several_may_open_an_empty_database_at_once(empty_url):
    databases = [Database(empty_url) for _ in range(6)]
    await asyncio.gather(*(database.open() for database in databases))
    async with databases[0].connect() as connection:
        versions = await connection.scalars(text("SELECT version_num FROM alembic_version"))
        assert len(versions.all()) == 1
    await asyncio.gather(*(database.close() for database in databases))


async def test_a_database_of_a_newer_version_is_left_alone(empty_url):
    database = Database(empty_url)
    await database.open()
    async with database.begin() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    await database.close()
    with pytest.raises(StoreError, match="newer version"):
        await database.open()


async def fail_after(database: Database, statement: str) -> None:
    async with database.begin() as connection:
        await connection.execute(text(statement))
        raise ZeroDivisionError


async def test_a_failed_transaction_leaves_nothing(database):
    with pytest.raises(ZeroDivisionError):
        await fail_after(database, "DELETE FROM alembic_version")
    async with database.connect() as connection:
        assert await connection.scalar(text("SELECT count(*) FROM alembic_version")) == 1


async def test_what_the_driver_says_comes_as_one_sentence(database):
    with pytest.raises(StoreError, match=r"cannot be used: .*nowhere.*") as raised:
        await fail_after(database, "DELETE FROM nowhere")
    assert "\n" not in str(raised.value)


async def test_a_database_that_is_not_open_says_so(tmp_path):
    with pytest.raises(StoreError, match="not open"):
        async with Database(database_url(None, tmp_path)).connect():
            pass


async def test_sqlite_makes_its_folder_for_nobody_else(tmp_path):
    database = Database(database_url(None, tmp_path / "new" / "data"))
    await database.open()
    await database.close()
    assert stat.S_IMODE((tmp_path / "new" / "data").stat().st_mode) == 0o700
    assert (tmp_path / "new" / "data" / "chats.sqlite3").is_file()


async def test_a_reader_does_not_wait_for_a_writer(tmp_path):
    database = Database(database_url(None, tmp_path))
    await database.open()
    async with database.begin() as writing:
        await writing.execute(text("DELETE FROM chats"))
        async with database.connect() as reading:
            assert await reading.scalar(text("SELECT count(*) FROM chats")) == 0
    await database.close()


async def test_another_process_s_writer_is_waited_for(tmp_path):
    database = Database(database_url(None, tmp_path))
    await database.open()
    other = sqlite3.connect(tmp_path / "chats.sqlite3", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    opening = asyncio.create_task(ChatStore(database).open("ann", "chat"))
    done, _ = await asyncio.wait((opening,), timeout=0.2)
    assert not done
    other.execute("COMMIT")
    await opening
    other.close()
    await database.close()


async def test_a_file_that_is_no_database_is_named(tmp_path):
    (tmp_path / "chats.sqlite3").write_bytes(b"something else" * 100)
    with pytest.raises(StoreError, match=r"chats\.sqlite3 cannot be opened: .*not a database"):
        await Database(database_url(None, tmp_path)).open()


async def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be opened"):
        await Database(database_url(None, tmp_path / "file" / "data")).open()


async def test_a_server_that_is_not_there_is_named_without_the_password():
    address = "postgresql://ann:test-password-not-real@127.0.0.1:1/chats"
    with pytest.raises(StoreError, match=r"on 127\.0\.0\.1 cannot be opened") as raised:
        await Database(database_url(address, Path())).open()
    assert "test-password-not-real" not in str(raised.value)


@pytest.mark.parametrize(
    ("address", "driver"),
    [
        ("postgres://ann@db.example/chats", "postgresql+psycopg"),
        ("postgresql://ann:p%40ss@db.example:5433/chats?sslmode=require", "postgresql+psycopg"),
        ("postgresql+psycopg://ann@db.example/chats", "postgresql+psycopg"),
        ("sqlite:////srv/chats.sqlite3", "sqlite+aiosqlite"),
        (" sqlite:///chats.sqlite3\n", "sqlite+aiosqlite"),
    ],
)
def test_addresses_are_taken_as_people_write_them(address, driver):
    url = make_url(database_url(address, Path()))
    assert url.drivername == driver
    assert url.set(drivername="x") == make_url(address.strip()).set(drivername="x")


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("", "cannot be read"),
        ("chats.sqlite3", "cannot be read"),
        ("postgresql://ann:test-password-not-real@host:port/chats", "cannot be read"),
        ("oracle://ann:test-password-not-real@host/chats", "driver is not installed"),
        ("nonsense://ann:test-password-not-real@host/chats", "driver is not installed"),
        ("sqlite+pysqlite:///chats.sqlite3", "asynchronous"),
        ("sqlite://", "without a file"),
        ("sqlite:///:memory:", "without a file"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused_without_telling_it(address, reason):
    with pytest.raises(StoreError, match=reason) as raised:
        database_url(address, Path())
    assert "test-password-not-real" not in str(raised.value)
