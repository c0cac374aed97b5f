"""Reading a plain OpenAI `messages` array as a conversation."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from app.chat.messages import (
    Attachment,
    Conversation,
    MediaKind,
    Message,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
)

Attacher: TypeAlias = Callable[[str, MediaKind], Attachment]
"""Takes a media URL found in the messages and its kind; gives the attachment that stands for it."""

_ROLES: dict[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
}


class ConversationError(ValueError):
    """The messages cannot be read; the text says where and why, in one sentence."""


def read_messages(value: Any, attach: Attacher) -> Conversation:
    """The conversation that an OpenAI `messages` array holds.

    Reasoning is read under either of its names. Raises ConversationError with the JSON path of
    what is wrong; what `attach` raises passes through.
    """
    if not isinstance(value, list):
        raise ConversationError("A conversation is a JSON array of messages.")
    return Conversation(
        tuple(_message(entry, f"$[{at}]", attach) for at, entry in enumerate(value))
    )


def _message(entry: Any, path: str, attach: Attacher) -> Message:
    if not isinstance(entry, Mapping):
        raise ConversationError(f"{path} must be an object with a role and a content.")
    role = _ROLES.get(str(entry.get("role")))
    if role is None:
        known = ", ".join(_ROLES)
        raise ConversationError(f"{path}.role must be one of {known}.")
    content = _content(entry.get("content"), f"{path}.content", attach)
    if role == "tool":
        return Message("tool", (_result(entry, content, path),))
    if role != "assistant":
        return Message(role, content)
    reasoning = entry.get("reasoning") or entry.get("reasoning_content")
    thought = (Reasoning(reasoning),) if isinstance(reasoning, str) else ()
    return Message("assistant", (*thought, *content, *_calls(entry, path)))


def _content(value: Any, path: str, attach: Attacher) -> tuple[Part, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return (Text(value),)
    if not isinstance(value, list):
        raise ConversationError(f"{path} must be a text or an array of parts.")
    return tuple(_part(part, f"{path}[{at}]", attach) for at, part in enumerate(value))


def _part(part: Any, path: str, attach: Attacher) -> Part:
    if isinstance(part, str):
        return Text(part)
    kind = part.get("type") if isinstance(part, Mapping) else None
    if kind == "text" and isinstance(part.get("text"), str):
        return Text(part["text"])
    for media in ("image", "video"):
        if kind == f"{media}_url":
            source = part.get(kind)
            url = source.get("url") if isinstance(source, Mapping) else source
            if not isinstance(url, str):
                raise ConversationError(f"{path}.{kind}.url must be a text.")
            return attach(url, "image" if media == "image" else "video")
    raise ConversationError(f"{path} must be a text, image_url or video_url part.")


def _result(entry: Mapping[str, Any], content: tuple[Part, ...], path: str) -> ToolResult:
    call_id = entry.get("tool_call_id")
    if not isinstance(call_id, str):
        raise ConversationError(f"{path}.tool_call_id must be a text.")
    # vLLM joins the text parts of a tool message with a line break.
    texts = [part.text for part in content if isinstance(part, Text)]
    if len(texts) < len(content):
        raise ConversationError(f"{path}.content of a tool message can hold text only.")
    return ToolResult(call_id, "\n".join(texts))


def _calls(entry: Mapping[str, Any], path: str) -> tuple[ToolCall, ...]:
    calls = entry.get("tool_calls") or []
    if not isinstance(calls, list):
        raise ConversationError(f"{path}.tool_calls must be an array.")
    return tuple(_call(call, f"{path}.tool_calls[{at}]") for at, call in enumerate(calls))


def _call(call: Any, path: str) -> ToolCall:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping):
        raise ConversationError(f"{path}.function must be an object.")
    call_id, name, arguments = call.get("id"), function.get("name"), function.get("arguments")
    if isinstance(arguments, Mapping):
        arguments = json.dumps(arguments, ensure_ascii=False)
    return ToolCall(
        call_id if isinstance(call_id, str) else "",
        name if isinstance(name, str) else "",
        arguments if isinstance(arguments, str) else "",
    )
