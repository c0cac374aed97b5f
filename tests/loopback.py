"""A server on loopback that plays bytes exactly as told: pauses, cuts, endings; and records.

It knows HTTP/1.1 only as far as a test needs, and nothing of a model. A test states replies and
looks afterwards at what was asked, and when the client hung up.
"""

from __future__ import annotations

import asyncio
import base64
import json
import socket
import struct
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from types import TracebackType
from typing import Any, Literal, Self, TypeAlias

Ending: TypeAlias = Literal["close", "drop", "reset", "hang"]
Part: TypeAlias = "bytes | float | asyncio.Event"

DONE = b"data: [DONE]\n\n"


def event(value: Any) -> bytes:
    """One server-sent event that carries a value as JSON."""
    return b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n"


def chunk(finish_reason: str | None = None, **delta: Any) -> bytes:
    """One chunk of a chat completion, as vLLM words it."""
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
    return event(
        {
            "id": "chatcmpl-loopback",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "loopback",
            "choices": [choice],
        }
    )


@dataclass(frozen=True, slots=True)
class Reply:
    """What is sent back to one request.

    A part is bytes (one HTTP chunk), seconds to pause, or an asyncio.Event to wait for. `end`:
    close ends the body as HTTP wants it, drop closes the connection in the middle of it, reset
    does so with a TCP reset, hang sends no more until the client leaves. `unmeasured` sends
    neither a length nor chunks: the body ends with the connection, which "close" then closes.
    `bare` sends the parts alone, with no head: for a server that says nothing, or no HTTP.
    """

    parts: Sequence[Part] = ()
    status: int = 200
    content_type: str = "text/event-stream; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)
    end: Ending = "close"
    unmeasured: bool = False
    bare: bool = False

    @classmethod
    def json(cls, value: Any, status: int = 200, **headers: str) -> Reply:
        """A JSON body; header names are given with underscores."""
        named = {name.replace("_", "-"): text for name, text in headers.items()}
        return cls((json.dumps(value).encode(),), status, "application/json", named)


SILENCE = Reply(bare=True, end="hang")
HANG_UP = Reply(bare=True, end="drop")


def answer(text: str = "Hi") -> Reply:
    """A whole answer as a stream."""
    return Reply((chunk(role="assistant", content=""), chunk(content=text), chunk("stop"), DONE))


def replies_of(case: Mapping[str, Any]) -> list[Reply]:
    """The replies of a stream case file: `{"responses": [{"status", "parts", "end", …}]}`."""
    return [
        Reply(
            tuple(map(_part_of, stated["parts"])),
            stated["status"],
            stated["content_type"],
            stated.get("headers", {}),
            stated["end"],
        )
        for stated in case["responses"]
    ]


def _part_of(stated: Mapping[str, Any]) -> Part:
    if "wait_ms" in stated:
        return float(stated["wait_ms"]) / 1000
    return stated["text"].encode() if "text" in stated else base64.b64decode(stated["base64"])


@dataclass(slots=True)
class Exchange:
    """One request as it came, and when its client left before the reply was over."""

    at: float
    method: str
    path: str
    head: bytes
    headers: Mapping[str, str]
    body: bytes
    connection: int
    left: asyncio.Event = field(default_factory=asyncio.Event)

    def json(self) -> Any:
        """The body, read as JSON."""
        return json.loads(self.body)


class Loopback:
    """A server on a free port of 127.0.0.1, for as long as the block runs.

    The replies answer the requests in order, the last one all that follow. `routes` holds the
    replies of single paths, as "GET /v1/models".
    """

    def __init__(
        self, *replies: Reply, routes: Mapping[str, Sequence[Reply]] | None = None
    ) -> None:
        self.exchanges: list[Exchange] = []
        self._replies = {"": list(replies), **{k: list(v) for k, v in (routes or {}).items()}}
        self._counts = dict.fromkeys(self._replies, 0)
        self._arrival = asyncio.Condition()
        self._tasks: set[asyncio.Task[None]] = set()
        self._connections = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def port(self) -> int:
        """The port listened on."""
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    @property
    def url(self) -> str:
        """The address, without a slash at its end."""
        return f"http://127.0.0.1:{self.port}"

    def asked(self, route: str) -> list[Exchange]:
        """The requests of one route, such as "GET /v1/models"."""
        return [one for one in self.exchanges if f"{one.method} {one.path}" == route]

    async def exchange(self, number: int) -> Exchange:
        """The request of this number, from 0, once it has come."""
        async with self._arrival:
            await self._arrival.wait_for(lambda: len(self.exchanges) > number)
        return self.exchanges[number]

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections += 1
        task = asyncio.create_task(self._serve(reader, writer, self._connections))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, connection: int
    ) -> None:
        early = b""
        try:
            while True:
                head = early + await reader.readuntil(b"\r\n\r\n")
                exchange = await self._read_request(head, reader, connection)
                # A client that leaves shows in the reading; so it goes on beside the playing.
                ahead = asyncio.create_task(reader.read(1))
                playing = asyncio.create_task(self._play(self._reply_to(exchange), writer))
                try:
                    await asyncio.wait((ahead, playing), return_when=asyncio.FIRST_COMPLETED)
                    if ahead.done() and not playing.done() and not _received(ahead):
                        exchange.left.set()
                        return
                    if not await playing:
                        return
                finally:
                    playing.cancel()
                    ahead.cancel()
                    await asyncio.wait((ahead, playing))
                early = _received(ahead)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _read_request(
        self, head: bytes, reader: asyncio.StreamReader, connection: int
    ) -> Exchange:
        first, *lines = head.decode("latin1").split("\r\n")
        method, path, _ = first.split(" ", 2)
        pairs = (line.split(":", 1) for line in lines if ":" in line)
        headers = {name.strip().lower(): value.strip() for name, value in pairs}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        now = asyncio.get_running_loop().time()
        exchange = Exchange(now, method, path, head, headers, body, connection)
        async with self._arrival:
            self.exchanges.append(exchange)
            self._arrival.notify_all()
        return exchange

    def _reply_to(self, exchange: Exchange) -> Reply:
        route = f"{exchange.method} {exchange.path}"
        route = route if route in self._replies else ""
        replies = self._replies[route]
        reply = replies[min(self._counts[route], len(replies) - 1)]
        self._counts[route] += 1
        return reply

    async def _play(self, reply: Reply, writer: asyncio.StreamWriter) -> bool:
        """Sends the reply; returns whether the connection may take another request."""
        framed = not (reply.bare or reply.unmeasured)
        if not reply.bare:
            writer.write(_head_of(reply))
        for part in reply.parts:
            if isinstance(part, asyncio.Event):
                await part.wait()
            elif isinstance(part, float | int):
                await asyncio.sleep(part)
            elif part:
                writer.write(b"%x\r\n%b\r\n" % (len(part), part) if framed else part)
            await writer.drain()
        match reply.end:
            case "reset":
                connection: socket.socket = writer.get_extra_info("socket")
                linger = struct.pack("ii", 1, 0)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                writer.transport.abort()
            case "hang":
                await asyncio.Event().wait()
            case "close" if framed:
                writer.write(b"0\r\n\r\n")
                await writer.drain()
                return True
        return False


def _head_of(reply: Reply) -> bytes:
    known = reply.status in HTTPStatus.__members__.values()
    phrase = HTTPStatus(reply.status).phrase if known else "Status"
    lines = [f"HTTP/1.1 {reply.status} {phrase}"]
    if reply.content_type:
        lines.append(f"content-type: {reply.content_type}")
    lines.append("connection: close" if reply.unmeasured else "transfer-encoding: chunked")
    lines += [f"{name}: {value}" for name, value in reply.headers.items()]
    return "\r\n".join((*lines, "", "")).encode()


def _received(read: asyncio.Task[bytes]) -> bytes:
    """The byte that came ahead of its time; none where none did, or the connection is gone."""
    with suppress(asyncio.CancelledError, ConnectionError):
        return read.result()
    return b""
