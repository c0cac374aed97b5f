"""The key of the model server leaves the process in one place: the Authorization header."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import aiohttp
import pytest

from tests.loopback import HANG_UP, Reply, answer
from tests.site import CHAT, Client, serving

KEY = "test-key-not-real-but-to-be-kept"


@pytest.mark.parametrize(
    "reply",
    [
        answer("Hi"),
        Reply.json({"error": {"message": f"bad key {KEY}", "code": 401}}, status=401),
        Reply.json({"error": "no"}, status=400, x_request_id=KEY),
        Reply((b"<html>not a model</html>",), content_type="text/html"),
        Reply((b"data: {broken\n\n",)),
        HANG_UP,
    ],
    ids=["answer", "refused", "echoed", "no model server", "unreadable", "hung up"],
)
async def test_the_key_is_in_no_page_event_export_or_log(
    loopback: Callable[..., Any],
    reply: Reply,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.INFO)
    caplog.set_level(logging.DEBUG, logger="app")
    server = await loopback(reply)
    async with (
        aiohttp.ClientSession() as session,
        serving(openai_base_url=f"{server.url}/v1", openai_api_key=KEY) as base,
    ):
        client = Client(session, base)
        started = await client.start("Hello")
        seen = [str(await client.finish(started["run"]))]
        for path in (
            "/", "/config", "/openapi.json", "/gradio_api/info", "/api/chats", f"/api/chats/{CHAT}",
            f"/api/chats/{CHAT}/turns/{started['turn']}",
        ):  # fmt: skip
            status, body = await client.call("GET", path)
            assert status == 200, path
            seen.append(str(body))
    assert server.exchanges[0].headers["authorization"] == f"Bearer {KEY}"
    out, err = capfd.readouterr()
    for text in (*seen, caplog.text, out, err):
        assert KEY not in text
