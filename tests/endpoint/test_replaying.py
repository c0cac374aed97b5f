from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from contextlib import aclosing

import pytest

from app.chat.events import (
    ContentDelta,
    Event,
    Failed,
    Finished,
    ReasoningDelta,
    Started,
)
from app.chat.exchange import Exchange
from app.chat.request import Options
from app.chat.wire_record import WireRecorder
from app.endpoint.replaying import replayed
from tests.loopback import DONE, chunk, event


class Clock:
    """A clock that goes on only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 6))
        self.now += seconds

    def time(self) -> float:
        return self.now


def exchange(*reads: tuple[float, bytes]) -> Exchange:
    recorder = WireRecorder()
    for at_s, data in reads:
        recorder.take(at_s, data)
    return Exchange(Options("m"), "", wire=recorder.packed())


ANSWER = (
    (0.5, chunk(role="assistant", content="")),
    (0.75, chunk(reasoning="Hm")),
    (1.0, chunk(content="Ho")),
    (4.0, chunk("stop")),
    (4.0, DONE),
)


async def played(exchanges: Sequence[Exchange], **options: float) -> tuple[list[Event], Clock]:
    clock = Clock()
    events = replayed(exchanges, sleep=clock.sleep, clock=clock.time, **options)
    return [event async for event in events], clock


async def test_an_answer_comes_as_it_came() -> None:
    events, clock = await played([exchange(*ANSWER)])
    assert events == [Started(200), ReasoningDelta("Hm"), ContentDelta("Ho"), Finished("stop")]
    assert clock.slept == [0.5, 0.25, 0.25, 3.0, 0.0]


@pytest.mark.parametrize(("speed", "total_s"), [(2.0, 2.0), (0.5, 8.0), (math.inf, 0.0)])
async def test_speed_divides_the_waits(speed: float, total_s: float) -> None:
    _, clock = await played([exchange(*ANSWER)], speed=speed)
    assert sum(clock.slept) == total_s


async def test_a_slow_reader_is_caught_up_with() -> None:
    clock = Clock()
    events = replayed([exchange(*ANSWER)], sleep=clock.sleep, clock=clock.time)
    async for came in events:
        if isinstance(came, ReasoningDelta):
            clock.now += 0.25
    assert clock.slept == [0.5, 0.25, 0.0, 3.0, 0.0]


async def test_an_answer_that_was_gone_on_with_ends_once() -> None:
    first = exchange((0.1, chunk(content="One")), (0.2, chunk("length")), (0.3, DONE))
    failed = exchange((0.1, chunk(content=" two")), (0.2, event({"error": "full"})))
    last = exchange((0.1, chunk(content=" three")), (0.2, chunk("stop")))
    events, clock = await played([first, failed, last])
    said = [event.text for event in events if isinstance(event, ContentDelta)]
    assert said == ["One", " two", " three"]
    assert [event for event in events if isinstance(event, Finished | Failed)] == [Finished("stop")]
    assert round(sum(clock.slept), 6) == 0.7, "each begins when the one before it has ended"


async def test_bytes_are_read_in_the_pieces_in_which_they_came() -> None:
    data = chunk(content="ä")
    events, _ = await played([exchange((0.1, data[:-5]), (0.2, data[-5:]))])
    assert events == [Started(200), ContentDelta("ä")]


@pytest.mark.parametrize("cut", [b"", b"data: {", b": waiting\n\n", b'{"choices": [', b"<html>"])
async def test_no_failure_is_made_of_a_body_that_breaks_off(cut: bytes) -> None:
    events, _ = await played([exchange((0.1, cut))])
    assert events == [Started(200)]


async def test_an_error_in_the_stream_is_one_again() -> None:
    events, _ = await played([exchange((0.1, event({"error": {"message": "full", "code": 500}})))])
    assert events[-1] == Failed("server_error", 500, "full")


async def test_an_answer_without_a_recording_just_starts() -> None:
    events, _ = await played([Exchange(Options("m"), "")])
    assert events == [Started(200)]


async def test_closing_it_ends_it() -> None:
    clock = Clock()
    async with aclosing(
        replayed([exchange(*ANSWER)], sleep=clock.sleep, clock=clock.time)
    ) as events:
        async for event in events:
            if isinstance(event, ReasoningDelta):
                break
    assert clock.slept == [0.5, 0.25]


async def test_other_tasks_run_while_nothing_is_waited_for() -> None:
    turns: list[str] = []

    async def other() -> None:
        turns.append("other")

    task = asyncio.create_task(other())
    async for came in replayed([exchange(*ANSWER)], speed=math.inf):
        turns += ["finished"] * isinstance(came, Finished)
    await task
    assert turns == ["other", "finished"]
