"""The key of the model server is in nothing that can be had from the app, whatever is asked for."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Any

import aiohttp
import pytest

from tests.attacks.routes import routes_of
from tests.loopback import Reply
from tests.site import CHAT, Client, serving

KEY = "test-key-not-real-but-to-be-kept"
PAGES = ("/", "/config", "/docs", "/openapi.json", "/gradio_api/info", "/gradio_api/openapi.json")


def unpacked(body: bytes) -> bytes:
    """What a zip holds; anything else as it is."""
    if not body.startswith(b"PK"):
        return body
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        return b"".join(archive.read(name) for name in archive.namelist())


async def test_no_route_page_or_export_holds_the_key(
    session: aiohttp.ClientSession,
    loopback: Callable[..., Any],
    capfd: pytest.CaptureFixture[str],
) -> None:
    echoed = {"error": {"message": f"The key {KEY} is wrong", "code": 401}}
    server = await loopback(Reply.json(echoed, status=401, x_request_id=KEY))
    async with serving(openai_base_url=f"{server.url}/v1", openai_api_key=KEY) as base:
        client = Client(session, base)
        started = await client.start("Hello")
        assert KEY not in str(await client.finish(started["run"]))
        ids = {
            "chat_id": CHAT,
            "turn_id": started["turn"],
            "message_id": started["message"]["id"],
            "run_id": started["run"],
            "number": "0",
        }
        document = (await client.call("GET", "/openapi.json"))[1]
        paths = [route.filled(ids) for route in routes_of(document) if route.method == "GET"]
        found = 0
        for path in (*PAGES, *paths):
            async with session.get(base + path, headers={"X-Owner": client.token}) as response:
                body = await response.read()
                found += response.status == 200
            assert KEY.encode() not in unpacked(body), path
        assert found > 15
    assert server.exchanges[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in "".join(capfd.readouterr())
