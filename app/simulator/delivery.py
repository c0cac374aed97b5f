"""A reply's way through a slot onto the wire, burst by burst, until it ends or nobody listens.

Like vLLM's: a stream has its headers at once and then nothing until a slot is free; whoever
disconnects frees the slot at once. Bursts are due at fixed times, so that a late one is made up
for and the rate holds.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.types import Receive, Scope, Send

from app.simulator import wire
from app.simulator.engine import Engine
from app.simulator.errors import ApiError
from app.simulator.faults import Faults
from app.simulator.generation import Burst, GenerationLimits, generate
from app.simulator.reply import Reply

_ENGINE_DIED = ApiError(
    "EngineCore encountered an issue. See stack trace (above) for the root cause.", status=500
)


@dataclass(frozen=True, slots=True)
class Job:
    """All that is decided about one reply before it is generated.

    `key` is a digest of the request. `seconds_a_burst` is None where the pace is
    `tokens_per_second`. `empty_content` is what a whole answer has in `content` when there is none.
    """

    key: str
    completion_id: str
    created: int
    model: str
    reply: Reply
    limits: GenerationLimits
    faults: Faults
    tokens_per_second: float
    seconds_a_burst: float | None
    shape: wire.StreamShape
    prompt_tokens: int
    cached_tokens: int | None
    media_tokens: Mapping[str, int]
    empty_content: str | None

    @property
    def call_ids(self) -> list[str]:
        """An id for each call, the same whenever the same request is made."""
        return [f"chatcmpl-tool-{self.key}{index:x}" for index in range(len(self.reply.calls))]

    def usage(self, burst: Burst) -> wire.Usage:
        """Tokens counted up to the end of a burst."""
        return wire.Usage(
            self.prompt_tokens,
            burst.tokens,
            burst.reasoning_tokens,
            self.cached_tokens,
            self.media_tokens,
        )


class Delivery:
    """An ASGI response: generates a job's reply while the client listens."""

    def __init__(self, engine: Engine, job: Job, *, stream: bool) -> None:
        self._engine = engine
        self._job = job
        self._stream = stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the whole response, or as much of it as the client waits for."""
        deliver = _deliver_stream if self._stream else _deliver_whole
        work = asyncio.ensure_future(deliver(self._engine, self._job, receive, send))
        watch = asyncio.ensure_future(_until_disconnect(receive))
        try:
            await asyncio.wait({work, watch}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            finished = work.done()
            watch.cancel()
            work.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await work
            if not finished:
                self._engine.finished["abort"] += 1


async def _until_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _deliver_stream(engine: Engine, job: Job, receive: Receive, send: Send) -> None:
    async def write(data: bytes) -> None:
        await send({"type": "http.response.body", "body": data, "more_body": True})

    await _start(send, "text/event-stream; charset=utf-8")
    async with engine.slot():
        whole = await _write_chunks(engine, job, receive, write)
    if whole:
        await send({"type": "http.response.body", "body": wire.DONE, "more_body": False})
    else:
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _write_chunks(
    engine: Engine, job: Job, receive: Receive, write: Callable[[bytes], Awaitable[None]]
) -> bool:
    """Everything from the first chunk to the last before [DONE]; False where that is left out."""
    encoder = wire.ChunkEncoder(job.completion_id, job.created, job.model, job.call_ids, job.shape)
    faults = job.faults
    engine.prompt_tokens += job.prompt_tokens
    await asyncio.sleep(faults.delay)
    await write(encoder.role(job.usage(Burst())))
    written = 0
    last = Burst()
    async for burst in _paced(job):
        engine.generation_tokens += burst.tokens - last.tokens
        last = burst
        chunk = encoder.burst(burst, job.usage(burst))
        if not chunk:
            continue
        if faults.stall_after == written:
            await asyncio.Event().wait()
        if faults.drop_after == written:
            return False
        if faults.reset_after == written:
            _reset(receive)
            return False
        if faults.error_after == written:
            engine.finished["error"] += 1
            await write(_ENGINE_DIED.event())
            return True
        await write(chunk)
        written += 1
    engine.finished[last.finish_reason or "stop"] += 1
    if job.shape.include_usage:
        await write(encoder.usage(job.usage(last)))
    return True


async def _deliver_whole(engine: Engine, job: Job, receive: Receive, send: Send) -> None:
    async with engine.slot():
        engine.prompt_tokens += job.prompt_tokens
        await asyncio.sleep(job.faults.delay)
        bursts = [burst async for burst in _paced(job)]
        last = bursts[-1]
        engine.generation_tokens += last.tokens
        engine.finished[last.finish_reason or "stop"] += 1
    await _start(send, "application/json")
    body = _whole_answer(job, bursts)
    await send({"type": "http.response.body", "body": body, "more_body": False})


def _whole_answer(job: Job, bursts: list[Burst]) -> bytes:
    last = bursts[-1]
    content = "".join(burst.content for burst in bursts)
    reasoning = "".join(burst.reasoning for burst in bursts) if job.shape.include_reasoning else ""
    calls = _whole_calls(job, bursts)
    finish = last.finish_reason or "stop"
    if calls and finish == "length":
        # vLLM looks at the calls first when it does not stream.
        finish = job.limits.calls_finish
    message = wire.assistant_message(content or job.empty_content, reasoning or None, calls)
    return wire.completion(
        completion_id=job.completion_id,
        created=job.created,
        model=job.model,
        message=message,
        stop_reason=last.stop_reason,
        finish_reason=finish,
        usage=None if job.faults.no_usage else job.usage(last),
    )


def _whole_calls(job: Job, bursts: list[Burst]) -> list[tuple[str, str, str]]:
    """Id, name and arguments of the calls that were begun; a call that was cut has none."""
    generated: dict[int, str] = {}
    for burst in bursts:
        if burst.call is not None:
            before = generated.get(burst.call.index, "")
            generated[burst.call.index] = before + burst.call.arguments
    return [
        (job.call_ids[index], call.name, call.arguments if text == call.arguments else "{}")
        for index, text in generated.items()
        if (call := job.reply.calls[index])
    ]


async def _paced(job: Job) -> AsyncIterator[Burst]:
    """The bursts of a job, each when it is due; late ones at once, others getting their turn."""
    clock = asyncio.get_running_loop().time
    begun = clock()
    for due, burst in _bursts(job):
        await asyncio.sleep(max(0.0, begun + due - clock()))
        yield burst


def _bursts(job: Job) -> Iterator[tuple[float, Burst]]:
    """Bursts with the seconds from the first token to when each is due."""
    tokens_before = 0
    for number, burst in enumerate(generate(job.reply, job.limits)):
        if job.seconds_a_burst is not None:
            yield number * job.seconds_a_burst, burst
        else:
            yield tokens_before / job.tokens_per_second, burst
        tokens_before = burst.tokens


async def _start(send: Send, content_type: str) -> None:
    headers = [(b"content-type", content_type.encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})


def _reset(receive: Receive) -> None:
    """Breaks the connection with a TCP reset.

    ASGI has no word for this: uvicorn's `receive` is a method of the object that holds the
    connection's transport. Where there is none, the body just ends.
    """
    transport: Any = getattr(getattr(receive, "__self__", None), "transport", None)
    if transport is None:
        return
    connection = transport.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()
