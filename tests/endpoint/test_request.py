"""The bytes of the request: address, headers, body; and where the key does not appear."""

from __future__ import annotations

import json
import logging
import traceback
from typing import Any

import pytest
from pydantic import SecretStr

from app.chat.events import Failed, Waiting
from app.chat.request import Request
from app.endpoint import Endpoint, EndpointSettings
from tests.conftest import StartLoopback
from tests.endpoint.conftest import Ask
from tests.loopback import Reply, answer, chunk, event

KEY = "test-key-not-real-6f1d0c"
ENVIRONMENT = ["OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"]


@pytest.mark.parametrize("slash", ["", "/"])
async def test_address_and_body(
    loopback: StartLoopback, ask: Ask, request_body: dict[str, Any], slash: str
) -> None:
    server = await loopback(answer())

    await ask(f"{server.url}/v1{slash}")

    sent = server.exchanges[0]
    assert (sent.method, sent.path) == ("POST", "/v1/chat/completions")
    assert sent.headers["content-type"] == "application/json"
    assert sent.body == json.dumps(request_body, separators=(",", ":")).encode()


async def test_a_request_over_the_limit_is_not_sent_and_its_size_is_told(
    loopback: StartLoopback, ask: Ask, request_body: dict[str, Any]
) -> None:
    server = await loopback(answer())
    request_body["messages"][0]["content"] = "x" * 1_200_000

    (failed,) = await ask(server, max_request_bytes=1_000_000)

    assert isinstance(failed, Failed)
    assert (failed.kind, failed.status) == ("too_large", None)
    assert failed.message == "The request takes 1.2 MB, and at most 1.0 MB can be sent."
    assert not server.exchanges


async def test_the_key_is_sent_as_a_bearer(loopback: StartLoopback, ask: Ask) -> None:
    server = await loopback(answer())

    await ask(server, api_key=SecretStr(KEY))

    assert server.exchanges[0].headers["authorization"] == f"Bearer {KEY}"


async def test_without_a_key_no_authorization_is_sent(
    loopback: StartLoopback, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ENVIRONMENT:
        monkeypatch.setenv(name, "test-value-not-real")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: test-value-not-real\nX-A: b")
    server = await loopback(answer())

    await ask(server)

    head = server.exchanges[0].head.lower()
    assert b"authorization" not in head
    assert b"test-value-not-real" not in head
    assert b"x-a:" not in head


async def test_headers_of_the_settings_and_of_the_turn(loopback: StartLoopback, ask: Ask) -> None:
    server = await loopback(answer())

    await ask(server, headers={"X-Team": "demo"}, extra_headers={"X-Simulate": "drop"})

    assert server.exchanges[0].headers["x-team"] == "demo"
    assert server.exchanges[0].headers["x-simulate"] == "drop"


async def test_loopback_is_not_reached_through_a_proxy(
    loopback: StartLoopback, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, proxy = await loopback(answer()), await loopback(Reply(status=502))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, proxy.url)

    await ask(server)

    assert len(server.exchanges) == 1
    assert proxy.exchanges == []


async def test_another_host_is_reached_through_the_proxy(
    loopback: StartLoopback, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = await loopback(answer())
    monkeypatch.setenv("http_proxy", proxy.url)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)

    await ask("http://model.example/v1")

    assert proxy.exchanges[0].path == "http://model.example/v1/chat/completions"


@pytest.mark.parametrize("key", ["“quoted”", "two words", "line\nbreak", "é"])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(ValueError, match="The API key holds a character") as caught:
        EndpointSettings("http://127.0.0.1:1/v1", SecretStr(key))

    assert key not in "".join(traceback.format_exception(caught.value))


def test_a_header_that_cannot_be_sent_is_refused_without_its_value() -> None:
    with pytest.raises(ValueError, match="The header 'X-Team'") as caught:
        EndpointSettings("http://127.0.0.1:1/v1", headers={"X-Team": "sécret"})

    assert "sécret" not in str(caught.value)


FAILURES = {
    "quoted in an error": Reply.json({"error": {"message": f"Incorrect key: {KEY}"}}, 401),
    "quoted in text": Reply([f"Bearer {KEY} is unknown".encode()], 400, "text/plain"),
    "quoted in a retry": Reply.json({"error": f"busy, {KEY}"}, 503),
    "quoted in a stream": Reply([event({"error": {"message": f"no, {KEY}"}})]),
    "quoted in a page": Reply([f"<html>{KEY}</html>".encode()]),
    "quoted in an event": Reply([f"data: {KEY}\n\n".encode()]),
    "quoted in a last event": Reply([f'{{"error": "{KEY}"}}'.encode()]),
    "redirect": Reply(status=307, headers={"location": f"http://127.0.0.1:1/?k={KEY}"}),
    "broken": Reply([chunk(content="Hi"), 0.05], end="reset"),
    "no answer": Reply(bare=True, end="drop"),
    "silence": Reply(bare=True, end="hang"),
    "no HTTP": Reply([f"{KEY}\r\n\r\n".encode()], bare=True),
}


@pytest.mark.parametrize("name", FAILURES)
async def test_the_key_is_in_no_message_log_or_repr(
    loopback: StartLoopback, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    caplog.set_level(logging.DEBUG)
    server = await loopback(FAILURES[name])
    settings = EndpointSettings(
        f"{server.url}/v1", SecretStr(KEY), backoff_s=0.001, silence_timeout_s=1.0
    )
    async with Endpoint(settings) as endpoint:
        events = [event async for event in endpoint.stream(Request({}))]

        assert KEY not in repr(settings) + repr(endpoint) + repr(vars(endpoint))
    assert isinstance(events[-1], Failed)
    assert KEY not in repr(events)
    assert KEY not in caplog.text
    assert server.exchanges[0].headers["authorization"] == f"Bearer {KEY}"


async def test_the_key_is_in_no_traceback(loopback: StartLoopback) -> None:
    server = await loopback(answer())
    endpoint = Endpoint(EndpointSettings(f"{server.url}/v1", SecretStr(KEY)))
    await endpoint.close()

    with pytest.raises(RuntimeError) as caught:
        await anext(endpoint.stream(Request({})))

    assert KEY not in "".join(traceback.format_exception(caught.value))


async def test_a_short_key_is_no_secret_and_leaves_messages_alone(
    loopback: StartLoopback, ask: Ask
) -> None:
    server = await loopback(Reply.json({"error": "none of them"}, 429, retry_after="0"))

    events = await ask(server, api_key=SecretStr("none"), tries=2)

    assert events == [
        Waiting("retry", 2, 0.0, "none of them"),
        Failed("server_error", 429, "none of them"),
    ]


async def test_the_bytes_of_an_answer_are_handed_on_without_the_key(
    loopback: StartLoopback, request_body: dict[str, Any]
) -> None:
    server = await loopback(answer(f"Bearer {KEY}"))
    settings = EndpointSettings(f"{server.url}/v1", api_key=SecretStr(KEY))
    heard: list[bytes] = []
    async with Endpoint(settings) as endpoint:
        events = endpoint.stream(Request(request_body), on_bytes=heard.append)
        assert [event async for event in events]
    assert b"Bearer [API key]" in b"".join(heard)
    assert KEY.encode() not in b"".join(heard)


async def test_the_body_of_an_error_that_ends_the_turn_is_handed_on_without_the_key(
    loopback: StartLoopback, request_body: dict[str, Any]
) -> None:
    server = await loopback(Reply.json({"error": {"message": f"no such model for {KEY}"}}, 404))
    settings = EndpointSettings(f"{server.url}/v1", api_key=SecretStr(KEY))
    heard: list[bytes] = []
    async with Endpoint(settings) as endpoint:
        events = endpoint.stream(Request(request_body), on_bytes=heard.append)
        assert [type(event) async for event in events] == [Failed]
    assert json.loads(b"".join(heard)) == {"error": {"message": "no such model for [API key]"}}
