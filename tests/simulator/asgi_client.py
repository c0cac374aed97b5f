"""Calling the simulator without a socket: one request in, the whole response out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette


@dataclass(frozen=True, slots=True)
class Answer:
    """A response that came to its end."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body's value."""
        return json.loads(self.body)

    @property
    def events(self) -> list[str]:
        """The data of each event of a stream, [DONE] included."""
        return [
            line.removeprefix("data: ") for line in self.body.decode().split("\n\n") if line.strip()
        ]

    @property
    def chunks(self) -> list[dict[str, Any]]:
        """The events of a stream as values, without [DONE]."""
        return [json.loads(event) for event in self.events if event != "[DONE]"]

    @property
    def message(self) -> dict[str, Any]:
        """The message of a whole answer."""
        message: dict[str, Any] = self.json["choices"][0]["message"]
        return message

    @property
    def finish_reason(self) -> str:
        """Of a whole answer."""
        reason: str = self.json["choices"][0]["finish_reason"]
        return reason

    def text(self, field: str) -> str:
        """All of `content` or `reasoning` in a stream."""
        deltas = (chunk["choices"][0]["delta"] for chunk in self.chunks if chunk["choices"])
        return "".join(delta.get(field) or "" for delta in deltas)


async def call(
    app: Starlette,
    method: str,
    path: str,
    body: bytes = b"",
    headers: Mapping[str, str] | None = None,
    peer: str = "127.0.0.1",
) -> Answer:
    """Sends one request and waits for the end of the response."""
    encoded = [(k.lower().encode(), v.encode()) for k, v in (headers or {}).items()]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": encoded,
        "client": (peer, 50000),
        "server": ("127.0.0.1", 80),
        "scheme": "http",
    }
    request = [{"type": "http.request", "body": body, "more_body": False}]
    sent: list[Mapping[str, Any]] = []

    async def receive() -> Mapping[str, Any]:
        if request:
            return request.pop()
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)  # type: ignore[arg-type]
    start = sent[0]
    received = {k.decode(): v.decode() for k, v in start["headers"]}
    return Answer(start["status"], received, b"".join(part.get("body", b"") for part in sent[1:]))


async def chat(
    app: Starlette, prompt: str | list[Any], simulate: str | None = None, **fields: Any
) -> Answer:
    """Asks for a completion: of a prompt, or of whole messages."""
    messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else prompt
    headers = {"content-type": "application/json"}
    if simulate is not None:
        headers["x-simulate"] = simulate
    body = json.dumps({"messages": messages, **fields}).encode()
    return await call(app, "POST", "/v1/chat/completions", body, headers)
