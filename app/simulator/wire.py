"""The bytes of vLLM 0.32's answers, as recorded: keys, their order, what is null and what absent.

Chunks are put together from text that was encoded once a stream, since a busy server writes
hundreds of them a second.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.simulator.generation import Burst, CallDelta

SYSTEM_FINGERPRINT = "vllm-0.32.0-simulator"
DONE = b"data: [DONE]\n\n"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of a request.

    `cached` is None where the server does not tell; `media` are the prompt's tokens by kind,
    told with it.
    """

    prompt: int
    completion: int
    reasoning: int
    cached: int | None = None
    media: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StreamShape:
    """What the request asked of the stream's chunks."""

    include_usage: bool
    continuous_usage: bool
    include_reasoning: bool


def compact(value: Any) -> str:
    """JSON without spaces, characters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class ChunkEncoder:
    """Encodes one stream's chunks as server-sent events."""

    def __init__(
        self,
        completion_id: str,
        created: int,
        model: str,
        call_ids: Sequence[str],
        shape: StreamShape,
    ) -> None:
        head = {
            "id": completion_id,
            "object": "chat.completion.chunk",
            "created": created,
            "model": model,
        }
        self._head = f'data: {compact(head)[:-1]},"choices":['
        self._call_ids = call_ids
        self._shape = shape

    def role(self, usage: Usage) -> bytes:
        """The first chunk."""
        choice = (
            '{"index":0,"delta":{"role":"assistant","content":""},'
            '"logprobs":null,"finish_reason":null}]'
        )
        tail = ',"prompt_token_ids":null,"prompt_text":null}\n\n'
        return f"{self._head}{choice}{self._running_usage(usage)}{tail}".encode()

    def burst(self, burst: Burst, usage: Usage) -> bytes:
        """A chunk with text, a piece of a call, or the end; empty if there is nothing to tell."""
        delta = self._delta(burst)
        if delta == "{}" and burst.finish_reason is None:
            return b""
        finish = "null"
        fingerprint = ""
        if burst.finish_reason is not None:
            finish = f'{compact(burst.finish_reason)},"stop_reason":{compact(burst.stop_reason)}'
            if not self._shape.include_usage:
                fingerprint = f',"system_fingerprint":"{SYSTEM_FINGERPRINT}"'
        return (
            f'{self._head}{{"index":0,"delta":{delta},"logprobs":null,"finish_reason":{finish},'
            f'"token_ids":null}}]{self._running_usage(usage)}{fingerprint}}}\n\n'
        ).encode()

    def usage(self, usage: Usage) -> bytes:
        """The last chunk before the end, where usage was asked for."""
        tail = f',"system_fingerprint":"{SYSTEM_FINGERPRINT}"}}\n\n'
        return f'{self._head}],"usage":{compact(_stream_usage(usage))}{tail}'.encode()

    def _running_usage(self, usage: Usage) -> str:
        if not self._shape.continuous_usage:
            return ""
        return f',"usage":{compact(_stream_usage(usage))}'

    def _delta(self, burst: Burst) -> str:
        fields: list[str] = []
        if burst.content:
            fields.append(f'"content":{compact(burst.content)}')
        if not self._shape.include_reasoning:
            if burst.content or burst.call is not None:
                fields.append('"reasoning":null')
        elif burst.reasoning:
            fields.append(f'"reasoning":{compact(burst.reasoning)}')
        if burst.call is not None:
            fields.append(f'"tool_calls":[{compact(self._call(burst.call))}]')
        return f"{{{','.join(fields)}}}"

    def _call(self, call: CallDelta) -> dict[str, Any]:
        if call.name is None:
            return {"index": call.index, "function": {"arguments": call.arguments}}
        function = {"name": call.name}
        if call.arguments:
            function["arguments"] = call.arguments
        return {
            "id": self._call_ids[call.index],
            "type": "function",
            "index": call.index,
            "function": function,
        }


def completion(
    *,
    completion_id: str,
    created: int,
    model: str,
    message: dict[str, Any],
    finish_reason: str,
    stop_reason: int | str | None,
    usage: Usage | None,
) -> bytes:
    """The body of an answer that is not streamed."""
    choice = {
        "index": 0,
        "message": message,
        "logprobs": None,
        "finish_reason": finish_reason,
        "stop_reason": stop_reason,
        "token_ids": None,
        "routed_experts": None,
    }
    body = {
        "id": completion_id,
        "object": "chat.completion",
        "created": created,
        "model": model,
        "choices": [choice],
        "service_tier": None,
        "system_fingerprint": SYSTEM_FINGERPRINT,
        "usage": _whole_usage(usage) if usage is not None else None,
        "prompt_logprobs": None,
        "prompt_token_ids": None,
        "prompt_text": None,
        "kv_transfer_params": None,
        "ec_transfer_params": None,
        "metrics": None,
    }
    return compact(body).encode()


def assistant_message(
    content: str | None, reasoning: str | None, calls: Sequence[tuple[str, str, str]]
) -> dict[str, Any]:
    """The message of a whole answer; calls as id, name and arguments."""
    message: dict[str, Any] = {
        "role": "assistant",
        "content": content,
        "refusal": None,
        "annotations": None,
        "audio": None,
        "function_call": None,
    }
    if calls:
        message["tool_calls"] = [
            {
                "id": call_id,
                "type": "function",
                "function": {"name": name, "arguments": arguments},
            }
            for call_id, name, arguments in calls
        ]
    message["reasoning"] = reasoning
    return message


def _stream_usage(usage: Usage) -> dict[str, Any]:
    counted: dict[str, Any] = {
        "prompt_tokens": usage.prompt,
        "total_tokens": usage.prompt + usage.completion,
        "completion_tokens": usage.completion,
    }
    if usage.cached is not None:
        counted["prompt_tokens_details"] = {
            "cached_tokens": usage.cached,
            "created_cache_tokens": 0,
        }
    counted["completion_tokens_details"] = {"reasoning_tokens": usage.reasoning}
    return counted


def _whole_usage(usage: Usage) -> dict[str, Any]:
    counted = _stream_usage(usage)
    details = counted.pop("prompt_tokens_details", None)
    if details is not None:
        details["multimodal_tokens"] = dict(usage.media) or None
    reasoning = counted.pop("completion_tokens_details")
    return {
        **counted,
        "prompt_tokens_details": details,
        "completion_tokens_details": reasoning,
    }
