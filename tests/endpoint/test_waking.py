"""A Baseten model scaled to zero: the parked request is lost, the model woken, then asked."""

from __future__ import annotations

import asyncio

import pytest
from pydantic import SecretStr

from app.chat.events import ContentDelta, Failed, Finished, Started, Waiting
from app.endpoint.errors import TryFailedError
from app.endpoint.retry import after_failure
from app.endpoint.settings import EndpointSettings
from tests.conftest import StartLoopback
from tests.endpoint.conftest import Ask
from tests.loopback import Loopback, Reply, answer

ROOT = "/environments/production"
CHAT = f"POST {ROOT}/sync/v1/chat/completions"
WAKE = f"POST {ROOT}/wake"
MODELS = f"GET {ROOT}/sync/v1/models"

BASETEN = {"is_baseten": True, "parking_s": 0.05, "wake_poll_s": 0.05}
PARKED = Reply([0.1, b'{"error": "Timed out waiting"}'], 500, "application/json")
ASLEEP = Reply.json({"error": "No replica is ready"}, 503)
READY = Reply.json({"object": "list", "data": []})
WAKES = Reply.json({}, 202)
WAKING = Waiting("waking", 2, None, "The model is waking up, which is billed.")


def parked_for(seconds: float, status: int = 500, *, is_baseten: bool = True) -> object:
    failure = Failed("server_error", status, "Internal server error")
    settings = EndpointSettings("https://model-a.api.baseten.co/sync/v1", is_baseten=is_baseten)
    return after_failure(TryFailedError(failure, retryable=True), 1, seconds, settings)


def url_of(server: Loopback) -> str:
    return f"{server.url}{ROOT}/sync/v1"


async def test_it_is_woken_polled_and_asked_again(loopback: StartLoopback, ask: Ask) -> None:
    never = Reply(bare=True, end="hang")
    routes = {
        CHAT: [PARKED, answer()],
        WAKE: [WAKES],
        MODELS: [ASLEEP, never, Reply(bare=True, end="drop"), READY],
    }
    server = await loopback(routes=routes)

    events = await ask(url_of(server), **BASETEN)

    assert events == [WAKING, Started(200), ContentDelta("Hi"), Finished("stop")]
    asked = [f"{exchange.method} {exchange.path}" for exchange in server.exchanges]
    assert asked[:2] == [CHAT, WAKE]
    assert len(asked[2:-1]) >= len(routes[MODELS])
    assert set(asked[2:-1]) == {MODELS}
    assert asked[-1] == CHAT


async def test_a_failed_wake_is_left_to_the_polls(loopback: StartLoopback, ask: Ask) -> None:
    routes = {CHAT: [PARKED, answer()], WAKE: [ASLEEP], MODELS: [READY]}
    server = await loopback(routes=routes)

    assert (await ask(url_of(server), **BASETEN))[-1] == Finished("stop")


@pytest.mark.parametrize("route", [WAKE, MODELS])
async def test_a_refusal_while_it_wakes_ends_the_turn(
    loopback: StartLoopback, ask: Ask, route: str
) -> None:
    gone = Reply.json({"error": "Model is deactivated"}, 404)
    server = await loopback(routes={CHAT: [PARKED], WAKE: [WAKES], MODELS: [READY], route: [gone]})

    events = await ask(url_of(server), **BASETEN)

    assert events == [WAKING, Failed("server_error", 404, "Model is deactivated")]


async def test_a_model_that_does_not_wake_is_given_up(loopback: StartLoopback, ask: Ask) -> None:
    server = await loopback(routes={CHAT: [PARKED], WAKE: [WAKES], MODELS: [ASLEEP]})

    events = await ask(url_of(server), wake_limit_s=0.2, **BASETEN)

    assert events == [
        WAKING,
        Failed("timed_out", None, "The model did not wake within 0 minutes."),
    ]
    assert len(server.asked(CHAT)) == 1


async def test_the_time_for_the_turn_counts_while_it_wakes(
    loopback: StartLoopback, ask: Ask
) -> None:
    server = await loopback(routes={CHAT: [PARKED], WAKE: [WAKES], MODELS: [ASLEEP]})

    events = await ask(url_of(server), total_timeout_s=0.3, **BASETEN)

    assert events == [
        WAKING,
        Failed("timed_out", None, "The turn took longer than the 0.3 s allowed."),
    ]


async def test_the_key_goes_to_the_wake_as_well(loopback: StartLoopback, ask: Ask) -> None:
    routes = {CHAT: [PARKED, answer()], WAKE: [WAKES], MODELS: [READY]}
    server = await loopback(routes=routes)

    await ask(url_of(server), api_key=SecretStr("test-key-not-real"), **BASETEN)

    sent = {exchange.headers.get("authorization") for exchange in server.exchanges}
    assert sent == {"Bearer test-key-not-real"}


async def test_a_quick_500_is_only_tried_again(loopback: StartLoopback, ask: Ask) -> None:
    server = await loopback(Reply.json({"error": "oops"}, 500), answer())

    events = await ask(url_of(server), is_baseten=True)

    assert isinstance(events[0], Waiting)
    assert events[0].reason == "retry"
    assert events[1:] == [Started(200), ContentDelta("Hi"), Finished("stop")]


def test_five_minutes_of_parking_tell_a_wake_from_a_fault() -> None:
    assert parked_for(301) == WAKING
    assert isinstance(step := parked_for(299), Waiting)
    assert step.reason == "retry"
    assert isinstance(step := parked_for(301, is_baseten=False), Waiting)
    assert step.reason == "retry"


def test_the_time_limit_of_a_request_is_not_reached_twice() -> None:
    assert isinstance(parked_for(1200, status=504), Failed)
    assert isinstance(parked_for(10, status=504), Waiting)


async def test_cancelled_while_it_wakes(loopback: StartLoopback, ask: Ask) -> None:
    never = Reply(bare=True, end="hang")
    server = await loopback(routes={CHAT: [PARKED], WAKE: [WAKES], MODELS: [never]})
    task = asyncio.create_task(ask(url_of(server), **{**BASETEN, "wake_poll_s": 60}))
    poll = await server.exchange(2)

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(poll.left.wait(), 5)
