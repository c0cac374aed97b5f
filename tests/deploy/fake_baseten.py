"""Baseten on loopback: what truss, our own management client and a caller of the model talk to.

One listener plays every host: `/graphql/` is the app that truss pushes to, any other path without
a version is the storage that it uploads to, `/v1/` is the management API, `/model-<id>/` a model's
own address. Its text and its numbers are of this project's making; nothing here knows a network.
"""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import parse_qs, unquote, urlsplit

from tests.deploy.fake.graphql import REFUSED, answer_graphql, operation_of
from tests.deploy.fake.inference import answer_inference
from tests.deploy.fake.rest import UNAUTHORIZED, answer_management
from tests.deploy.fake.state import STATUSES, Account, Deployment, Promotion
from tests.deploy.fake.uploads import Storage
from tests.deploy.fake.wire import Answer, Asked

__all__ = ["API_KEY", "DROPPED", "STATUSES", "Asked", "FakeBaseten"]

API_KEY: Final = "test-key-not-real"
DROPPED: Final = 0
"""As the status of a fault: the connection is closed without an answer."""


@dataclass(slots=True)
class _Fault:
    pattern: re.Pattern[str]
    answer: Answer
    times: int
    after: int


@dataclass(slots=True)
class _Hold:
    pattern: re.Pattern[str]
    released: threading.Event


class FakeBaseten:
    """The server, from `start()` to `stop()` or for as long as a `with` block runs.

    Each new deployment goes through the statuses of `script`, one at each poll; at SCALED_TO_ZERO
    it stays until it is woken. `requests` is what was asked, in order. Ids count up, so
    that one run is like the last.
    """

    def __init__(
        self,
        *,
        api_key: str = API_KEY,
        script: Sequence[str] = ("BUILDING", "DEPLOYING", "LOADING_MODEL", "ACTIVE"),
        polls_per_status: int = 1,
        teams: Sequence[str] = ("Default",),
        validation: Mapping[str, Any] | None = None,
        promotion: Promotion = "when_serving",
        secrets: Sequence[str] = ("hf_access_token",),
    ) -> None:
        self.api_key = api_key
        self.requests: list[Asked] = []
        self._faults: list[_Fault] = []
        self._holds: list[_Hold] = []
        self._connections: set[socket.socket] = set()
        self._changed = threading.Condition(threading.RLock())
        self._server: _Listener | None = _Listener(("127.0.0.1", 0), self)
        self._port = int(self._server.server_address[1])
        self.url = f"http://127.0.0.1:{self._port}"
        listed = [
            {"id": f"team{number}", "name": name, "default": number == 0}
            for number, name in enumerate(teams)
        ]
        self.account = Account(
            self.url, listed, tuple(script), polls_per_status, promotion, validation or {}
        )
        for name in secrets:
            self.account.secrets_of(None)[name] = "not-real"
        self.storage = Storage()

    def start(self) -> Self:
        """Begins to answer; after `stop()` at the same address again."""
        if self._server is None:
            self._server = _Listener(("127.0.0.1", self._port), self)
        # Polled often, so that a test does not wait for the end.
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def stop(self) -> None:
        """Ends the server and what is connected to it; what it holds stays."""
        for hold in self._holds:
            hold.released.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
        with self._changed:
            connections, self._connections = self._connections, set()
        for connection in connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    # What a test tells it.

    def fail(
        self,
        pattern: str,
        status: int = 500,
        body: Any = None,
        *,
        times: int = 1,
        after: int = 0,
    ) -> None:
        """Requests that match "METHOD path operation" are answered so, `times` after the `after`.

        An error of GraphQL is status 200 with {"errors": [...]}; DROPPED closes the connection.
        """
        answer = Answer(status, {"error": "injected"} if body is None else body)
        self._faults.append(_Fault(re.compile(pattern), answer, times, after))

    def hold(self, pattern: str) -> threading.Event:
        """Requests that match are answered only once the event is set; they are recorded before."""
        hold = _Hold(re.compile(pattern), threading.Event())
        self._holds.append(hold)
        return hold.released

    def set_status(self, model_id: str, status: str, deployment_id: str | None = None) -> None:
        """One deployment, or all of a model, has this status from now on."""
        with self._changed:
            for deployment in self.account.models[model_id].deployments.values():
                if deployment_id in (None, deployment.id):
                    deployment.status, deployment.script = status, []

    def deployed(
        self, name: str, config: Mapping[str, Any] | None = None, status: str = "ACTIVE"
    ) -> Deployment:
        """A deployment that is there from the beginning, of production where it is the first."""
        with self._changed:
            model = self.account.model_named(name) or self.account.create_model(name)
            deployment = self.account.deploy(model, config or {})
            deployment.status, deployment.script = status, []
            return deployment

    def finish_promotions(self) -> None:
        """Lets what waits to take over an environment do so, and what comes later as well."""
        with self._changed:
            self.account.promotion = "when_serving"
            for model in self.account.models.values():
                self.account.settle(model)

    # What a test asks it.

    def asked(self, pattern: str) -> list[Asked]:
        """The requests so far that match "METHOD path operation"."""
        with self._changed:
            return [one for one in self.requests if re.search(pattern, f"{one.route} {one.op}")]

    def until_asked(self, pattern: str, times: int = 1, timeout_s: float = 30.0) -> None:
        """Returns once a request was answered so many times. Raises TimeoutError."""
        with self._changed:
            if not self._changed.wait_for(lambda: len(self.asked(pattern)) >= times, timeout_s):
                raise TimeoutError(f"nothing asked {pattern!r} {times} times")

    def deployments(self) -> list[Deployment]:
        """All deployments there are, in the order in which they came."""
        with self._changed:
            models = self.account.models.values()
            return [one for model in models for one in model.deployments.values()]

    def archive(self, deployment: Deployment) -> Mapping[str, bytes]:
        """The files that were uploaded for a deployment, by name."""
        return self.storage.archive(deployment.s3_key or "")

    # How it answers.

    def _answer(self, asked: Asked, raw: bytes) -> Answer:
        known = asked.headers.get("authorization") in (
            f"Bearer {self.api_key}",
            f"Api-Key {self.api_key}",
        )
        fault = self._fault_of(f"{asked.route} {asked.op}")
        if fault is not None:
            return fault
        if asked.op:
            return answer_graphql(self.account, asked.body) if known else REFUSED
        if asked.path.startswith("/v1/"):
            return answer_management(self.account, asked) if known else UNAUTHORIZED
        if asked.path.startswith("/model-"):
            return answer_inference(self.account, asked, known=known)
        return self.storage.answer(asked, raw)

    def _fault_of(self, what: str) -> Answer | None:
        for fault in self._faults:
            if fault.times <= 0 or not fault.pattern.search(what):
                continue
            if fault.after > 0:
                fault.after -= 1
                continue
            fault.times -= 1
            return fault.answer
        return None

    @contextmanager
    def _exchange(self, asked: Asked, raw: bytes) -> Iterator[Answer]:
        """Gives the answer to send; the request is recorded once it was sent, or is held."""
        asked.op = _operation(asked)
        what = f"{asked.route} {asked.op}"
        held = [hold for hold in self._holds if hold.pattern.search(what)]
        if held:
            self._record(asked)
        for hold in held:
            hold.released.wait()
        with self._changed:
            answer = self._answer(asked, raw)
            asked.status = answer.status
        try:
            yield answer
        finally:
            if not held:
                self._record(asked)

    def _record(self, asked: Asked) -> None:
        with self._changed:
            self.requests.append(asked)
            self._changed.notify_all()

    def _connected(self, connection: socket.socket, *, open_: bool) -> None:
        with self._changed:
            (self._connections.add if open_ else self._connections.discard)(connection)


def _operation(asked: Asked) -> str:
    """What a question of GraphQL asks; nothing for other requests."""
    if asked.path.rstrip("/") == "/graphql" and isinstance(asked.body, dict):
        return f"graphql-{operation_of(asked.body.get('query', ''))}"
    return ""


class _Listener(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], fake: FakeBaseten) -> None:
        self.fake = fake
        super().__init__(address, _Handler)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # The head and the body are written apart: each goes at once.
    disable_nagle_algorithm = True
    server: _Listener

    def setup(self) -> None:
        super().setup()
        self.server.fake._connected(self.connection, open_=True)

    def finish(self) -> None:
        self.server.fake._connected(self.connection, open_=False)
        with suppress(OSError):
            super().finish()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Nothing: a test looks at what was recorded."""

    def _respond(self) -> None:
        raw = self._body()
        parts = urlsplit(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        body: Any = raw
        if "json" in headers.get("content-type", ""):
            body = json.loads(raw or b"null")
        query = parse_qs(parts.query, keep_blank_values=True)
        asked = Asked(self.command, unquote(parts.path), query, headers, body)
        with self.server.fake._exchange(asked, raw) as answer, suppress(ConnectionError):
            if answer.status == DROPPED:
                self.close_connection = True
            else:
                self._send(answer)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = _respond  # noqa: N815

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        return body

    def _send(self, answer: Answer) -> None:
        payload = answer.payload()
        content_type = answer.content_type
        if answer.events:
            content_type = "text/event-stream"
            written = (one if isinstance(one, str) else json.dumps(one) for one in answer.events)
            payload = b"".join(f"data: {one}\n\n".encode() for one in written)
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)
