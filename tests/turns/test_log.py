from __future__ import annotations

import asyncio
import json
from typing import Any

from app.turns.log import EventLog


def read(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines()]


async def everything(log: EventLog, after: int = -1) -> list[dict[str, Any]]:
    return [event async for batch in log.lines(after) for event in read(batch)]


async def test_a_late_listener_gets_all_that_still_counts() -> None:
    log = EventLog()
    log.append("part", part=0)
    log.append("block", replaces=("b", 0), html="<p>a</p>")
    log.append("block", replaces=("b", 0), html="<p>ab</p>")
    log.extend("code", belongs_to=("b", 0), text="c")
    log.append("usage", replaces="usage", tokens=1)
    log.drop("usage")
    log.end()
    assert await everything(log) == [
        {"n": 0, "type": "part", "part": 0},
        {"n": 2, "type": "block", "html": "<p>ab</p>"},
        {"n": 3, "type": "code", "text": "c"},
        {"n": 5, "type": "end"},
    ]


async def test_what_belongs_to_a_replaced_event_goes_with_it() -> None:
    log = EventLog()
    log.append("block", replaces="b", html="open")
    log.extend("code", belongs_to="b", text="line")
    log.append("block", replaces="b", html="closed")
    log.end()
    assert [event["n"] for event in await everything(log)] == [2, 3]


async def test_listening_again_goes_on_after_a_number() -> None:
    log = EventLog()
    for at in range(4):
        log.append("reasoning", text=str(at))
    log.end()
    assert [event["n"] for event in await everything(log, after=1)] == [2, 3, 4]
    assert await everything(log, after=99) == []


async def test_events_reach_a_listener_as_they_come_and_silence_brings_heartbeats() -> None:
    log = EventLog()
    lines = log.lines(heartbeat_s=0.01)
    assert read(await anext(lines)) == [{"type": "heartbeat"}]
    waiting = asyncio.create_task(_next(lines))
    await asyncio.sleep(0)
    log.append("reasoning", text="a")
    assert read(await waiting) == [{"n": 0, "type": "reasoning", "text": "a"}]
    await lines.aclose()


async def test_the_audience_is_counted_however_a_listener_leaves() -> None:
    counts: list[int] = []
    log = EventLog(counts.append)
    lines = log.lines()
    waiting = asyncio.create_task(_next(lines))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await lines.aclose()
    assert counts == [1, 0]
    assert log.listeners == 0


async def _next(lines: Any) -> bytes:
    data: bytes = await anext(lines)
    return data
