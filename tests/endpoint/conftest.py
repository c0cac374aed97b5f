"""Asking a server on loopback for one turn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

import pytest

from app.chat.events import Event
from app.chat.request import Request
from app.endpoint import Endpoint, EndpointSettings
from tests.loopback import Loopback

Ask: TypeAlias = Callable[..., Awaitable[list[Event]]]


@pytest.fixture
def request_body() -> dict[str, Any]:
    """A small request."""
    return {"model": "m", "messages": [{"role": "user", "content": "Hello"}], "stream": True}


@pytest.fixture
def ask(request_body: dict[str, Any]) -> Ask:
    """All events of one turn: `await ask(server, **settings)`, with waits made short."""

    async def ask(
        server: Loopback | str, *, extra_headers: Mapping[str, str] | None = None, **settings: Any
    ) -> list[Event]:
        base_url = server if isinstance(server, str) else f"{server.url}/v1"
        chosen = EndpointSettings(base_url, **{"backoff_s": 0.001, **settings})
        async with Endpoint(chosen) as endpoint:
            events = endpoint.stream(Request(request_body), extra_headers=extra_headers)
            return [event async for event in events]

    return ask
