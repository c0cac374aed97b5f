"""Every way in which a stream ends, played on loopback."""

from __future__ import annotations

import asyncio
import gzip

import pytest

from app.chat.events import ContentDelta, Failed, Finished, Started, Usage
from app.chat.request import Request
from app.endpoint import Endpoint, EndpointSettings
from tests.conftest import StartLoopback
from tests.endpoint.conftest import Ask
from tests.loopback import DONE, Part, Reply, answer, chunk, event

USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
HALF: list[Part] = [chunk(role="assistant", content=""), chunk(content="Half")]
WHOLE: list[Part] = [chunk(content="Hi"), chunk("stop"), event({"choices": [], "usage": USAGE})]


async def test_a_whole_answer(loopback: StartLoopback, ask: Ask) -> None:
    server = await loopback(Reply([*WHOLE, DONE], headers={"x-request-id": "abc"}))

    assert await ask(server) == [
        Started(200, "abc"),
        ContentDelta("Hi"),
        Finished("stop"),
        Usage(USAGE),
    ]


async def test_bytes_cut_anywhere(loopback: StartLoopback, ask: Ask) -> None:
    stream = b"".join([chunk(content="é🌍"), chunk("stop"), DONE])
    server = await loopback(Reply([stream[at : at + 1] for at in range(len(stream))]))

    assert await ask(server) == [Started(200), ContentDelta("é🌍"), Finished("stop")]


async def test_closed_without_a_finish_reason_just_ends(loopback: StartLoopback, ask: Ask) -> None:
    server = await loopback(Reply(HALF))

    assert await ask(server) == [Started(200), ContentDelta("Half")]


async def test_a_body_that_ends_with_its_connection(loopback: StartLoopback, ask: Ask) -> None:
    server = await loopback(Reply([*WHOLE, DONE], unmeasured=True))

    assert (await ask(server))[-1] == Usage(USAGE)


@pytest.mark.parametrize("end", ["drop", "reset"])
@pytest.mark.parametrize("rest", [b"", b"data: {", chunk(content="x")[:20]])
async def test_a_connection_that_breaks_in_the_middle_cuts_the_answer_short(
    loopback: StartLoopback, ask: Ask, end: str, rest: bytes
) -> None:
    server = await loopback(Reply([*HALF, rest, 0.05], headers={"x-request-id": "abc"}, end=end))

    events = await ask(server)

    assert events[:2] == [Started(200, "abc"), ContentDelta("Half")]
    message = f"The connection to 127.0.0.1:{server.port} broke in the middle of the answer."
    assert events[2:] == [Failed("cut_short", None, message, "abc")]
    assert len(server.exchanges) == 1


@pytest.mark.parametrize("body", [b'{"error": "full"}', b'data: {"error": "full"}'])
async def test_an_error_is_the_end_even_if_the_connection_breaks_after_it(
    loopback: StartLoopback, ask: Ask, body: bytes
) -> None:
    server = await loopback(Reply([body, 0.05], end="reset"))

    assert await ask(server) == [Started(200), Failed("server_error", None, "full")]
    assert len(server.exchanges) == 1


async def test_a_chunk_whose_length_cannot_be_read_ends_the_turn(
    loopback: StartLoopback, ask: Ask
) -> None:
    text = chunk(content="Half")
    head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
    parts = [head + b"%x\r\n%b\r\n" % (len(text), text), 0.05, b"not a length\r\n"]
    server = await loopback(Reply(parts, bare=True))

    events = await ask(server, silence_timeout_s=0.3)

    assert events[:2] == [Started(200), ContentDelta("Half")]
    # aiohttp tells nobody about such a chunk: it is noticed by the silence after it.
    assert isinstance(events[2], Failed)
    assert events[2].kind in ("cut_short", "timed_out")


@pytest.mark.parametrize("end", ["close", "drop", "reset", "hang"])
async def test_a_bad_ending_after_the_finish_reason_is_no_failure(
    loopback: StartLoopback, ask: Ask, end: str
) -> None:
    server = await loopback(Reply([*WHOLE, 0.02], end=end))

    events = await ask(server, ending_timeout_s=0.1)

    assert events == [Started(200), ContentDelta("Hi"), Finished("stop"), Usage(USAGE)]


async def test_a_server_that_hangs_after_the_end_mark_is_not_waited_for(
    loopback: StartLoopback, ask: Ask
) -> None:
    server = await loopback(Reply([*WHOLE, DONE], end="hang"))

    assert (await ask(server))[-1] == Usage(USAGE)
    await asyncio.wait_for(server.exchanges[0].left.wait(), 5)


@pytest.mark.parametrize("reply", [Reply(HALF, end="hang"), Reply(bare=True, end="hang")])
async def test_silence_times_out_and_is_not_tried_again(
    loopback: StartLoopback, ask: Ask, reply: Reply
) -> None:
    server = await loopback(reply)

    events = await ask(server, silence_timeout_s=0.1)

    assert isinstance(events[-1], Failed)
    assert events[-1].kind == "timed_out"
    assert events[-1].message == f"No byte came from 127.0.0.1:{server.port} for 0.1 s."
    assert len(server.exchanges) == 1


async def test_a_keep_alive_breaks_the_silence(loopback: StartLoopback, ask: Ask) -> None:
    pings: list[Part] = [0.1, b": ping\n\n"] * 4
    server = await loopback(Reply([*pings, *WHOLE, DONE]))

    assert (await ask(server, silence_timeout_s=0.3))[-1] == Usage(USAGE)


@pytest.mark.parametrize(
    "reply",
    [
        Reply([part for _ in range(50) for part in (chunk(content="x"), 0.02)]),
        Reply(bare=True, end="hang"),
        Reply.json({"error": "busy"}, 503, retry_after="60"),
    ],
    ids=["streaming", "silent", "waiting to try again"],
)
async def test_the_time_for_the_whole_turn_ends_whatever_it_is_at(
    loopback: StartLoopback, ask: Ask, reply: Reply
) -> None:
    server = await loopback(reply)

    events = await ask(server, total_timeout_s=0.15)

    assert events[-1] == Failed("timed_out", None, "The turn took longer than the 0.15 s allowed.")
    assert len(server.exchanges) == 1


async def test_a_compressed_stream_is_read(loopback: StartLoopback, ask: Ask) -> None:
    body = gzip.compress(b"".join([chunk(content="Hi"), chunk("stop"), DONE]))
    server = await loopback(Reply([body], headers={"content-encoding": "gzip"}))

    assert (await ask(server))[1:] == [ContentDelta("Hi"), Finished("stop")]
    assert server.exchanges[0].headers["accept-encoding"] == "identity"


async def test_a_second_turn_uses_the_same_connection(loopback: StartLoopback) -> None:
    server = await loopback(answer())
    async with Endpoint(EndpointSettings(f"{server.url}/v1")) as endpoint:
        for _ in range(2):
            assert [event async for event in endpoint.stream(Request({}))]

    assert [exchange.connection for exchange in server.exchanges] == [1, 1]
