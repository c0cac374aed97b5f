"""One model server: a turn as the stream of its events, the server's state, and its tokenizer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing, suppress
from dataclasses import replace
from types import TracebackType
from typing import Any, Final, Self

import httpx2

from app.chat.events import Event, Failed, Started, Waiting
from app.chat.request import Request
from app.endpoint.answer import AnswerReader
from app.endpoint.connection import Connection
from app.endpoint.counting import prompt_question, read_count, text_question
from app.endpoint.deadline import Deadline
from app.endpoint.errors import (
    TRANSPORT_ERRORS,
    TryFailedError,
    failed_to_read,
    request_id_of,
    too_large,
)
from app.endpoint.looks import look
from app.endpoint.redaction import Redactor
from app.endpoint.retry import after_failure, waking
from app.endpoint.settings import EndpointSettings
from app.endpoint.state import ServerState, StateWatch
from app.endpoint.waking import wake
from app.endpoint.wire_json import encode_body

_REUSE_S: Final = 0.05
"""How long the end of a body is waited for after its last event, to keep the connection."""


def _unheard(_data: bytes) -> None:
    """Nobody asks for the bytes of an answer."""


class Endpoint:
    """A model server to ask. Use it on one event loop, and close it at the end."""

    def __init__(self, settings: EndpointSettings) -> None:
        self._settings = settings
        self._connection = connection = Connection(settings)
        self._watch = StateWatch(lambda: look(connection, settings), settings)
        self._without_key = Redactor(settings.api_key)

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
        await self._watch.close()
        await self._connection.close()

    @property
    def base_url(self) -> str:
        """Where requests go, before `/chat/completions`."""
        return self._settings.base_url

    async def state(self, max_age_s: float | None = None) -> ServerState:
        """How the server is, from memory where that is `max_age_s` old at most, or some seconds.

        It takes no longer than `settings.state_timeout_s`, raises nothing, and wakes nothing.
        """
        return self._without_key(await self._watch.state(max_age_s))

    async def count_tokens(self, text: str) -> int | None:
        """How many tokens a text is, by the server's tokenizer.

        None where that does not answer in `settings.state_timeout_s`; a model that sleeps is not
        asked.
        """
        return await self._count(text_question(self._settings.model, text))

    async def count_prompt(self, body: Mapping[str, Any]) -> int | None:
        """How many tokens the prompt of a chat request is, without its pictures and clips.

        None as for `count_tokens`.
        """
        return await self._count(prompt_question(body))

    async def stream(
        self,
        request: Request,
        *,
        extra_headers: Mapping[str, str] | None = None,
        on_bytes: Callable[[bytes], None] = _unheard,
    ) -> AsyncGenerator[Event, None]:
        """The events of one turn, retries and waits included; nothing is raised but to end it.

        Closing the generator, or cancelling the task that reads it, closes the socket, which is
        what stops the model: read it under `contextlib.aclosing`. Before each new try comes a
        Waiting, with the number of that try. A Failed is the last event. An answer that ended
        without a finish_reason and without an error just ends.

        A try is made again on 429, 5xx and lost connections as long as nothing of an answer came,
        `settings.tries` times in all. A model that sleeps, or is waking, is woken and waited for
        before the first. `on_bytes` gets the body of the answer as it comes, before its
        events, without the key; of an HTTP error that ends the turn, its body. What a try that is
        made again had brought was given to it too.
        """
        deadline = Deadline(self._settings.total_timeout_s)
        body = encode_body(request.body)
        if len(body) > self._settings.max_request_bytes:
            yield too_large(len(body), self._settings.max_request_bytes)
            return
        clock = asyncio.get_running_loop().time
        tries = 0
        step: Waiting | Failed | None = waking(1) if await self._sleeps() else None
        while True:
            if step is not None:
                yield self._without_key(step)
                if isinstance(step, Failed):
                    return
                try:
                    await deadline.limit(self._wait(step))
                except TryFailedError as error:
                    yield self._without_key(error.failure)
                    return
            tries += 1
            began = clock()
            try:
                answer = self._try(body, extra_headers or {}, deadline, on_bytes)
                async with aclosing(answer) as events:
                    async for event in events:
                        yield event
                return
            except TryFailedError as error:
                step = after_failure(error, tries, clock() - began, self._settings)
                if isinstance(step, Failed) and error.body:
                    without_key = self._without_key.of_answer()
                    on_bytes(without_key.take(error.body) + without_key.rest())

    async def _sleeps(self) -> bool:
        """Whether the model would have to wake for a turn; other servers are not asked."""
        if not self._settings.is_baseten:
            return False
        return (await self._watch.state()).state in ("asleep", "waking")

    async def _count(self, question: Mapping[str, Any]) -> int | None:
        """What the tokenizer counts; None where it does not answer, or would have to wake."""
        try:
            async with asyncio.timeout(self._settings.state_timeout_s):
                if self._settings.is_baseten and (await self._watch.state()).state != "ready":
                    return None
                return read_count(await self._connection.tokenize(encode_body(question)))
        except (TryFailedError, TimeoutError):
            return None

    async def _try(
        self,
        body: bytes,
        headers: Mapping[str, str],
        deadline: Deadline,
        on_bytes: Callable[[bytes], None],
    ) -> AsyncGenerator[Event, None]:
        """The events of one try; raises TryFailedError where it does not come to an end."""
        response = await self._open(body, headers, deadline)
        without_key = self._without_key.of_answer()
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
                if told := without_key.take(data):
                    on_bytes(told)
                for event in reader.feed(data) if data else reader.end():
                    yield self._without_key(event) if type(event) is Failed else event
            if reader.finished:
                await _read_rest(stream)
        finally:
            if held := without_key.rest():
                on_bytes(held)
            with suppress(*TRANSPORT_ERRORS):
                await response.aclose()

    async def _open(
        self, body: bytes, headers: Mapping[str, str], deadline: Deadline
    ) -> httpx2.Response:
        """The 200 of a try, its body still to come; what it says of the server is noted."""
        try:
            response = await deadline.limit(self._connection.complete(body, headers))
        except TryFailedError as error:
            if error.failure.kind == "unreachable":
                self._watch.not_reached(error.failure.message)
            raise
        self._watch.answered()
        return response

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
            await wake(self._connection, self._watch, self._settings)
        else:
            await asyncio.sleep(step.seconds or 0.0)


async def _read_rest(stream: AsyncIterator[bytes]) -> None:
    """Lets the body come to its end, without which its connection could not be used again."""
    with suppress(*TRANSPORT_ERRORS):
        async with asyncio.timeout(_REUSE_S):
            await anext(stream, b"")
