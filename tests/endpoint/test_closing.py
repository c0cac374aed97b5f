"""Closing the generator closes the socket, whatever the turn is at: that frees the GPUs."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, suppress
from typing import Any

import pytest

from app.chat.events import ContentDelta, Started, Waiting
from app.chat.request import Request
from app.endpoint import Endpoint, EndpointSettings
from tests.conftest import StartLoopback
from tests.loopback import Loopback, Reply, chunk

BOUND_S = 5.0
STREAMING = Reply([chunk(content="Hi")], end="hang")
SILENT = Reply(bare=True, end="hang")
QUEUED = Reply([b""], end="hang")
BUSY = Reply.json({"error": "busy"}, 503, retry_after="60")


async def cancel(task: asyncio.Task[Any]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await asyncio.wait_for(task, BOUND_S)
    assert task.cancelled()


def endpoint_for(server: Loopback) -> Endpoint:
    return Endpoint(EndpointSettings(f"{server.url}/v1"))


async def test_closed_between_two_events(loopback: StartLoopback) -> None:
    server = await loopback(STREAMING)
    async with endpoint_for(server) as endpoint:
        async with aclosing(endpoint.stream(Request({}))) as events:
            async for event in events:
                if event == ContentDelta("Hi"):
                    break
        await asyncio.wait_for(server.exchanges[0].left.wait(), BOUND_S)


@pytest.mark.parametrize(
    ("reply", "events_before"),
    [(SILENT, 0), (QUEUED, 1), (STREAMING, 2)],
    ids=["silent", "queued", "streaming"],
)
async def test_cancelled_while_it_waits_for_bytes(
    loopback: StartLoopback, reply: Reply, events_before: int
) -> None:
    server = await loopback(reply)
    async with endpoint_for(server) as endpoint:
        events = endpoint.stream(Request({}))
        for _ in range(events_before):
            await anext(events)
        reading = asyncio.ensure_future(anext(events))
        exchange = await server.exchange(0)
        await cancel(reading)
        await asyncio.wait_for(exchange.left.wait(), BOUND_S)


async def test_cancelled_while_it_sends_a_large_request(loopback: StartLoopback) -> None:
    async def take_the_head(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head_came.set()
        await cancelled.wait()
        with suppress(ConnectionError):
            while await reader.read(1_000_000):
                pass
        left.set()
        writer.close()

    head_came, cancelled, left = asyncio.Event(), asyncio.Event(), asyncio.Event()
    server = await asyncio.start_server(take_the_head, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, Endpoint(EndpointSettings(f"http://127.0.0.1:{port}/v1")) as endpoint:
        events = endpoint.stream(Request({"picture": "x" * 20_000_000}))
        task = asyncio.ensure_future(anext(events))
        await head_came.wait()
        await cancel(task)
        cancelled.set()
        await asyncio.wait_for(left.wait(), BOUND_S)


async def test_closed_at_a_wait(loopback: StartLoopback) -> None:
    server = await loopback(BUSY)
    async with endpoint_for(server) as endpoint:
        async with aclosing(endpoint.stream(Request({}))) as events:
            assert isinstance(await anext(events), Waiting)
        assert len(server.exchanges) == 1


async def test_cancelled_during_a_wait(loopback: StartLoopback) -> None:
    server = await loopback(BUSY)
    async with endpoint_for(server) as endpoint:
        events = endpoint.stream(Request({}))
        assert isinstance(await anext(events), Waiting)
        waiting = asyncio.ensure_future(anext(events))
        await asyncio.sleep(0)
        await cancel(waiting)

        with pytest.raises(StopAsyncIteration):
            await anext(events)
    assert len(server.exchanges) == 1


async def test_one_turn_that_closes_leaves_the_others_alone(loopback: StartLoopback) -> None:
    go_on = asyncio.Event()
    server = await loopback(STREAMING, Reply([chunk(content="Hi"), go_on, chunk("stop")]))
    async with endpoint_for(server) as endpoint:
        first, second = endpoint.stream(Request({})), endpoint.stream(Request({}))
        for events in (first, second):
            assert isinstance(await anext(events), Started)
            assert await anext(events) == ContentDelta("Hi")
        await first.aclose()
        await asyncio.wait_for(server.exchanges[0].left.wait(), BOUND_S)
        go_on.set()

        assert len([event async for event in second]) == 1
