"""How a server is: what a look tells, how long it is believed, and what turns tell beside it."""

from __future__ import annotations

import asyncio
import logging
import socket
from time import monotonic
from typing import Any

import pytest
from pydantic import SecretStr

from app.chat.events import Failed
from app.chat.request import Request
from app.endpoint import Endpoint, EndpointSettings, ServerState
from app.endpoint.looks import read_deployment
from app.endpoint.state import StateWatch
from tests.baseten import (
    KEY,
    REQUEST_ID,
    STATUS,
    LoopbackBaseten,
    endpoint_settings,
    serving_baseten,
)
from tests.conftest import StartLoopback
from tests.loopback import HANG_UP, SILENCE, Loopback, Reply, answer

MODELS = Reply.json({"object": "list", "data": [{"id": "glm", "max_model_len": 1_048_576}]})


def connect(server: Loopback | str, **settings: Any) -> Endpoint:
    url = server if isinstance(server, str) else server.url
    return Endpoint(EndpointSettings(f"{url}/v1", **{"backoff_s": 0.001, "tries": 1, **settings}))


async def look(server: Loopback | str, **settings: Any) -> ServerState:
    async with connect(server, **settings) as endpoint:
        return await endpoint.state()


def without_time(state: ServerState) -> tuple[str, str, str | None]:
    return state.state, state.message, state.request_id


async def test_a_server_that_lists_its_models_is_ready(loopback: StartLoopback) -> None:
    server = await loopback(MODELS)

    state = await look(server, api_key=SecretStr(KEY))

    assert (state.state, state.message, state.billed) == ("ready", "", False)
    assert state.context_tokens == 1_048_576
    assert state.since_s is not None
    assert server.asked("GET /v1/models")[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("models", "context"),
    [
        ([], None),
        ([{"id": "other", "max_model_len": 7}], 7),
        ([{"id": "other", "max_model_len": 7}, {"id": "glm", "max_model_len": 9}], 9),
        ([{"id": "other", "max_model_len": 7}, {"id": "glm"}], None),
        ([{"id": "glm", "max_model_len": "9"}], None),
        ([{"id": "glm", "max_model_len": True}], None),
        (["glm"], None),
    ],
)
async def test_the_context_is_that_of_the_model_that_is_asked(
    loopback: StartLoopback, models: list[Any], context: int | None
) -> None:
    server = await loopback(Reply.json({"data": models}))

    state = await look(server, model="glm")

    assert (state.state, state.context_tokens) == ("ready", context)


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (
            Reply.json({"error": "Unauthorized"}, 401, x_request_id="abc"),
            ("unreachable", "Unauthorized", "abc"),
        ),
        (Reply.json({"error": {"message": "No"}}, 403), ("unreachable", "No", None)),
        (Reply.json({"error": "broken"}, 502), ("unreachable", "broken", None)),
        (Reply.json({"detail": "Not Found"}, 404), ("unknown", "Not Found", None)),
        (Reply.json({"error": "busy"}, 429), ("unknown", "busy", None)),
        (SILENCE, ("unknown", "", None)),
    ],
)
async def test_a_refusal_is_told_in_the_servers_own_words(
    loopback: StartLoopback, reply: Reply, told: tuple[str, str, str | None]
) -> None:
    assert without_time(await look(await loopback(reply), state_timeout_s=0.05)) == told


async def test_a_page_in_place_of_models_says_nothing(loopback: StartLoopback) -> None:
    server = await loopback(Reply((b"<html>hello</html>",), content_type="text/html"))

    state = await look(server)

    assert state.state == "unknown"
    assert state.message.endswith("answers, but not with a list of models: <html>hello</html>")


async def test_a_list_of_models_without_an_end_is_not_read_to_its_end(
    loopback: StartLoopback,
) -> None:
    """It would fill the memory for as long as the look may take."""
    megabyte = b" " * 1_000_000
    server = await loopback(Reply((megabyte,) * 40, content_type="application/json", end="hang"))

    state = await look(server, state_timeout_s=60)

    assert state.state == "unknown", "with a look that took all its time it is unreachable"


async def test_a_server_that_is_away_is_unreachable(loopback: StartLoopback) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]

    state = await look(f"http://127.0.0.1:{port}")

    message = f"No connection to 127.0.0.1:{port}: connection refused."
    assert without_time(state) == ("unreachable", message, None)
    assert (await look(await loopback(HANG_UP))).state == "unreachable"


async def test_however_many_ask_one_look_is_made(loopback: StartLoopback) -> None:
    go_on = asyncio.Event()
    server = await loopback(Reply((go_on, *MODELS.parts), content_type="application/json"))
    async with connect(server) as endpoint:
        asking = [asyncio.create_task(endpoint.state()) for _ in range(20)]
        await server.exchange(0)
        asking.pop().cancel()
        go_on.set()

        assert {state.state for state in await asyncio.gather(*asking)} == {"ready"}
        assert (await endpoint.state()).state == "ready"
    assert len(server.exchanges) == 1


@pytest.mark.parametrize(
    ("state", "looks"), [("ready", 1), ("asleep", 1), ("unreachable", 1), ("waking", 3)]
)
async def test_only_a_server_that_wakes_is_looked_at_again_soon(state: Any, looks: int) -> None:
    made = 0

    async def look_once() -> ServerState:
        nonlocal made
        made += 1
        return ServerState(state)

    settings = EndpointSettings("http://127.0.0.1:1/v1", state_s=60.0, state_waking_s=0.0)
    watch = StateWatch(look_once, settings)
    for _ in range(3):
        assert (await watch.state()).state == state
    assert made == looks


async def test_the_time_of_a_state_runs_until_it_changes() -> None:
    seen = iter([ServerState("waking"), ServerState("waking", "still"), ServerState("ready")])

    async def look_once() -> ServerState:
        return next(seen)

    settings = EndpointSettings("http://127.0.0.1:1/v1", state_s=0.0, state_waking_s=0.0)
    watch = StateWatch(look_once, settings)
    assert (await watch.state()).since_s is not None
    first_known = monotonic()
    await asyncio.sleep(0.01)
    passed = monotonic() - first_known
    assert ((await watch.state()).since_s or 0.0) >= passed
    before = monotonic()
    since_s = (await watch.state()).since_s
    assert since_s is not None
    assert since_s <= monotonic() - before


async def test_a_look_without_an_answer_leaves_what_was_known(loopback: StartLoopback) -> None:
    server = await loopback(MODELS, SILENCE)
    async with connect(server, state_s=0.0, state_timeout_s=0.05) as endpoint:
        first, second = await endpoint.state(), await endpoint.state()

    assert first.state == second.state == "ready"
    assert len(server.exchanges) == 2


async def turn(endpoint: Endpoint) -> Any:
    return [event async for event in endpoint.stream(Request({}))][-1]


async def test_a_turn_asks_for_no_state_and_its_answer_tells_one(
    loopback: StartLoopback,
) -> None:
    busy = Reply.json({"error": "down"}, 503)
    server = await loopback(
        routes={"GET /v1/models": [busy], "POST /v1/chat/completions": [answer()]}
    )
    async with connect(server, state_s=60.0) as endpoint:
        assert (await endpoint.state()).state == "unreachable"
        await turn(endpoint)
        assert without_time(await endpoint.state()) == ("ready", "", None)
    assert len(server.asked("GET /v1/models")) == 1


async def test_a_turn_without_a_connection_tells_it(loopback: StartLoopback) -> None:
    server = await loopback(
        routes={"GET /v1/models": [MODELS], "POST /v1/chat/completions": [HANG_UP]}
    )
    async with connect(server, state_s=60.0) as endpoint:
        assert (await endpoint.state()).state == "ready"
        failure = await turn(endpoint)
        state = await endpoint.state()

    assert isinstance(failure, Failed)
    assert without_time(state) == ("unreachable", failure.message, None)
    assert state.context_tokens == 1_048_576


async def test_a_look_that_began_before_a_turn_does_not_unsay_it(loopback: StartLoopback) -> None:
    go_on = asyncio.Event()
    late = Reply((go_on, b"{}"), 503, "application/json")
    server = await loopback(
        routes={"GET /v1/models": [late], "POST /v1/chat/completions": [answer()]}
    )
    async with connect(server, state_s=60.0) as endpoint:
        looking = asyncio.create_task(endpoint.state())
        await server.exchange(0)
        await turn(endpoint)
        go_on.set()

        assert (await looking).state == "ready"


@pytest.mark.parametrize(
    ("status", "state", "billed"),
    [
        ("ACTIVE", "ready", True),
        ("UPDATING", "ready", True),
        ("SCALED_TO_ZERO", "asleep", False),
        ("WAKING_UP", "waking", True),
        ("LOADING_MODEL", "waking", True),
        ("DEPLOYING", "waking", True),
        ("BUILDING", "waking", True),
        ("INACTIVE", "unreachable", False),
        ("DEACTIVATING", "unreachable", False),
        ("UNHEALTHY", "unreachable", True),
        ("FAILED", "unreachable", False),
        ("BUILD_FAILED", "unreachable", False),
        ("DEPLOY_FAILED", "unreachable", False),
        ("BUILD_STOPPED", "unreachable", False),
        ("MIGRATION_FAILED", "unreachable", False),
        ("POLISHING", "unknown", False),
    ],
)
async def test_the_status_of_a_deployment(status: str, state: str, billed: bool) -> None:
    server = LoopbackBaseten(status)
    async with serving_baseten(server) as url, Endpoint(endpoint_settings(url)) as endpoint:
        seen = await endpoint.state()

    assert (seen.state, seen.billed) == (state, billed)
    if state in ("unreachable", "unknown"):
        assert status in seen.message
    assert server.routes() == [STATUS]


async def test_an_environment_without_a_deployment_says_what_to_do() -> None:
    server = LoopbackBaseten()
    await server.become(None)
    async with serving_baseten(server) as url, Endpoint(endpoint_settings(url)) as endpoint:
        seen = await endpoint.state()

    message = "The environment has no deployment: deploy the model on Baseten first."
    assert without_time(seen) == ("unreachable", message, None)


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"status": 7}', b"null", b'"ACTIVE"'])
def test_an_answer_without_a_status_says_nothing(data: bytes) -> None:
    assert read_deployment(data).state == "unknown"


def test_a_deployment_by_itself_has_its_status_at_the_top() -> None:
    assert read_deployment(b'{"id": "x", "status": "ACTIVE"}').state == "ready"


async def test_the_key_is_in_no_state_and_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server = LoopbackBaseten()
    server.refused = 403
    async with serving_baseten(server) as url, Endpoint(endpoint_settings(url)) as endpoint:
        seen = await endpoint.state()
        assert KEY not in repr(endpoint) + repr(vars(endpoint))

    message = "Baseten does not tell whether the model is awake: Refused, with the key [API key]."
    assert without_time(seen) == ("unknown", message, REQUEST_ID)
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert KEY not in caplog.text


async def test_closing_ends_a_look_that_is_under_way(loopback: StartLoopback) -> None:
    server = await loopback(SILENCE)
    endpoint = connect(server, state_timeout_s=60.0)
    asking = asyncio.create_task(endpoint.state())
    exchange = await server.exchange(0)

    await endpoint.close()

    await asyncio.wait_for(exchange.left.wait(), 5)
    await asyncio.wait((asking,))
