"""A Baseten model scaled to zero: it is woken, its status asked for, and then the turn sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, aclosing
from typing import Any, TypeAlias

import pytest

from app.chat.events import ContentDelta, Event, Failed, Finished, Started, Waiting
from app.chat.request import Request
from app.endpoint import Endpoint, EndpointSettings
from app.endpoint.errors import TryFailedError
from app.endpoint.retry import after_failure
from tests.baseten import (
    CHAT,
    KEY,
    REQUEST_ID,
    STATUS,
    TOKENIZE,
    WAKE,
    LoopbackBaseten,
    endpoint_settings,
    serving_baseten,
)
from tests.conftest import StartLoopback
from tests.endpoint.conftest import Ask
from tests.loopback import HANG_UP, SILENCE, Reply, answer

Connect: TypeAlias = Callable[..., Awaitable[Endpoint]]

ASKED = Request({"messages": [{"role": "user", "content": "Hello"}], "stream": True})
WAKING = Waiting("waking", 1, None, "The model is waking up, which is billed.", billed=True)


@pytest.fixture
async def connect() -> AsyncIterator[Connect]:
    """Connects to a model on Baseten, as the settings of the app would."""
    async with AsyncExitStack() as running:

        async def connect(server: LoopbackBaseten, *, key: str = KEY, **more: Any) -> Endpoint:
            url = await running.enter_async_context(serving_baseten(server))
            settings = endpoint_settings(url, key, **more)
            return await running.enter_async_context(Endpoint(settings))

        yield connect


async def turn(endpoint: Endpoint) -> list[Event]:
    return [event async for event in endpoint.stream(ASKED)]


@pytest.mark.parametrize("status", ["SCALED_TO_ZERO", "WAKING_UP", "LOADING_MODEL", "DEPLOYING"])
async def test_a_model_is_woken_and_asked_when_it_is_ready(connect: Connect, status: str) -> None:
    server = LoopbackBaseten(status)
    endpoint = await connect(server)
    running = asyncio.create_task(turn(endpoint))
    await server.until_asked(WAKE)
    for starting in ("WAKING_UP", "LOADING_MODEL"):
        await server.become(starting)
        await server.until_asked(STATUS, server.routes().count(STATUS) + 2)
    assert CHAT not in server.routes()
    await server.become("ACTIVE")

    events = await running

    assert events[:2] == [WAKING, Started(200, REQUEST_ID)]
    assert Finished in map(type, events)
    assert server.routes()[0] == STATUS
    assert server.routes().count(WAKE) == server.routes().count(CHAT) == 1
    assert server.routes()[-1] == CHAT


async def test_a_woken_model_gets_through_its_statuses_by_itself(connect: Connect) -> None:
    server = LoopbackBaseten("SCALED_TO_ZERO", step_s=0.02)

    events = await turn(await connect(server))

    assert events[:2] == [WAKING, Started(200, REQUEST_ID)]


async def test_a_model_that_is_ready_is_looked_at_once_for_many_turns(connect: Connect) -> None:
    server = LoopbackBaseten("ACTIVE")
    endpoint = await connect(server, state_s=60.0)

    for _ in range(3):
        assert (await turn(endpoint))[0] == Started(200, REQUEST_ID)

    assert server.routes() == [STATUS, CHAT, CHAT, CHAT]


async def test_closed_at_the_wait_nothing_is_woken(connect: Connect) -> None:
    server = LoopbackBaseten("SCALED_TO_ZERO")
    async with aclosing((await connect(server)).stream(ASKED)) as events:
        assert await anext(events) == WAKING

    assert server.routes() == [STATUS]


async def test_cancelled_while_it_wakes_nothing_is_sent(connect: Connect) -> None:
    server = LoopbackBaseten("SCALED_TO_ZERO")
    endpoint = await connect(server)
    running = asyncio.create_task(turn(endpoint))
    await server.until_asked(STATUS, 3)

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(running, 5)

    await endpoint.state()  # ends with the look that was under way
    await server.become("ACTIVE")
    assert (await endpoint.state()).state == "ready"
    assert CHAT not in server.routes()


@pytest.mark.parametrize("refusal", [401, 403, 404, 503])
async def test_where_the_status_is_not_told_the_turn_is_sent_as_it_is(
    connect: Connect, refusal: int
) -> None:
    server = LoopbackBaseten("SCALED_TO_ZERO", step_s=0.01)
    server.refused = refusal

    events = await turn(await connect(server))

    assert events[0] == Started(200, REQUEST_ID)
    assert server.routes() == [STATUS, CHAT]


async def test_where_the_management_api_is_silent_or_away_the_turn_is_sent(
    loopback: StartLoopback, ask: Ask
) -> None:
    for silent in (SILENCE, HANG_UP):
        management, model = await loopback(silent), await loopback(answer())

        events = await ask(model, status_url=management.url, state_timeout_s=0.05)

        assert events == [Started(200), ContentDelta("Hi"), Finished("stop")]


async def test_a_deployment_that_fails_while_it_wakes_ends_the_turn(connect: Connect) -> None:
    server = LoopbackBaseten("SCALED_TO_ZERO", waking=("LOADING_MODEL", "FAILED"), step_s=0.01)

    events = await turn(await connect(server))

    message = (
        "The deployment failed (FAILED): look at its logs on Baseten, then deploy the model again."
    )
    assert events == [WAKING, Failed("server_error", None, message)]
    assert CHAT not in server.routes()


async def test_a_model_that_does_not_wake_is_given_up(connect: Connect) -> None:
    server = LoopbackBaseten("SCALED_TO_ZERO")

    events = await turn(await connect(server, wake_limit_s=0.1))

    message = (
        "The model did not wake within 0 minutes: look at its logs on Baseten, or send again later."
    )
    assert events == [WAKING, Failed("timed_out", None, message)]
    assert CHAT not in server.routes()


async def test_the_time_for_the_turn_counts_while_it_wakes(connect: Connect) -> None:
    server = LoopbackBaseten("SCALED_TO_ZERO")

    events = await turn(await connect(server, total_timeout_s=0.1))

    message = "The turn took longer than the 0.1 s allowed."
    assert events == [WAKING, Failed("timed_out", None, message)]


async def test_a_wrong_key_is_told_in_the_words_of_the_model_server(connect: Connect) -> None:
    server = LoopbackBaseten("SCALED_TO_ZERO")
    other = "another-test-key-not-real"
    endpoint = await connect(server, key=other)
    assert (await endpoint.state()).state == "unknown"

    events = await turn(endpoint)

    refused = Failed("server_error", 401, "please check the api-key you provided", REQUEST_ID)
    assert events == [refused]
    assert {one.headers["authorization"] for one in server.asked} == {f"Bearer {other}"}


async def test_many_turns_that_wait_for_a_wake_share_the_looks(connect: Connect) -> None:
    server = LoopbackBaseten("SCALED_TO_ZERO")
    endpoint = await connect(server, state_waking_s=60.0, wake_poll_s=60.0, state_s=60.0)
    running = [asyncio.create_task(turn(endpoint)) for _ in range(8)]
    await server.until_asked(WAKE, 8)

    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)

    assert server.routes().count(STATUS) == 1


async def test_tokens_are_counted_without_waking(connect: Connect) -> None:
    server = LoopbackBaseten("SCALED_TO_ZERO")
    endpoint = await connect(server)

    assert await endpoint.count_tokens("Hello") is None
    assert await endpoint.count_prompt(ASKED.body) is None
    assert set(server.routes()) == {STATUS}

    await server.become("ACTIVE")
    assert await endpoint.count_tokens("Hello there") == 3
    assert server.routes()[-1] == TOKENIZE


# A request that was parked all the same, since the management API does not tell.

PARKED = Reply([0.1, b'{"error": "Timed out waiting"}'], 500, "application/json")
ASLEEP = Reply.json({"error": "No replica is ready"}, 503)
MODELS = Reply.json({"object": "list", "data": []})
GONE = Reply.json({"error": "Model is deactivated"}, 404)
WAKES = Reply.json({}, 202)
PARKED_BEFORE = Waiting("waking", 2, None, "The model is waking up, which is billed.", billed=True)
ROUTES = {
    "chat": CHAT,
    "wake": WAKE,
    "models": f"GET {WAKE.removeprefix('POST ').removesuffix('/wake')}/sync/v1/models",
    "status": STATUS,
}
PARKING = {"parking_s": 0.05, "state_timeout_s": 0.05}


async def parked_turn(
    loopback: StartLoopback, routes: dict[str, list[Reply]], **settings: Any
) -> tuple[list[Event], list[str]]:
    refused = {"status": [Reply.json({"message": "no"}, 403)]}
    named = {ROUTES[name]: replies for name, replies in {**refused, **routes}.items()}
    server = await loopback(routes=named)
    async with Endpoint(endpoint_settings(server.url, **{**PARKING, **settings})) as endpoint:
        events = await turn(endpoint)
    names = {route: name for name, route in ROUTES.items()}
    return events, [names[f"{one.method} {one.path}"] for one in server.exchanges]


async def test_a_lost_request_wakes_the_model_and_is_sent_again(loopback: StartLoopback) -> None:
    looks = [ASLEEP, SILENCE, HANG_UP, MODELS]
    routes = {"chat": [PARKED, answer()], "wake": [WAKES], "models": looks}

    events, asked = await parked_turn(loopback, routes)

    assert events == [PARKED_BEFORE, Started(200), ContentDelta("Hi"), Finished("stop")]
    assert asked[:3] == ["status", "chat", "wake"]
    assert asked.count("models") >= len(looks)
    assert asked[-1] == "chat"


async def test_after_a_lost_request_a_status_is_enough(loopback: StartLoopback) -> None:
    told = [
        Reply.json({"current_deployment": {"status": status}})
        for status in ("ACTIVE", "SCALED_TO_ZERO", "WAKING_UP", "ACTIVE")
    ]
    routes = {"chat": [PARKED, answer()], "wake": [WAKES], "status": told}

    events, asked = await parked_turn(loopback, routes)

    assert events == [PARKED_BEFORE, Started(200), ContentDelta("Hi"), Finished("stop")]
    assert "models" not in asked


async def test_a_failed_wake_is_left_to_the_looks(loopback: StartLoopback) -> None:
    routes = {"chat": [PARKED, answer()], "wake": [ASLEEP], "models": [MODELS]}

    assert (await parked_turn(loopback, routes))[0][-1] == Finished("stop")


@pytest.mark.parametrize("refusing", ["wake", "models"])
async def test_a_refusal_while_it_wakes_ends_the_turn(
    loopback: StartLoopback, refusing: str
) -> None:
    routes = {"chat": [PARKED], "wake": [WAKES], "models": [MODELS], refusing: [GONE]}

    events, _ = await parked_turn(loopback, routes)

    assert events == [PARKED_BEFORE, Failed("server_error", 404, "Model is deactivated")]


async def test_a_quick_500_is_only_tried_again(loopback: StartLoopback) -> None:
    routes = {"chat": [Reply.json({"error": "oops"}, 500), answer()]}

    events, asked = await parked_turn(loopback, routes, parking_s=300.0)

    assert isinstance(events[0], Waiting)
    assert events[0].reason == "retry"
    assert events[1:] == [Started(200), ContentDelta("Hi"), Finished("stop")]
    assert "wake" not in asked


def parked_for(seconds: float, status: int = 500, status_url: str = STATUS) -> Event:
    failure = Failed("server_error", status, "Internal server error")
    settings = EndpointSettings("https://model-a.example/sync/v1", status_url=status_url)
    return after_failure(TryFailedError(failure, retryable=True), 1, seconds, settings)


def test_five_minutes_of_parking_tell_a_wake_from_a_fault() -> None:
    assert parked_for(301) == PARKED_BEFORE
    assert isinstance(step := parked_for(299), Waiting)
    assert step.reason == "retry"
    assert isinstance(step := parked_for(301, status_url=""), Waiting)
    assert step.reason == "retry"


def test_the_time_limit_of_a_request_is_not_reached_twice() -> None:
    assert isinstance(parked_for(1200, status=504), Failed)
    assert isinstance(parked_for(10, status=504), Waiting)
