"""Which failures are tried again, and after how long."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.chat.events import ContentDelta, Event, Failed, Finished, Started, Waiting
from app.endpoint.errors import TryFailedError
from app.endpoint.retry import after_failure, read_retry_after
from app.endpoint.settings import EndpointSettings
from tests.conftest import StartLoopback
from tests.endpoint.conftest import Ask
from tests.loopback import Part, Reply, answer, chunk

SETTINGS = EndpointSettings("http://127.0.0.1:1/v1")
NOW = datetime(2026, 9, 1, 12, 0, tzinfo=UTC)
ANSWERED = [Started(200), ContentDelta("Hi"), Finished("stop")]
ROLE: list[Part] = [chunk(role="assistant", content=""), 0.05]


def busy(status: int = 503, **headers: str) -> Reply:
    return Reply.json({"error": "No replica is ready"}, status, **headers)


def failed_with(status: int = 503, retry_after: str | None = None) -> TryFailedError:
    failure = Failed("server_error", status, "No replica is ready")
    return TryFailedError(failure, retryable=True, retry_after=retry_after)


def waits(events: list[Event]) -> list[Waiting]:
    return [event for event in events if isinstance(event, Waiting)]


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
async def test_a_busy_server_is_asked_again_and_each_wait_shows(
    loopback: StartLoopback, ask: Ask, status: int
) -> None:
    server = await loopback(busy(status), busy(status), answer())

    events = await ask(server)

    assert [(wait.reason, wait.attempt, wait.message) for wait in waits(events)] == [
        ("retry", 2, "No replica is ready"),
        ("retry", 3, "No replica is ready"),
    ]
    assert events[2:] == ANSWERED
    assert len({exchange.body for exchange in server.exchanges}) == 1


async def test_four_tries_in_all(loopback: StartLoopback, ask: Ask) -> None:
    server = await loopback(busy())

    events = await ask(server)

    assert len(server.exchanges) == 4
    assert [wait.attempt for wait in waits(events)] == [2, 3, 4]
    assert events[3:] == [Failed("server_error", 503, "No replica is ready")]


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413, 422])
async def test_what_the_server_refuses_is_not_sent_again(
    loopback: StartLoopback, ask: Ask, status: int
) -> None:
    server = await loopback(busy(status, retry_after="0"))

    assert await ask(server) == [Failed("server_error", status, "No replica is ready")]
    assert len(server.exchanges) == 1


@pytest.mark.parametrize(
    "lost",
    [
        Reply(bare=True, end="drop"),
        Reply(bare=True, end="reset"),
        Reply(ROLE, end="drop"),
        Reply(ROLE, end="reset"),
        Reply([b'{"choices": [', 0.05], content_type="application/json", end="drop"),
    ],
)
async def test_a_connection_lost_before_any_output_is_made_again(
    loopback: StartLoopback, ask: Ask, lost: Reply
) -> None:
    server = await loopback(lost, answer())

    events = await ask(server)

    assert len(waits(events)) == 1
    assert events[-3:] == ANSWERED


@pytest.mark.parametrize("delta", [{"content": "Hi"}, {"reasoning": "Hm"}])
async def test_nothing_is_tried_again_after_output(
    loopback: StartLoopback, ask: Ask, delta: dict[str, Any]
) -> None:
    server = await loopback(Reply([chunk(**delta), 0.05], end="reset"), answer())

    events = await ask(server)

    assert waits(events) == []
    assert isinstance(events[-1], Failed)
    assert len(server.exchanges) == 1


async def test_an_error_inside_a_stream_is_not_tried_again(
    loopback: StartLoopback, ask: Ask
) -> None:
    server = await loopback(Reply([b'data: {"error": {"message": "full", "code": 503}}\n\n']))

    assert await ask(server) == [Started(200), Failed("server_error", 503, "full")]
    assert len(server.exchanges) == 1


async def test_the_server_says_how_long_to_wait(loopback: StartLoopback, ask: Ask) -> None:
    server = await loopback(busy(429, retry_after="0.2"), answer())

    events = await ask(server)

    assert [wait.seconds for wait in waits(events)] == [0.2]
    assert server.exchanges[1].at - server.exchanges[0].at >= 0.2


async def test_too_long_a_wait_is_not_made_and_told(loopback: StartLoopback, ask: Ask) -> None:
    server = await loopback(busy(429, retry_after="121"))

    assert await ask(server) == [
        Failed(
            "server_error",
            429,
            "No replica is ready (The server asks to wait 121 s before the next try, "
            "longer than the 120 s that are waited.)",
        )
    ]


@pytest.mark.parametrize(("tries", "longest"), [(1, 0.5), (2, 1.0), (3, 2.0)])
def test_the_wait_doubles_with_each_try(tries: int, longest: float) -> None:
    seconds = set()
    for _ in range(50):
        step = after_failure(failed_with(), tries, 0.1, SETTINGS)
        assert isinstance(step, Waiting)
        assert step.seconds is not None
        assert 0.75 * longest <= step.seconds <= longest
        seconds.add(step.seconds)

    assert len(seconds) > 1


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("2", 2.0),
        ("0.5", 0.5),
        ("-3", None),
        ("Tue, 01 Sep 2026 12:00:30 GMT", 30.0),
        ("Tue, 01 Sep 2026 11:00:00 GMT", 0.0),
        ("Tue, 01 Sep 2026 12:00:30 -0000", 30.0),
        ("soon", None),
        ("", None),
        ("nan", None),
        ("inf", None),
    ],
)
def test_retry_after_in_seconds_or_as_a_date(value: str | None, seconds: float | None) -> None:
    assert read_retry_after(value, NOW) == seconds


@given(st.text())
def test_any_retry_after_gives_a_wait_or_none(value: str) -> None:
    seconds = read_retry_after(value, NOW)

    assert seconds is None or seconds >= 0


def test_a_date_is_honoured_as_well() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)

    step = after_failure(failed_with(retry_after=soon), 1, 0.1, SETTINGS)

    assert isinstance(step, Waiting)
    assert step.seconds == pytest.approx(59.5, abs=5)
