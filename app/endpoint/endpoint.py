"""One request to the model server, as the stream of a turn's events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, suppress
from dataclasses import replace
from types import TracebackType
from typing import Final, Self, TypeVar

from app.chat.events import Event, Failed, Started, Waiting
from app.chat.request import Request
from app.endpoint.answer import AnswerReader
from app.endpoint.connection import Connection
from app.endpoint.deadline import Deadline
from app.endpoint.errors import (
    TRANSPORT_ERRORS,
    TryFailedError,
    failed_to_read,
    request_id_of,
)
from app.endpoint.retry import after_failure
from app.endpoint.settings import EndpointSettings
from app.endpoint.waking import wake
from app.endpoint.wire_json import encode_body

_Worded = TypeVar("_Worded", Waiting, Started, Failed)

_REUSE_S: Final = 0.05
"""How long the end of a body is waited for after its last event, to keep the connection."""

_SHORTEST_SECRET: Final = 8
"""A shorter key, such as `none`, is no secret, and would be a piece of ordinary words."""


class Endpoint:
    """A model server to ask. Use it on one event loop, and close it at the end."""

    def __init__(self, settings: EndpointSettings) -> None:
        self._settings = settings
        self._connection = Connection(settings)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends all connections. Close the streams first: one still read is not told."""
        await self._connection.close()

    async def stream(
        self, request: Request, *, extra_headers: Mapping[str, str] | None = None
    ) -> AsyncGenerator[Event, None]:
        """The events of one turn, retries and waits included; nothing is raised but to end it.

        Closing the generator, or cancelling the task that reads it, closes the socket, which is
        what stops the model: read it under `contextlib.aclosing`. Before each new try comes a
        Waiting, with the number of that try. A Failed is the last event. An answer that ended
        without a finish_reason and without an error just ends.

        A try is made again on 429, 5xx and lost connections as long as nothing of an answer came,
        `settings.tries` times in all.
        """
        deadline = Deadline(self._settings.total_timeout_s)
        body = encode_body(request.body)
        clock = asyncio.get_running_loop().time
        tries = 0
        while True:
            tries += 1
            began = clock()
            try:
                async with aclosing(self._try(body, extra_headers or {}, deadline)) as events:
                    async for event in events:
                        yield event
                return
            except TryFailedError as error:
                step = after_failure(error, tries, clock() - began, self._settings)
            if isinstance(step, Failed):
                yield self._without_key(step)
                return
            yield self._without_key(step)
            try:
                await deadline.limit(self._wait(step))
            except TryFailedError as error:
                yield self._without_key(error.failure)
                return

    async def _try(
        self, body: bytes, headers: Mapping[str, str], deadline: Deadline
    ) -> AsyncGenerator[Event, None]:
        """The events of one try; raises TryFailedError where it does not come to an end."""
        response = await deadline.limit(self._connection.complete(body, headers))
        try:
            request_id = request_id_of(response.headers)
            yield self._without_key(Started(response.status_code, request_id))
            reader = AnswerReader(response.headers.get("content-type", ""), request_id)
            stream = response.aiter_bytes()
            while not reader.ended:
                try:
                    data = await self._read(stream, deadline, finished=reader.finished)
                except TryFailedError as error:
                    events = reader.end(broken=True)
                    for event in events:
                        yield self._without_key(event) if type(event) is Failed else event
                    if reader.finished or (events and type(events[-1]) is Failed):
                        return
                    failure = replace(error.failure, request_id=request_id)
                    retryable = error.retryable and not reader.produced
                    raise TryFailedError(failure, retryable=retryable) from None
                for event in reader.feed(data) if data else reader.end():
                    yield self._without_key(event) if type(event) is Failed else event
            if reader.finished:
                await _read_rest(stream)
        finally:
            with suppress(*TRANSPORT_ERRORS):
                await response.aclose()

    async def _read(
        self, stream: AsyncIterator[bytes], deadline: Deadline, *, finished: bool
    ) -> bytes:
        """The next bytes of the body; none at its end. Raises TryFailedError."""
        settings = self._settings
        silence_s = settings.ending_timeout_s if finished else settings.silence_timeout_s
        try:
            return await deadline.limit(anext(stream, b""), silence_s)
        except TRANSPORT_ERRORS as error:
            raise failed_to_read(error, settings) from None

    async def _wait(self, step: Waiting) -> None:
        """Raises TryFailedError where there is nothing to wait for."""
        if step.reason == "waking":
            await wake(self._connection, self._settings)
        else:
            await asyncio.sleep(step.seconds or 0.0)

    def _without_key(self, event: _Worded) -> _Worded:
        """The same event; a server that repeats the key in its message is not quoted on it."""
        secret = self._settings.api_key
        key = secret.get_secret_value() if secret else ""
        if len(key) < _SHORTEST_SECRET:
            return event
        told = event
        if not isinstance(told, Started):
            told = replace(told, message=told.message.replace(key, "[API key]"))
        if not isinstance(told, Waiting) and told.request_id is not None:
            told = replace(told, request_id=told.request_id.replace(key, "[API key]"))
        return told


async def _read_rest(stream: AsyncIterator[bytes]) -> None:
    """Lets the body come to its end, without which its connection could not be used again."""
    with suppress(*TRANSPORT_ERRORS):
        async with asyncio.timeout(_REUSE_S):
            await anext(stream, b"")
