"""Databases of each kind for the tests of the store, and clocks that stand until they are set."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.store.chats import ChatStore
from app.store.database import Database, database_url
from app.store.schema import metadata
from tests.store.postgresql import PostgreSQL, running_postgresql


@dataclass
class Clock:
    """Unix seconds that pass when told to."""

    time: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """A server that all tests share."""
    with running_postgresql() as server:
        yield server


@pytest.fixture(scope="session")
def shared_address(postgresql: PostgreSQL) -> str:
    return postgresql.new_database()


@pytest.fixture(params=["sqlite", "postgresql"])
def kind(request: pytest.FixtureRequest) -> str:
    """Each test of a database runs once on each."""
    kind: str = request.param
    return kind


@pytest.fixture
def empty_url(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """A database in which there is nothing, not even tables."""
    if kind == "sqlite":
        return database_url(None, tmp_path)
    server: PostgreSQL = request.getfixturevalue("postgresql")
    return database_url(server.new_database(), tmp_path)


@pytest.fixture(scope="session")
def sqlite_with_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file to copy, which is quicker than migrating each."""
    folder = tmp_path_factory.mktemp("sqlite")

    async def migrate() -> None:
        database = Database(database_url(None, folder))
        await database.open()
        await database.close()

    asyncio.run(migrate())
    return folder / "chats.sqlite3"


@pytest.fixture
def url(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """A database with tables, and with what the test before left in it."""
    if kind == "sqlite":
        shutil.copy(request.getfixturevalue("sqlite_with_tables"), tmp_path)
        return database_url(None, tmp_path)
    return database_url(request.getfixturevalue("shared_address"), tmp_path)


@pytest.fixture
async def database(url: str) -> AsyncIterator[Database]:
    """An open database with tables and no rows."""
    database = Database(url)
    await database.open()
    async with database.begin() as connection:
        for table in reversed(metadata.sorted_tables):
            await connection.execute(table.delete())
    yield database
    await database.close()


@pytest.fixture
def store(database: Database, clock: Clock) -> ChatStore:
    return ChatStore(database, clock)
