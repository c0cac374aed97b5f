"""Slots, queue and disconnects, over real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import aiohttp
import pytest

ASKED = {"messages": [{"role": "user", "content": "Hi"}], "stream": True}
ENDLESS = {"X-Simulate": "bench=50000;speed=100"}


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as opened:
        yield opened


async def _start(
    session: aiohttp.ClientSession, url: str, headers: dict[str, str]
) -> aiohttp.ClientResponse:
    return await session.post(f"{url}/chat/completions", json=ASKED, headers=headers)


async def _gauges(session: aiohttp.ClientSession, url: str) -> tuple[float, float]:
    """Requests running and waiting."""
    async with session.get(url.removesuffix("/v1") + "/metrics") as answer:
        lines = (await answer.text()).splitlines()
    values = [
        next(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(f"vllm:{name}{{"))
        for name in ("num_requests_running", "num_requests_waiting")
    ]
    return values[0], values[1]


async def _until(session: aiohttp.ClientSession, url: str, expected: tuple[float, float]) -> None:
    """Waits for the gauges; the test's own time limit ends the wait."""
    while await _gauges(session, url) != expected:
        pass


@pytest.mark.timeout(20)
async def test_a_request_past_the_slots_has_headers_and_waits(
    session: aiohttp.ClientSession, served: str
) -> None:
    running = [await _start(session, served, ENDLESS) for _ in range(2)]
    third = await _start(session, served, {"X-Simulate": "bench=4;speed=1000"})
    assert third.status == 200
    await _until(session, served, (2, 1))
    waiting = asyncio.ensure_future(third.content.readline())
    await running[0].content.readline()
    assert not waiting.done()
    running[0].close()
    assert (await waiting).startswith(b"data: ")
    assert (await third.content.read()).endswith(b"data: [DONE]\n\n")
    running[1].close()
    await _until(session, served, (0, 0))


@pytest.mark.timeout(20)
async def test_who_leaves_while_waiting_takes_no_slot(
    session: aiohttp.ClientSession, served: str
) -> None:
    running = [await _start(session, served, ENDLESS) for _ in range(2)]
    third = await _start(session, served, ENDLESS)
    await _until(session, served, (2, 1))
    third.close()
    await _until(session, served, (2, 0))
    for each in running:
        each.close()
    await _until(session, served, (0, 0))


@pytest.mark.timeout(20)
async def test_a_disconnect_stops_an_answer_that_is_not_streamed(
    session: aiohttp.ClientSession, served: str
) -> None:
    whole = {**ASKED, "stream": False}
    task = asyncio.ensure_future(
        session.post(f"{served}/chat/completions", json=whole, headers=ENDLESS)
    )
    await _until(session, served, (1, 0))
    task.cancel()
    await _until(session, served, (0, 0))


@pytest.mark.timeout(20)
async def test_a_stalled_stream_stays_open(session: aiohttp.ClientSession, served: str) -> None:
    stalled = await _start(session, served, {"X-Simulate": "stall-after=2"})
    for _ in range(3):
        assert await stalled.content.readuntil(b"\n\n")
    assert await _gauges(session, served) == (1, 0)
    stalled.close()
    await _until(session, served, (0, 0))


@pytest.mark.timeout(20)
async def test_a_reset_breaks_the_connection(session: aiohttp.ClientSession, served: str) -> None:
    broken = await _start(session, served, {"X-Simulate": "reset-after=3"})
    with pytest.raises(aiohttp.ClientError):
        await broken.content.read()
    await _until(session, served, (0, 0))


@pytest.mark.timeout(20)
async def test_a_drop_ends_the_body_in_good_order(
    session: aiohttp.ClientSession, served: str
) -> None:
    dropped = await _start(session, served, {"X-Simulate": "drop-after=3"})
    body = await dropped.content.read()
    assert body.count(b"data: ") == 4
    assert b'finish_reason":"' not in body
