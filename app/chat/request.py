"""A conversation and its options as one chat-completions request, with the repairs it took.

Source: the OpenAI chat-completions request, in the words that vLLM 0.27 to 0.33 takes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from app.chat.history import Repair, repaired
from app.chat.messages import (
    Attachment,
    Conversation,
    Effort,
    Message,
    Part,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
)

MediaResolver: TypeAlias = Callable[[Attachment], str]
"""Gives the URL under which an attachment is sent: a base64 data URL, as vLLM wants it."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a person may set of a request. None, and empty, mean: not sent.

    `effort` None leaves the server's default (high). `max_tokens` counts reasoning too.
    `tools` is the OpenAI array as written. `send_reasoning` False leaves earlier reasoning out,
    for servers that refuse it. `continue_last` asks to go on with the last message, which is then
    the model's own, instead of beginning a new one.
    """

    model: str
    effort: Effort | None = None
    system: str = ""
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    tools: tuple[Mapping[str, Any], ...] = ()
    tool_choice: str | Mapping[str, Any] | None = None
    parallel_tool_calls: bool | None = None
    response_schema: Mapping[str, Any] | None = None
    stream: bool = True
    send_reasoning: bool = True
    break_control_tokens: bool = False
    continue_last: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """The JSON body to send, and what was changed in the history to make it."""

    body: dict[str, Any]
    repairs: tuple[Repair, ...] = ()


def build(conversation: Conversation, options: Options, resolve: MediaResolver) -> Request:
    """The request that asks for the next message of the conversation.

    Nothing that switches reasoning off is ever part of it: the chat template always thinks, and
    vLLM before 0.33 would leave the thought in the answer.
    """
    if options.system:
        system = Message("system", (Text(options.system),))
        conversation = Conversation((system, *conversation.messages))
    conversation, repairs = repaired(
        conversation, break_control_tokens=options.break_control_tokens
    )
    messages = [
        wire
        for message in conversation.messages
        for wire in _wire_messages(message, resolve, send_reasoning=options.send_reasoning)
    ]
    body: dict[str, Any] = {"model": options.model, "messages": messages}
    if options.continue_last:
        body |= _continuing(messages[-1])
    body |= _sampling(options)
    body |= _tools(options)
    if options.response_schema is not None:
        schema = {"name": "answer", "schema": options.response_schema}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    body["stream"] = options.stream
    if options.stream:
        body["stream_options"] = {"include_usage": True, "continuous_usage_stats": True}
    return Request(body, repairs)


def _continuing(last: dict[str, Any]) -> dict[str, Any]:
    """What makes vLLM go on with the last message.

    Its template strips the message's end, so that is left out here too: what comes then follows
    what was sent. Source: vLLM's `continue_final_message`, which excludes the generation prompt.
    """
    last["content"] = (last.get("content") or "").rstrip()
    return {"continue_final_message": True, "add_generation_prompt": False}


def _sampling(options: Options) -> dict[str, Any]:
    values = {
        "reasoning_effort": options.effort,
        "temperature": options.temperature,
        "top_p": options.top_p,
        "max_tokens": options.max_tokens,
        "seed": options.seed,
        "stop": list(options.stop) or None,
    }
    return {name: value for name, value in values.items() if value is not None}


def _tools(options: Options) -> dict[str, Any]:
    """Without tools none of the keys: vLLM refuses an empty array, and a choice without tools."""
    if not options.tools:
        return {}
    keys: dict[str, Any] = {"tools": list(options.tools)}
    if options.tool_choice is not None:
        keys["tool_choice"] = options.tool_choice
    if options.parallel_tool_calls is not None:
        keys["parallel_tool_calls"] = options.parallel_tool_calls
    return keys


def _wire_messages(
    message: Message, resolve: MediaResolver, *, send_reasoning: bool
) -> list[dict[str, Any]]:
    if message.role == "assistant":
        return [_assistant(message, send_reasoning=send_reasoning)]
    if message.role == "tool":
        return [
            {"role": "tool", "tool_call_id": part.call_id, "content": part.content}
            for part in message.parts
            if isinstance(part, ToolResult)
        ]
    return [{"role": message.role, "content": _content(message.parts, resolve)}]


def _assistant(message: Message, *, send_reasoning: bool) -> dict[str, Any]:
    content = "".join(part.text for part in message.parts if isinstance(part, Text))
    reasoning = "".join(part.text for part in message.parts if isinstance(part, Reasoning))
    calls = [_call(part) for part in message.parts if isinstance(part, ToolCall)]
    wire: dict[str, Any] = {"role": "assistant", "content": content or (None if calls else "")}
    if reasoning and send_reasoning:
        wire["reasoning"] = reasoning
    if calls:
        wire["tool_calls"] = calls
    return wire


def _call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def _content(parts: tuple[Part, ...], resolve: MediaResolver) -> str | list[dict[str, Any]]:
    """One text as a plain string; else the parts where they stand."""
    if len(parts) == 1 and isinstance(parts[0], Text):
        return parts[0].text
    wire: list[dict[str, Any]] = []
    for part in parts:
        if isinstance(part, Text):
            wire.append({"type": "text", "text": part.text})
        elif isinstance(part, Attachment):
            kind = f"{part.kind}_url"
            wire.append({"type": kind, kind: {"url": resolve(part)}})
    return wire
