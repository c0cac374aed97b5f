"""Errors before the answer: the server's own message, whole, or a plain one of ours."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import aiohttp
import openai
import pytest
from aiohttp.client_reqrep import ConnectionKey

from app.chat.events import Failed, Started
from app.endpoint import EndpointSettings
from app.endpoint.errors import failed_to_open
from tests.conftest import StartLoopback
from tests.endpoint.conftest import Ask
from tests.loopback import Reply

VLLM = {
    "error": {
        "message": "At most 1 image(s) may be provided in one prompt.",
        "type": "BadRequestError",
        "param": "image",
        "code": 400,
    }
}
DETAIL = [{"loc": ["body", "messages"], "msg": "Field required"}]


def only_failure(events: list[Any]) -> Failed:
    assert len(events) == 1
    assert isinstance(events[0], Failed)
    return events[0]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (VLLM, "At most 1 image(s) may be provided in one prompt."),
        ({"error": "Unauthorized"}, "Unauthorized"),
        ({"detail": "Not Found"}, "Not Found"),
        ({"detail": DETAIL}, '[{"loc": ["body", "messages"], "msg": "Field required"}]'),
        ({"message": "no such model"}, "no such model"),
        ({"error": "Bad input", "detail": "too long"}, "Bad input: too long"),
        ({"error": "Bad input", "detail": ["a"]}, 'Bad input: ["a"]'),
        ({"object": "error", "message": "old vLLM", "code": 400}, "old vLLM"),
        ({"code": 7}, '{"code": 7}'),
        ("plain words", "plain words"),
        (["a"], '["a"]'),
    ],
)
async def test_every_shape_of_error_body_gives_the_servers_message(
    loopback: StartLoopback, ask: Ask, body: Any, message: str
) -> None:
    server = await loopback(Reply.json(body, 400))

    assert await ask(server) == [Failed("server_error", 400, message)]


async def test_a_long_message_is_not_shortened(loopback: StartLoopback, ask: Ask) -> None:
    message = "word " * 20_000 + "end"
    server = await loopback(Reply.json({"error": {"message": message}}, 422))

    assert only_failure(await ask(server)).message == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("upstream connect error", "upstream connect error"),
        (
            "<html><head><title>404 Not\nFound &amp; gone</title></head></html>",
            "The server sent a page titled “404 Not Found & gone”, not a message.",
        ),
        ("<html></html>", "The server sent a page, not a message."),
        ("", "Not Found (the server gave no reason)."),
    ],
)
async def test_bodies_that_are_no_json(
    loopback: StartLoopback, ask: Ask, text: str, message: str
) -> None:
    server = await loopback(Reply([text.encode()], 404, "text/html"))

    assert await ask(server) == [Failed("server_error", 404, message)]


@pytest.mark.parametrize("header", ["X-Request-Id", "X-Baseten-Request-Id"])
async def test_the_request_id_is_that_of_the_headers(
    loopback: StartLoopback, ask: Ask, header: str
) -> None:
    server = await loopback(Reply([b'{"error": "no"}'], 400, headers={header: "abc-1"}))

    assert only_failure(await ask(server)).request_id == "abc-1"


@pytest.mark.parametrize(
    "body", [{"error": {"message": "no", "request_id": "abc-2"}}, {"request_id": "abc-2"}]
)
async def test_the_request_id_may_stand_in_the_body(
    loopback: StartLoopback, ask: Ask, body: Any
) -> None:
    server = await loopback(Reply.json(body, 400))

    assert only_failure(await ask(server)).request_id == "abc-2"


async def test_a_status_is_known_even_if_its_body_never_comes(
    loopback: StartLoopback, ask: Ask
) -> None:
    server = await loopback(Reply([b'{"err', 0.05], 400, "application/json", end="reset"))

    assert await ask(server) == [
        Failed("server_error", 400, "Bad Request (the server gave no reason).")
    ]


async def test_a_redirect_is_not_followed_but_told(loopback: StartLoopback, ask: Ask) -> None:
    elsewhere = await loopback(Reply())
    location = f"{elsewhere.url}/v1/chat/completions"
    server = await loopback(Reply(status=308, headers={"location": location}))

    failure = only_failure(await ask(server))

    assert failure.status == 308
    assert location in failure.message
    assert elsewhere.exchanges == []


async def test_a_refused_connection_names_host_and_port(ask: Ask) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]

    failure = only_failure(await ask(f"http://127.0.0.1:{port}/v1", tries=1))

    message = f"No connection to 127.0.0.1:{port}: connection refused."
    assert failure == Failed("unreachable", None, message)


async def test_a_connection_that_is_not_accepted_in_time(ask: Ask) -> None:
    with socket.socket() as listener, socket.socket() as first, socket.socket() as second:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for waiting in (first, second):
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        port = listener.getsockname()[1]

        events = await ask(f"http://127.0.0.1:{port}/v1", tries=1, connect_timeout_s=0.1)

    assert events == [Failed("unreachable", None, f"No connection to 127.0.0.1:{port} in 0.1 s.")]


def test_an_unknown_host_is_unreachable() -> None:
    key = ConnectionKey("model.example", 443, True, True, None, None, None)
    unknown = aiohttp.ClientConnectorDNSError(key, socket.gaierror(-2, "Name not known"))
    arrived = openai.APIConnectionError(request=None)  # type: ignore[arg-type]
    arrived.__cause__ = unknown

    error = failed_to_open(arrived, EndpointSettings("https://model.example/v1"))

    assert error.failure == Failed(
        "unreachable", None, "No address is known for model.example:443."
    )
    assert error.retryable


async def test_tls_to_a_server_without_it_is_not_tried_again(ask: Ask) -> None:
    async def answer_in_clear(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(answer_in_clear, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        failure = only_failure(await ask(f"https://127.0.0.1:{port}/v1"))

    assert failure.kind == "unreachable"
    assert failure.message.startswith(f"No safe connection to 127.0.0.1:{port}: ")


async def test_a_server_that_hangs_up_without_an_answer(loopback: StartLoopback, ask: Ask) -> None:
    server = await loopback(Reply(bare=True, end="drop"))

    failure = only_failure(await ask(server, tries=1))

    message = f"127.0.0.1:{server.port} closed the connection before it answered."
    assert failure == Failed("unreachable", None, message)


@pytest.mark.parametrize(
    "answer", [b"SSH-2.0-OpenSSH_9.6\r\n\r\n", b"HTTP/1.1 200 OK\r\nx\r\n\r\n"]
)
async def test_a_server_that_speaks_no_http(
    loopback: StartLoopback, ask: Ask, answer: bytes
) -> None:
    server = await loopback(Reply([answer], bare=True))

    failure = only_failure(await ask(server))

    message = f"What answers at 127.0.0.1:{server.port} does not speak HTTP."
    assert failure == Failed("server_error", None, message)


async def test_a_stream_that_cannot_be_decompressed(loopback: StartLoopback, ask: Ask) -> None:
    server = await loopback(Reply([b"no gzip"], headers={"content-encoding": "gzip"}))

    events = await ask(server)

    assert events[0] == Started(200)
    assert only_failure(events[1:]).kind == "server_error"


async def test_a_header_that_cannot_be_sent_ends_the_turn_in_words(
    loopback: StartLoopback, ask: Ask
) -> None:
    server = await loopback(Reply())

    failure = only_failure(await ask(server, extra_headers={"X-Simulate": "é"}))

    assert failure.kind == "server_error"
    assert server.exchanges == []
