"""The ASGI application: vLLM's routes, and what happens to a chat request before it is answered."""

from __future__ import annotations

import asyncio
import hashlib
import ipaddress
import time
from collections import OrderedDict
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.simulator import wire
from app.simulator.answers import compose, effort_of
from app.simulator.delivery import Delivery, Job
from app.simulator.engine import Engine, PrefixCache, metrics_text
from app.simulator.errors import ApiError
from app.simulator.faults import Faults, parse_faults
from app.simulator.generation import GenerationLimits
from app.simulator.grammar import check_response_format, check_tool_schemas
from app.simulator.prompt import Prompt, read_prompt
from app.simulator.request import (
    ChatRequest,
    NamedToolChoice,
    ResponseFormat,
    parse_chat_request,
    parse_json,
)
from app.simulator.sampling import check_model, check_prompt_length, check_sampling
from app.simulator.settings import SimulatorSettings
from app.simulator.tokens import token_ids

_BENCH_SPEED = 50.0
_LARGE_BODY = 1_000_000
"""Bytes from which a body is parsed in a thread."""
_COUNTED_FAULTS = 1000

_FAULT_MESSAGES = {
    429: "Too many requests: asked for by X-Simulate.",
    500: "Internal server error",
    503: "The server is not ready: asked for by X-Simulate.",
}


def create_simulator(settings: SimulatorSettings | None = None) -> Starlette:
    """The simulated server as an ASGI application, with an engine of its own."""
    server = _Server(settings or SimulatorSettings())
    return Starlette(
        routes=[
            Route("/v1/chat/completions", server.chat, methods=["POST"]),
            Route("/v1/models", server.models, methods=["GET"]),
            Route("/tokenize", server.tokenize, methods=["POST"]),
            Route("/metrics", server.metrics, methods=["GET"]),
            Route("/health", server.health, methods=["GET"]),
            Route("/version", server.version, methods=["GET"]),
        ],
        exception_handlers={
            ApiError: _api_error,
            HTTPException: _http_exception,
            Exception: _unexpected,
        },
    )


class _Server:
    """The routes, and the state that they share."""

    def __init__(self, settings: SimulatorSettings) -> None:
        self._settings = settings
        self._engine = Engine(settings.slots)
        self._cache = PrefixCache()
        self._started = int(time.time())
        self._failed: OrderedDict[str, int] = OrderedDict()

    async def chat(self, request: Request) -> Response | Delivery:
        """`POST /v1/chat/completions`."""
        faults = self._faults(request)
        body = await self._read_body(request)
        key = hashlib.blake2b(body, digest_size=8).hexdigest()
        if faults.status is not None and self._fails_again(faults, key):
            return _failure(faults.status, faults.retry_after)
        value = await _parse(body, request)
        asked = parse_chat_request(value)
        check_model(asked.model, self._settings)
        prompt = await self._understand(asked, value)
        cached = self._cached_tokens(value["messages"], prompt, faults)
        name = request.headers.get("x-request-id") or asked.request_id or key
        job = self._job(asked, prompt, faults, cached, key=key, name=name)
        return Delivery(self._engine, job, stream=asked.stream)

    async def models(self, request: Request) -> Response:
        """`GET /v1/models`."""
        permission = {
            "id": f"modelperm-{self._settings.model.replace('/', '-')}",
            "object": "model_permission",
            "created": self._started,
            "allow_create_engine": False,
            "allow_sampling": True,
            "allow_logprobs": True,
            "allow_search_indices": False,
            "allow_view": True,
            "allow_fine_tuning": False,
            "organization": "*",
            "group": None,
            "is_blocking": False,
        }
        model = {
            "id": self._settings.model,
            "object": "model",
            "created": self._started,
            "owned_by": "vllm",
            "root": self._settings.model,
            "parent": None,
            "max_model_len": self._settings.max_model_len,
            "permission": [permission],
        }
        return JSONResponse({"object": "list", "data": [model]})

    async def tokenize(self, request: Request) -> Response:
        """`POST /tokenize`: of `messages`, or of `prompt` as plain text."""
        value = await _parse(await self._read_body(request), request)
        if isinstance(value, dict) and isinstance(value.get("prompt"), str):
            tokens = token_ids(value["prompt"])
        else:
            if isinstance(value, dict) and value.get("tools") == []:
                value = {**value, "tools": None}
            asked = parse_chat_request(value)
            check_model(asked.model, self._settings)
            prompt = await self._understand(asked, value)
            # The effort is the second thing in the prompt; the route has no field for it.
            effort = token_ids(effort_of(asked.model_copy(update={"reasoning_effort": None})))
            tokens = effort + token_ids(prompt.user_text, count=prompt.tokens - len(effort))
        counted = {
            "count": len(tokens),
            "max_model_len": self._settings.max_model_len,
            "tokens": tokens,
            "token_strs": None,
        }
        return JSONResponse(counted)

    async def metrics(self, request: Request) -> Response:
        """`GET /metrics`."""
        text = metrics_text(self._engine, self._settings.model)
        return Response(text, media_type="text/plain; version=1.0.0; charset=utf-8")

    async def health(self, request: Request) -> Response:
        """`GET /health`."""
        return Response()

    async def version(self, request: Request) -> Response:
        """`GET /version`: of the vLLM whose wire this is."""
        return JSONResponse({"version": "0.32.0"})

    def _faults(self, request: Request) -> Faults:
        header = request.headers.get("x-simulate")
        if header is None or not self._settings.faults or not _is_loopback(request):
            return Faults()
        return parse_faults(header)

    def _fails_again(self, faults: Faults, body_key: str) -> bool:
        """Whether this request still fails, counting the same request under `times`."""
        if faults.times is None:
            return True
        key = f"{body_key} {faults}"
        count = self._failed.pop(key, 0) + 1
        self._failed[key] = count
        if len(self._failed) > _COUNTED_FAULTS:
            self._failed.popitem(last=False)
        return count <= faults.times

    async def _read_body(self, request: Request) -> bytes:
        limit = self._settings.max_body_bytes
        parts: list[bytes] = []
        length = 0
        async for part in request.stream():
            length += len(part)
            if length > limit:
                raise ApiError(f"The body is larger than {limit} bytes.", status=413)
            parts.append(part)
        return b"".join(parts)

    async def _understand(self, asked: ChatRequest, value: dict[str, Any]) -> Prompt:
        """Reads the conversation and checks what vLLM checks after it. Raises ApiError."""
        tools = asked.tools or []
        characters = len(wire.compact(value["tools"])) if tools else 0
        prompt = await read_prompt(
            value["messages"], characters, continues=asked.continue_final_message
        )
        check_prompt_length(prompt.tokens, self._settings)
        check_sampling(asked, self._settings)
        if asked.tool_choice != "none":
            check_tool_schemas(tools)
        if isinstance(asked.response_format, ResponseFormat):
            check_response_format(asked.response_format)
        return prompt

    def _cached_tokens(
        self, messages: list[dict[str, Any]], prompt: Prompt, faults: Faults
    ) -> int | None:
        if faults.cached is not None:
            return faults.cached
        if not self._settings.cached_tokens:
            return None
        return self._cache.cached_tokens(messages, prompt.tokens)

    def _job(
        self,
        asked: ChatRequest,
        prompt: Prompt,
        faults: Faults,
        cached: int | None,
        *,
        key: str,
        name: str,
    ) -> Job:
        settings = self._settings
        options = asked.stream_options
        include_usage = bool(options and options.include_usage) and not faults.no_usage
        speed = faults.speed or (_BENCH_SPEED if faults.bench is not None else None)
        room = settings.max_model_len - prompt.tokens
        limit = asked.token_limit
        choice = asked.tool_choice
        named = isinstance(choice, NamedToolChoice)
        return Job(
            key=key,
            completion_id=f"chatcmpl-{name}",
            created=int(time.time()),
            model=settings.model,
            reply=compose(asked, prompt, faults),
            limits=GenerationLimits(
                tokens_per_chunk=faults.chunk or settings.tokens_per_chunk,
                max_tokens=room if limit is None else min(limit, room),
                stop=asked.stop_strings,
                calls_finish="stop" if named else "tool_calls",
            ),
            faults=faults,
            tokens_per_second=settings.tokens_per_second,
            seconds_a_burst=None if speed is None else 1 / speed,
            shape=wire.StreamShape(
                include_usage=include_usage,
                continuous_usage=include_usage and bool(options and options.continuous_usage_stats),
                include_reasoning=asked.include_reasoning,
            ),
            prompt_tokens=prompt.tokens,
            cached_tokens=cached,
            media_tokens=prompt.media_tokens,
            empty_content="" if named or choice == "required" else None,
        )


async def _parse(body: bytes, request: Request) -> Any:
    content_type = request.headers.get("content-type")
    try:
        if len(body) > _LARGE_BODY:
            return await asyncio.to_thread(parse_json, body, content_type)
        return parse_json(body, content_type)
    except ValueError:
        raise HTTPException(400, "There was an error parsing the body") from None


def _is_loopback(request: Request) -> bool:
    try:
        return request.client is not None and ipaddress.ip_address(request.client.host).is_loopback
    except ValueError:
        return False


def _failure(status: int, retry_after: float | None) -> Response:
    message = _FAULT_MESSAGES.get(status, f"Status {status}: asked for by X-Simulate.")
    headers = {} if retry_after is None else {"retry-after": f"{retry_after:g}"}
    return JSONResponse(ApiError(message, status=status).body(), status, headers)


async def _api_error(request: Request, problem: Exception) -> Response:
    if not isinstance(problem, ApiError):
        raise problem
    return Response(
        wire.compact(problem.body()).encode(), problem.status, media_type="application/json"
    )


async def _http_exception(request: Request, problem: Exception) -> Response:
    if not isinstance(problem, HTTPException):
        raise problem
    return JSONResponse({"detail": problem.detail}, problem.status_code, problem.headers)


async def _unexpected(request: Request, problem: Exception) -> Response:
    return JSONResponse(ApiError("Internal server error", status=500).body(), 500)
