"""Baseten on loopback: a model that sleeps and wakes, the API that tells it, the simulator behind.

One address plays both of Baseten's: the management API under `/v1`, the model's own under
`/model-<id>`. What is asked of them is recorded. A test says how the model is, and waits for
requests; with `step_s` a woken model gets through its statuses by itself, for tests in which
the app runs in a process of its own.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

from pydantic import SecretStr
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.connections import baseten
from app.endpoint import EndpointSettings
from app.simulator import SimulatorSettings, create_simulator
from app.simulator.embedded import on_loopback

KEY: Final = "test-key-not-real-of-baseten"
MODEL_ID: Final = "abc1d2ef"
DEPLOYMENT_ID: Final = "wxyz789"
REQUEST_ID: Final = "request-on-loopback"

STATUS: Final = f"GET /v1/models/{MODEL_ID}/environments/production"
MODEL: Final = f"/model-{MODEL_ID}/environments/production"
WAKE: Final = f"POST {MODEL}/wake"
CHAT: Final = f"POST {MODEL}/sync/v1/chat/completions"
TOKENIZE: Final = f"POST {MODEL}/sync/tokenize"

_WATCHED = re.compile(rf"environments/(\w+)|deployments/({DEPLOYMENT_ID}|development)")
_PLACES = re.compile(
    rf"/model-{MODEL_ID}/(?:environments/production|production|development|"
    rf"deployment/{DEPLOYMENT_ID})(/.+)"
)
_SLEEPING = "SCALED_TO_ZERO"
_GONE = {"INACTIVE": 404, "DEACTIVATING": 404}
_BROKEN = frozenset({"FAILED", "BUILD_FAILED", "DEPLOY_FAILED", "BUILD_STOPPED", "UNHEALTHY"})


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it came."""

    route: str
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body, read as JSON."""
        return json.loads(self.body)


class LoopbackBaseten:
    """The ASGI application. `status` is that of the one deployment there is, of production.

    Waking, by `/wake` or by a request, takes it through `waking`, a status each `step_s`; without
    a step it stays at the first of them. `refused`, where set, is the status with which the
    management API answers all. A request is parked while the model is not ready, `parking_s`
    long; then it is lost.
    """

    def __init__(
        self,
        status: str = "ACTIVE",
        *,
        waking: Sequence[str] = ("WAKING_UP", "LOADING_MODEL", "ACTIVE"),
        step_s: float | None = None,
        parking_s: float = 1200.0,
        simulator: ASGIApp | None = None,
    ) -> None:
        self.asked: list[Asked] = []
        self.refused: int | None = None
        self._status: str | None = status
        self._waking = waking
        self._step_s = step_s
        self._parking_s = parking_s
        settings = SimulatorSettings(tokens_per_second=1e6)
        self._simulator = simulator or create_simulator(settings)
        self._changed = asyncio.Condition()
        self._walks: set[asyncio.Task[None]] = set()

    def routes(self) -> list[str]:
        """What was asked so far, such as "POST /model-…/wake"."""
        return [one.route for one in self.asked]

    async def become(self, status: str | None) -> None:
        """The deployment has this status from now on; None: there is no deployment."""
        async with self._changed:
            self._status = status
            self._changed.notify_all()

    async def until_asked(self, route: str, times: int = 1) -> None:
        """Returns once a route has been asked so many times in all."""
        async with self._changed:
            await self._changed.wait_for(lambda: self.routes().count(route) >= times)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        body = await _body_of(receive)
        headers = {name.decode(): value.decode("latin1") for name, value in scope["headers"]}
        path = scope["path"]
        async with self._changed:
            self.asked.append(Asked(f"{scope['method']} {path}", headers, body))
            self._changed.notify_all()
        known = headers.get("authorization") == f"Bearer {KEY}"
        if path.startswith("/v1/"):
            await self._tell_status(path, known=known)(scope, receive, send)
            return
        place = _PLACES.fullmatch(path)
        if not known:
            answer = _error(401, "please check the api-key you provided")
        elif place is None:
            answer = _error(404, "model does not exist")
        elif place[1] == "/wake":
            await self._wake()
            answer = JSONResponse({}, 202, _request_id())
        else:
            await self._infer(scope, place[1].removeprefix("/sync"), body, receive, send)
            return
        await answer(scope, receive, send)

    def _tell_status(self, path: str, *, known: bool) -> JSONResponse:
        if self.refused is not None:
            refusal = {"code": "REFUSED", "message": f"Refused, with the key {KEY}."}
            return JSONResponse(refusal, self.refused, _request_id())
        if not known:
            return JSONResponse({"code": "UNAUTHORIZED", "message": "Invalid API key"}, 401)
        watched = _WATCHED.fullmatch(path.removeprefix(f"/v1/models/{MODEL_ID}/"))
        if watched is None or watched[1] not in (None, "production"):
            return JSONResponse({"code": "NOT_FOUND", "message": "It does not exist"}, 404)
        deployment = None
        if self._status is not None:
            deployment = {"id": DEPLOYMENT_ID, "model_id": MODEL_ID, "status": self._status}
        if watched[1] is None:
            return JSONResponse(deployment)
        return JSONResponse({"name": watched[1], "current_deployment": deployment})

    async def _wake(self) -> None:
        if self._status != _SLEEPING:
            return
        await self.become(self._waking[0])
        if self._step_s is not None:
            walk = asyncio.create_task(self._walk(self._step_s))
            self._walks.add(walk)
            walk.add_done_callback(self._walks.discard)

    async def _walk(self, step_s: float) -> None:
        for status in self._waking[1:]:
            await asyncio.sleep(step_s)
            await self.become(status)

    async def _infer(
        self, scope: Scope, path: str, body: bytes, receive: Receive, send: Send
    ) -> None:
        """Parks the request until the model is ready, then hands it to the simulator."""
        await self._wake()
        gone = _GONE.get(self._status or "INACTIVE", 503 if self._status in _BROKEN else None)
        if gone is not None:
            await _error(gone, f"deployment is {self._status}")(scope, receive, send)
            return
        if not await self._parked(receive):
            await _error(500, "Error making prediction")(scope, receive, send)
            return

        async def send_named(message: Message) -> None:
            if message["type"] == "http.response.start":
                name = (b"x-baseten-request-id", REQUEST_ID.encode())
                message = {**message, "headers": [*message["headers"], name]}
            await send(message)

        inner = {**scope, "path": path, "raw_path": path.encode()}
        await self._simulator(inner, _again(body, receive), send_named)

    async def _parked(self, receive: Receive) -> bool:
        """Whether the model became ready before the parking ended, or the client left."""

        async def ready() -> None:
            async with self._changed:
                await self._changed.wait_for(lambda: self._status in ("ACTIVE", "UPDATING"))

        if self._status in ("ACTIVE", "UPDATING"):
            return True
        waits = {asyncio.ensure_future(ready()), asyncio.ensure_future(receive())}
        try:
            await asyncio.wait(waits, timeout=self._parking_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
                with suppress(asyncio.CancelledError):
                    await wait
        return self._status in ("ACTIVE", "UPDATING")

    async def close(self) -> None:
        """Ends what goes on by itself."""
        for walk in list(self._walks):
            walk.cancel()
        await asyncio.gather(*self._walks, return_exceptions=True)


@asynccontextmanager
async def serving_baseten(server: LoopbackBaseten) -> AsyncGenerator[str]:
    """Serves it on loopback; gives the address to set as BASETEN_API_URL."""
    async with on_loopback(server) as url:
        try:
            yield url
        finally:
            await server.close()


def environment(url: str) -> dict[str, str]:
    """The variables with which an app in a process of its own asks the model served at `url`."""
    return {"BASETEN_API_URL": url, "BASETEN_API_KEY": KEY, "BASETEN_MODEL_ID": MODEL_ID}


def endpoint_settings(url: str, key: str = KEY, **more: Any) -> EndpointSettings:
    """The same for an endpoint in this process, with all waits made short."""
    place = baseten(
        MODEL_ID, SecretStr(key), environment="production", deployment_id=None, api_url=url
    )
    quick = {
        "backoff_s": 0.001,
        "state_s": 0.0,
        "state_waking_s": 0.0,
        "wake_poll_s": 0.01,
        "wake_poll_limit_s": 0.02,
    }
    return EndpointSettings(
        place.base_url, place.api_key, status_url=place.status_url, **{**quick, **more}
    )


def _request_id() -> dict[str, str]:
    return {"X-Baseten-Request-Id": REQUEST_ID}


def _error(status: int, message: str) -> JSONResponse:
    return JSONResponse({"error": message, "error_code": "on_loopback"}, status, _request_id())


async def _body_of(receive: Receive) -> bytes:
    parts: list[bytes] = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(parts)


def _again(body: bytes, receive: Receive) -> Receive:
    """Gives a body that was read already once more, then what comes after it."""
    left = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return left.pop() if left else await receive()

    return replayed
