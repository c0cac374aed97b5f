"""The model server of a benchmark: the project's simulator, alone in its process, with a watch.

`python -m tests.benchmarks.upstream` prints its address. The app forwards a fault to its embedded
simulator only, so here one for all requests is set beforehand. Some words of a stream carry the
time at which they were sent, if wanted: whoever reads them, on this machine, can tell the delay.

`PUT /watch` with `{"simulate": …, "stamps": …}` sets the header X-Simulate of all requests from
now on, and whether their words are stamped.
`GET /watch` answers what was counted; with `?after=N` once more than N clients have hung up.
"""

from __future__ import annotations

import asyncio
import re
import socket
import time

import uvicorn
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from app.simulator import SimulatorSettings, create_simulator

STAMP_EVERY = 7
"""Chunks from one stamp to the next: seldom enough to leave the text as long as it was, and no
divisor of the flush interval, so that all delays within it occur."""
STAMP_RANGE = 1_000_000
"""Stamps are milliseconds of the monotonic clock, which all processes share, modulo this."""

_TEXT = re.compile(rb'"(?:reasoning|content)":"[^"]')
_WORD = re.compile(rb'("(?:reasoning|content)":" )([A-Za-z]{3})')


class Watch:
    """An ASGI application: the simulator, counted and stamped."""

    def __init__(self) -> None:
        self._simulator = create_simulator(SimulatorSettings())
        self._simulate = ""
        self._stamps = False
        self._chunks = 0
        self._hung_up: list[float] = []
        self._hang_up = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers `/watch` by itself, and lets the simulator answer all else."""
        if scope["type"] != "http":
            await self._simulator(scope, receive, send)
        elif scope["path"] == "/watch":
            await self._answer(scope, receive, send)
        else:
            await self._watch(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        if request.method == "PUT":
            asked = await request.json()
            self._simulate, self._stamps = asked["simulate"], asked["stamps"]
        after = int(request.query_params.get("after", -1))
        while len(self._hung_up) <= after:
            await self._hang_up.wait()
        told = {"chunks": self._chunks, "hung_up": self._hung_up}
        await JSONResponse(told)(scope, receive, send)

    async def _watch(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [*scope["headers"], (b"x-simulate", self._simulate.encode())]
        ended = False
        since_stamp = 0

        async def count_and_send(message: Message) -> None:
            nonlocal ended, since_stamp
            body: bytes = message.get("body", b"")
            if _TEXT.search(body):
                self._chunks += 1
                since_stamp += 1
                if self._stamps and since_stamp >= STAMP_EVERY:
                    body, stamped = _WORD.subn(_stamp, body, 1)
                    since_stamp = 0 if stamped else since_stamp
                    message = {**message, "body": body}
            ended = message["type"] == "http.response.body" and not message.get("more_body")
            await send(message)

        async def note_end() -> Message:
            message = await receive()
            if message["type"] == "http.disconnect" and not ended:
                self._hung_up.append(time.monotonic())
                self._hang_up.set()
                self._hang_up.clear()
            return message

        await self._simulator({**scope, "headers": headers}, note_end, count_and_send)


def _stamp(found: re.Match[bytes]) -> bytes:
    now = int(time.monotonic() * 1000) % STAMP_RANGE
    return b"%b@%06d %b" % (found[1], now, found[2])


def main() -> None:
    """Serves until it is told to end."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
    print(f"Upstream: http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    config = uvicorn.Config(
        Watch(),
        log_level="warning",
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=1,
    )
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
