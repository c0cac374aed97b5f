"""The simulator with one thing about it changed: a server that does not keep one promise."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from starlette.types import ASGIApp, Receive, Scope, Send

Body: TypeAlias = dict[str, Any]


def _as_sent(body: Body) -> Body:
    return body


def _as_told(data: bytes) -> bytes:
    return data


@dataclass(frozen=True, slots=True)
class Altered:
    """An ASGI application.

    `asked` changes the JSON of each request, `told` each piece of an answer's body. `statuses`
    maps paths to what is answered there instead. `faults` are the simulator's. One that is `deaf`
    does not notice that a client hangs up.
    """

    application: ASGIApp
    asked: Callable[[Body], Body] = _as_sent
    told: Callable[[bytes], bytes] = _as_told
    statuses: Mapping[str, int] | None = None
    faults: str = ""
    deaf: bool = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        body = self._changed(await _whole(receive))
        headers = [pair for pair in scope["headers"] if pair[0] != b"content-length"]
        if self.faults:
            headers.append((b"x-simulate", self.faults.encode()))
        status = (self.statuses or {}).get(scope["path"])
        pending = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive_changed() -> MutableMapping[str, Any]:
            if pending:
                return pending.pop()
            if self.deaf:
                await asyncio.Event().wait()
            return await receive()

        async def send_changed(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                kept = [pair for pair in message["headers"] if pair[0] != b"content-length"]
                message = {**message, "headers": kept, "status": status or message["status"]}
            elif message.get("body"):
                message = {**message, "body": self.told(message["body"])}
            await send(message)

        await self.application({**scope, "headers": headers}, receive_changed, send_changed)

    def _changed(self, body: bytes) -> bytes:
        try:
            value = json.loads(body)
        except ValueError:
            value = {}
        return json.dumps(self.asked(value)).encode() if body else body


async def _whole(receive: Receive) -> bytes:
    parts = []
    more = True
    while more:
        message = await receive()
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(parts)
