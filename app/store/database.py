"""The database of all that is kept in tables: how it is reached, opened and brought up to date."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from contextlib import (
    AbstractAsyncContextManager,
    asynccontextmanager,
    contextmanager,
    nullcontext,
)
from functools import wraps
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection, event, func, select
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DBAPIError,
    IntegrityError,
    InvalidRequestError,
    NoSuchModuleError,
    SQLAlchemyError,
    TimeoutError,  # noqa: A004 - of the pool; none else is meant here
)
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from app.store.folders import make_private

_DRIVERS: Final = {
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "sqlite": "sqlite+aiosqlite",
}

_SQLITE_PRAGMAS: Final = (
    "busy_timeout = 10000",  # milliseconds; first, since the next may have to wait
    "journal_mode = WAL",
    "synchronous = NORMAL",
    "foreign_keys = ON",
    "secure_delete = ON",  # what was deleted is overwritten, not only let go
)

_CONNECT_S: Final = 10

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


class StoreError(Exception):
    """The database cannot be used; one sentence, never with a password."""


def database_url(text: str | None, folder: Path) -> str:
    """The URL of the database as SQLAlchemy takes it; None is SQLite in the folder.

    `postgres://` and `postgresql://` are reached by psycopg, `sqlite://` by aiosqlite. Raises
    StoreError for a URL that cannot be used, without the URL.
    """
    if text is None:
        return sqlite_url(folder / "chats.sqlite3")
    try:
        url = make_url(text.strip())
    except (ArgumentError, ValueError):
        raise StoreError(
            "DATABASE_URL cannot be read: write it as postgresql://user:password@host/name, with "
            "special characters of the password as %40 and the like."
        ) from None
    url = url.set(drivername=_DRIVERS.get(url.drivername, url.drivername))
    _check_driver(url)
    if url.get_backend_name() == "sqlite" and _is_in_memory(url):
        raise StoreError(
            "DATABASE_URL names SQLite without a file: write it as sqlite:////folder/file.sqlite3."
        )
    return url.render_as_string(hide_password=False)


def sqlite_url(file: Path) -> str:
    """The URL of the database in a file."""
    return URL.create("sqlite+aiosqlite", database=str(file)).render_as_string()


def sqlite_file(url: str) -> Path | None:
    """The file that a URL of `database_url` names; None where it is another kind of database."""
    parsed = make_url(url)
    is_sqlite = parsed.get_backend_name() == "sqlite"
    return Path(parsed.database or "").absolute() if is_sqlite else None


def uninterrupted(
    method: Callable[_Given, Coroutine[Any, Any, _Result]],
) -> Callable[_Given, Coroutine[Any, Any, _Result]]:
    """A method that writes, and runs to its end when its caller is cancelled, who then is told so.

    A transaction that is cancelled within a statement would leave its connection, and with it
    SQLite's only lock for writing, to whoever clears away: nobody could write for seconds.
    """

    @wraps(method)
    async def to_its_end(*args: _Given.args, **kwargs: _Given.kwargs) -> _Result:
        writing = asyncio.create_task(method(*args, **kwargs))
        try:
            return await asyncio.shield(writing)
        except asyncio.CancelledError:
            await asyncio.wait((writing,))
            raise

    return to_its_end


class Database:
    """One engine, between `open` and `close`. What goes wrong in it comes out as StoreError.

    `url` is what `database_url` gives.
    """

    def __init__(self, url: str) -> None:
        self._url = make_url(url)
        self._sqlite = self._url.get_backend_name() == "sqlite"
        self._opened: AsyncEngine | None = None
        self._writing: AbstractAsyncContextManager[Any] = nullcontext()

    @property
    def place(self) -> str:
        """Where it is, for a reader: the file, or host and name; never a password."""
        if self._sqlite:
            return self._url.database or ""
        host = self._url.host or "a socket"
        return f"{self._url.get_backend_name()} at {host}, {self._url.database}"

    async def open(self) -> None:
        """Connects, and brings the tables up to date. Raises StoreError."""
        try:
            if self._sqlite:
                await asyncio.to_thread(_make_folder, self._url)
            self._opened = create_async_engine(self._url, **_engine_options(self._url))
        except (OSError, SQLAlchemyError) as error:
            raise _cannot_open(self._url, error) from error
        if self._sqlite:
            _prepare_sqlite(self._opened)
            # SQLite has one writer at a time, and no line for those who wait: this is the line.
            self._writing = asyncio.Lock()
        try:
            async with self.begin() as connection:
                await self.lock(connection, "migrations")
                await connection.run_sync(_migrate)
        except StoreError as error:
            await self.close()
            raise _cannot_open(self._url, error.__cause__ or error) from error
        except CommandError as error:
            await self.close()
            raise StoreError(
                "The database was written by a newer version of the playground: use that version, "
                "or another database."
            ) from error

    async def close(self) -> None:
        """Closes all connections."""
        if self._opened is not None:
            await self._opened.dispose()
            self._opened = None

    @asynccontextmanager
    async def begin(self) -> AsyncGenerator[AsyncConnection]:
        """A transaction that writes: all of it happens, or nothing.

        Raises StoreError; IntegrityError comes as it is, since it says what somebody else did.
        """
        async with self._writing:
            with _explained():
                async with self._engine.begin() as connection:
                    yield connection

    @asynccontextmanager
    async def connect(self) -> AsyncGenerator[AsyncConnection]:
        """A connection to read with; it keeps no writer waiting. Raises StoreError."""
        with _explained():
            async with self._engine.execution_options(reads_only=True).connect() as connection:
                yield connection

    async def lock(self, connection: AsyncConnection, name: str) -> None:
        """Until the transaction of this connection ends nobody else has the lock of this name.

        In SQLite a transaction that writes is alone anyway.
        """
        if connection.dialect.name == "postgresql":
            await connection.execute(select(func.pg_advisory_xact_lock(_lock_number(name))))

    @property
    def _engine(self) -> AsyncEngine:
        if self._opened is None:
            raise StoreError("The database of the chats is not open.")
        return self._opened


@contextmanager
def _explained() -> Generator[None]:
    """What the database's driver raises comes out as StoreError."""
    try:
        yield
    except IntegrityError:
        raise
    except (DBAPIError, TimeoutError) as error:
        raise StoreError(f"The database of the chats cannot be used: {_reason(error)}") from error


def _check_driver(url: URL) -> None:
    try:
        create_async_engine(url)  # looks for the driver; nothing is connected
    except (NoSuchModuleError, ImportError):
        raise StoreError(
            f"DATABASE_URL asks for {url.drivername!r}, whose driver is not installed: use "
            "postgresql:// or sqlite://, or install the driver."
        ) from None
    except InvalidRequestError:
        raise StoreError(
            f"DATABASE_URL asks for {url.drivername!r}, which is no asynchronous driver: use "
            "postgresql:// or sqlite:// without naming one."
        ) from None


def _is_in_memory(url: URL) -> bool:
    return not url.database or ":memory:" in url.database or "mode=memory" in str(url)


def _engine_options(url: URL) -> dict[str, Any]:
    if url.get_backend_name() == "sqlite":
        return {}
    # As many connections stay open as turns may end at once; they survive the server's restart.
    options: dict[str, Any] = {"pool_size": 16, "pool_pre_ping": True}
    if url.drivername == "postgresql+psycopg" and "connect_timeout" not in url.query:
        options["connect_args"] = {"connect_timeout": _CONNECT_S}
    return options


def _make_folder(url: URL) -> None:
    """Makes the folder of an SQLite database."""
    make_private(Path(url.database or "").absolute().parent)


def _prepare_sqlite(engine: AsyncEngine) -> None:
    """Transactions as SQLite has them, and the pragmas of each connection.

    The driver would begin transactions late, at the first change: two that read before they
    write would then fail. Those who write begin as writers instead (SQLAlchemy's manual, SQLite,
    "Serializable isolation").
    """

    @event.listens_for(engine.sync_engine, "connect")
    def connected(driver_connection: Any, _: object) -> None:
        driver_connection.isolation_level = None
        cursor = driver_connection.cursor()
        for pragma in _SQLITE_PRAGMAS:
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine.sync_engine, "begin")
    def begun(connection: Connection) -> None:
        reads_only = connection.get_execution_options().get("reads_only", False)
        connection.exec_driver_sql("BEGIN" if reads_only else "BEGIN IMMEDIATE")


def _migrate(connection: Connection) -> None:
    """Runs the migrations that this database has not had, in the connection's transaction."""
    config = Config()
    config.set_main_option("script_location", "app.store:migrations")
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _lock_number(name: str) -> int:
    """A number of 63 bits that stands for the name, among all users of the database server."""
    return int.from_bytes(hashlib.sha256(f"glm-playground:{name}".encode()).digest()[:8]) >> 1


def _cannot_open(url: URL, error: BaseException) -> StoreError:
    place = url.database if url.get_backend_name() == "sqlite" else f"on {url.host or 'this host'}"
    reason = _reason(error)
    if url.password:
        reason = reason.replace(str(url.password), "…")
    return StoreError(f"The database {place} cannot be opened: {reason}")


def _reason(error: BaseException) -> str:
    """The driver's own words, their first line, as the end of a sentence."""
    words = str(getattr(error, "orig", None) or error).strip() or type(error).__name__
    return f"{words.splitlines()[0].rstrip('.')}."
