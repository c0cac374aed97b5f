"""The real application on loopback, and a client that makes the calls of a page."""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
import tempfile
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import uvicorn

from app.server import create_application
from app.settings import Settings

CHAT = "chat-of-the-test"


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


class Client:
    """One browser: its owner token, and the calls that a page makes."""

    def __init__(self, session: aiohttp.ClientSession, base: str, token: str | None = None) -> None:
        self._session = session
        self.base = base
        self.token = token or secrets.token_urlsafe(24)

    async def call(
        self, method: str, path: str, fault: str | None = None, **kwargs: Any
    ) -> tuple[int, Any]:
        headers = {"X-Owner": self.token} | ({"X-Simulate": fault} if fault else {})
        async with self._session.request(
            method, self.base + path, headers=headers, **kwargs
        ) as response:
            body = await response.read()
            is_json = response.content_type == "application/json"
            return response.status, json.loads(body) if is_json else body

    async def start(
        self, text: str, chat: str = CHAT, fault: str | None = None, **body: Any
    ) -> Any:
        status, answer = await self.call(
            "POST", f"/api/chats/{chat}/turns", fault, json={"text": text, **body}
        )
        assert status == 201, answer
        return answer

    async def events(self, run: str, after: int = -1) -> AsyncGenerator[dict[str, Any], None]:
        async with self._session.get(
            f"{self.base}/api/runs/{run}/events?after={after}", headers={"X-Owner": self.token}
        ) as response:
            assert response.status == 200
            async for line in response.content:
                yield json.loads(line)

    async def finish(self, run: str) -> list[dict[str, Any]]:
        return [event async for event in self.events(run)]

    async def upload(self, data: bytes, name: str = "picture.png") -> tuple[int, Any]:
        form = aiohttp.FormData()
        form.add_field("file", data, filename=name)
        return await self.call("POST", "/api/media", data=form)


@asynccontextmanager
async def serving(data_folder: Path | None = None, **settings: Any) -> AsyncGenerator[str]:
    """The app on loopback; what it keeps is gone afterwards, unless a folder is given for it."""
    if data_folder is None:
        with tempfile.TemporaryDirectory(prefix="glm-test-") as folder:
            async with serving(Path(folder), **settings) as base:
                yield base
        return
    listener = socket.create_server(("127.0.0.1", 0))
    application = create_application(Settings(_env_file=None, data_folder=data_folder, **settings))
    config = uvicorn.Config(
        application.asgi, log_level="warning", proxy_headers=False, timeout_graceful_shutdown=1
    )
    server = _Server(config)
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await task
