"""Runs without a network: scripted events in, the log of the run out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from app.chat.events import Event
from app.chat.messages import Attachment
from app.chat.notices import Problem
from app.chat.request import Options, Request
from app.turns.chats import Chat, ChatBook, UserEntry
from app.turns.rendering import Block, Change, Rendering
from app.turns.run import Run, RunServices
from app.turns.slots import Slots


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
    """A model server that plays events; `None` waits until `go_on` is set."""

    script: list[Event | Exception | None]
    go_on: asyncio.Event = field(default_factory=asyncio.Event)
    requests: list[Request] = field(default_factory=list)
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)

    async def stream(
        self, request: Request, headers: Mapping[str, str]
    ) -> AsyncGenerator[Event, None]:
        self.requests.append(request)
        try:
            for step in self.script:
                if step is None:
                    await self.go_on.wait()
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
    chat: Chat

    def start(self, options: Options | None = None) -> Run:
        run = Run(
            self.chat, options or Options(model="glm"), self.services, visitor="v", headers={}
        )
        self.chat.run = run
        return run


@pytest.fixture
def bench() -> Callable[..., Bench]:
    def make(*script: Event | Exception | None, grace_s: float = 60.0, slots: int = 16) -> Bench:
        server = Server(list(script))

        async def no_media(owner: str, attachment: Attachment) -> str | None:
            return None

        services = RunServices(
            stream=server.stream,
            load_media=no_media,
            checker=AnyTool,
            rendering=Rendering(OneParagraph, lambda text: [f"<p>{text}</p>"]),
            slots=Slots(slots),
            chats=ChatBook(),
            grace_s=grace_s,
        )
        chat = services.chats.open("owner", "chat-one")
        chat.entries.append(UserEntry("m1", "Hello"))
        return Bench(server, services, chat)

    return make


@pytest.fixture
def events_of() -> Callable[[Run], Any]:
    async def read(run: Run) -> list[dict[str, Any]]:
        return [json.loads(line) async for batch in run.log.lines() for line in batch.splitlines()]

    return read
