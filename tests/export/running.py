"""Running code as a reader does, and a server that keeps what it was sent."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import httpx2
from starlette.types import ASGIApp, Message, Receive, Scope, Send

KEY_VARIABLE = "BASETEN_API_KEY"
KEY = "test-key-not-real"

Run: TypeAlias = Callable[[str], Awaitable[str]]


@dataclass(slots=True)
class Recorder:
    """An application, and the bodies and headers of the requests that it got."""

    application: ASGIApp
    bodies: list[bytes] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    url: str = ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.headers.append({name.decode(): value.decode() for name, value in scope["headers"]})
        self.bodies.append(b"")

        async def recorded() -> Message:
            message = await receive()
            self.bodies[-1] += message.get("body", b"")
            return message

        await self.application(scope, recorded, send)

    async def answer(self, body: bytes) -> bytes:
        """What is replied to a body: the bytes of the wire."""
        async with httpx2.AsyncClient(trust_env=False) as client:
            headers = {"Content-Type": "application/json"}
            url = f"{self.url}/chat/completions"
            return (await client.post(url, content=body, headers=headers)).content


async def start(interpreter: str, path: Path, text: str) -> asyncio.subprocess.Process:
    """Starts a text as the file that a reader makes of it, in an environment with a key."""
    path.write_text(text, encoding="utf-8")
    return await asyncio.create_subprocess_exec(
        interpreter,
        str(path),
        cwd=path.parent,
        env={"PATH": os.environ["PATH"], "HOME": str(path.parent), KEY_VARIABLE: KEY},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def run(interpreter: str, path: Path, text: str) -> str:
    """Runs it; gives what it prints, which is no error."""
    process = await start(interpreter, path, text)
    printed, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()
    assert not errors, errors.decode()
    return printed.decode()


@dataclass(frozen=True, slots=True)
class Said:
    """What a reply says: its thought, its answer, its calls by name and arguments."""

    reasoning: str
    content: str
    calls: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, wire: bytes) -> Said:
        """Reads a whole reply, or a stream of chunks."""
        if not wire.startswith(b"data: "):
            return cls._of([json.loads(wire)["choices"][0]["message"]])
        events = [line.removeprefix("data: ") for line in wire.decode().split("\n\n") if line]
        assert events.pop() == "[DONE]"
        choices = [choice for one in events for choice in json.loads(one)["choices"]]
        return cls._of([choice["delta"] for choice in choices])

    @classmethod
    def _of(cls, pieces: list[dict[str, Any]]) -> Said:
        calls: dict[int, list[str]] = {}
        for piece in pieces:
            for at, call in enumerate(piece.get("tool_calls") or []):
                kept = calls.setdefault(call.get("index", at), ["", ""])
                kept[0] += call["function"].get("name") or ""
                kept[1] += call["function"].get("arguments") or ""
        return cls(
            "".join(piece.get("reasoning") or "" for piece in pieces),
            "".join(piece.get("content") or "" for piece in pieces),
            tuple((name, arguments) for name, arguments in calls.values()),
        )

    def printed(self) -> str:
        """As the Python program prints it."""
        calls = [f"{name}({arguments})" for name, arguments in self.calls]
        return "\n\n".join(filter(None, (self.reasoning, self.content, *calls))) + "\n"
