"""Runs without a network: scripted events in, the log of the run out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from app.chat.entries import Entry, TurnEntry, UserEntry, conversation_of
from app.chat.events import Event
from app.chat.messages import Attachment
from app.chat.notices import Problem
from app.chat.request import Options, Request
from app.store.chats import ChatStore
from app.store.database import Database, database_url
from app.store.journal import Journals
from app.turns.one_turn import Question
from app.turns.prices import Prices
from app.turns.rendering import Block, Change, Rendering
from app.turns.run import Loop, Run
from app.turns.runs import Runs
from app.turns.services import RunServices
from app.turns.slots import Slots

OWNER, CHAT = "owner", "chat-one"


class OneParagraph:
    """A renderer that shows an answer as one paragraph."""

    def __init__(self) -> None:
        self._text = ""
        self._shown = ""

    def append(self, text: str) -> None:
        self._text += text

    def changes(self, *, final: bool = False) -> list[Change]:
        if self._shown == self._text:
            return []
        self._shown = self._text
        return [Block(0, f"<p>{self._text}</p>")]


class AnyTool:
    """Takes every call for a good one, but for those that are no JSON; breaks on "boom"."""

    def __init__(self, tools: Sequence[Mapping[str, Any]]) -> None:
        self._names = {tool["function"]["name"] for tool in tools}

    def declared(self, name: str) -> bool:
        return name in self._names

    def problems(self, name: str, arguments: str) -> Sequence[Problem]:
        if name == "boom":
            raise RuntimeError(name)
        try:
            json.loads(arguments or "{}")
        except ValueError:
            return (Problem("$", "is not JSON"),)
        return ()


@dataclass
class Server:
    """A model server that plays events, and bytes of the wire; `None` waits for `go_on`.

    `then` is what it plays for all requests but the first, if that is not the same.
    """

    script: list[Event | Exception | bytes | None]
    then: list[Event | Exception | bytes | None] | None = None
    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    requests: list[Request] = field(default_factory=list)
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)

    async def stream(
        self, request: Request, headers: Mapping[str, str], on_bytes: Callable[[bytes], None]
    ) -> AsyncGenerator[Event, None]:
        self.requests.append(request)
        try:
            is_first = self.then is None or len(self.requests) == 1
            for step in self.script if is_first else self.then or []:
                if step is None:
                    await self.go_on.wait()
                elif isinstance(step, bytes):
                    on_bytes(step)
                elif isinstance(step, Exception):
                    raise step
                else:
                    yield step
        finally:
            self.hung_up.set()


@dataclass
class Bench:
    """One chat with a message, and the means to run its answer."""

    server: Server
    services: RunServices
    message: UserEntry

    def start(
        self,
        options: Options | None = None,
        base: TurnEntry | None = None,
        owner: str = OWNER,
        loop: Loop | None = None,
    ) -> Run:
        asked = options or Options(model="glm")
        entries = (self.message, *([base] if base else []))
        question = Question(owner, CHAT, self.message.id, conversation_of(entries), asked, base)
        return Run(question, self.services, visitor="v", headers={}, loop=loop)

    async def entries(self) -> list[Entry]:
        page = await self.services.store.page(OWNER, CHAT)
        return [node.entry for node in page.nodes]

    async def last_turn(self) -> TurnEntry:
        entry = (await self.entries())[-1]
        assert isinstance(entry, TurnEntry)
        return entry


@pytest.fixture
async def database(tmp_path: Path) -> AsyncGenerator[Database]:
    one = Database(database_url(None, tmp_path))
    await one.open()
    yield one
    await one.close()


@pytest.fixture
async def session() -> AsyncGenerator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as one:
        yield one


@pytest.fixture
def journals(tmp_path: Path) -> Generator[Journals]:
    one = Journals(tmp_path / "journal")
    one.open()
    yield one
    one.close()


@pytest.fixture
def bench(database: Database, journals: Journals) -> Callable[..., Awaitable[Bench]]:
    async def make(
        *script: Event | Exception | bytes | None,
        then: list[Event | Exception | bytes | None] | None = None,
        grace_s: float = 60.0,
        slots: int = 16,
        message: UserEntry | None = None,
        prices: Prices | None = None,
    ) -> Bench:
        server = Server(list(script), then)

        async def no_media(owner: str, attachment: Attachment) -> str | None:
            return None

        services = RunServices(
            stream=server.stream,
            load_media=no_media,
            checker=AnyTool,
            rendering=Rendering(OneParagraph, lambda text: [f"<p>{text}</p>"]),
            slots=Slots(slots),
            runs=Runs(),
            store=ChatStore(database),
            journals=journals,
            prices=prices or Prices(),
            context_limit=lambda: 1_000_000,
            grace_s=grace_s,
        )
        said = message or UserEntry("m1", "Hello")
        await services.store.open(OWNER, CHAT)
        await services.store.add(OWNER, CHAT, said, None)
        return Bench(server, services, said)

    return make


@pytest.fixture
def events_of() -> Callable[[Run], Any]:
    async def read(run: Run) -> list[dict[str, Any]]:
        return [json.loads(line) async for batch in run.log.lines() for line in batch.splitlines()]

    return read
