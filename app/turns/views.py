"""Chats and turns as the page gets them: JSON values, without secrets or paths of the server."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from app.chat.messages import Attachment, Reasoning, Text, ToolCall
from app.chat.notices import Notice
from app.chat.turn import Turn
from app.tools.arguments import MAX_ARGUMENTS
from app.tools.errors import JsonTextError
from app.tools.json_text import read_json
from app.turns.chats import CallCheck, Chat, PartTokens, TurnEntry, UserEntry
from app.turns.tokens import estimate_tokens, token_count

MediaAddress = Callable[[str], str]
"""Gives the signed, short-lived address under which a page finds a picture or a clip."""


def chat_summary(chat: Chat) -> dict[str, Any]:
    """A chat as a line of a list."""
    return {
        "id": chat.id,
        "title": chat.title,
        "updated": chat.updated,
        "running": chat.running is not None,
    }


def chat_view(
    chat: Chat, render: Callable[[str], list[str]], address: MediaAddress
) -> dict[str, Any]:
    """A chat whole: its messages, and the run that is going on, if any."""
    run = chat.running
    return {
        "id": chat.id,
        "title": chat.title,
        "messages": [
            user_view(entry, address) if isinstance(entry, UserEntry) else turn_view(entry, render)
            for entry in chat.entries
        ],
        "run": {"id": run.id, "turn": run.turn_id, "after": -1} if run else None,
    }


def user_view(entry: UserEntry, address: MediaAddress) -> dict[str, Any]:
    """A message that a person sent."""
    return {
        "kind": "user",
        "id": entry.id,
        "text": entry.text,
        "attachments": [media_view(attachment, address) for attachment in entry.attachments],
    }


def media_view(attachment: Attachment, address: MediaAddress) -> dict[str, Any]:
    """A picture or a clip, with the address of its bytes."""
    return {
        "hash": attachment.hash,
        "kind": attachment.kind,
        "name": attachment.name,
        "mime": attachment.mime,
        "size": attachment.size,
        "width": attachment.width,
        "height": attachment.height,
        "seconds": attachment.seconds,
        "url": address(attachment.hash),
    }


def turn_view(entry: TurnEntry, render: Callable[[str], list[str]]) -> dict[str, Any]:
    """A turn that has ended, its answers rendered."""
    checks = iter(entry.checks)
    parts: list[dict[str, Any]] = []
    for at, part in enumerate(entry.turn.parts):
        if isinstance(part, Reasoning):
            tokens, estimated = entry.tokens[at]
            seconds = round(entry.turn.timings.part_seconds[at], 3)
            parts.append(
                {
                    "kind": "reasoning",
                    "text": part.text,
                    "seconds": seconds,
                    "tokens": tokens,
                    "estimated": estimated,
                }
            )
        elif isinstance(part, Text):
            parts.append({"kind": "answer", "blocks": render(part.text)})
        else:
            parts.append({"kind": "call", "id": part.id, **call_view(part, next(checks))})
    return {
        "kind": "turn",
        "id": entry.id,
        "parts": parts,
        **turn_outcome(entry),
    }


def turn_outcome(entry: TurnEntry) -> dict[str, Any]:
    """How a turn ended: all that is not known before."""
    return {
        "state": "complete" if entry.turn.complete else "incomplete",
        "notices": [notice_view(notice) for notice in entry.notices],
        "stats": dict(entry.stats),
    }


def turn_source(entry: TurnEntry) -> dict[str, Any]:
    """A turn in the words of the model, for copying."""
    parts: list[dict[str, Any]] = []
    for part in entry.turn.parts:
        match part:
            case Reasoning(text):
                parts.append({"kind": "reasoning", "text": text})
            case Text(text):
                parts.append({"kind": "answer", "text": text})
            case ToolCall(call_id, name, arguments):
                parts.append({"kind": "call", "id": call_id, "name": name, "arguments": arguments})
    return {"id": entry.id, "parts": parts}


def call_view(call: ToolCall, check: CallCheck) -> dict[str, Any]:
    """A call, its arguments laid out for reading, and what its check found."""
    return {
        "name": call.name,
        "arguments": _laid_out(call.arguments),
        "problems": [
            {"path": problem.path, "message": problem.message} for problem in check.problems
        ],
        "declared": check.declared,
    }


def notice_view(notice: Notice) -> dict[str, str]:
    """A notice of a turn."""
    return {"code": notice.code, "message": notice.message, "remedy": notice.remedy}


def turn_stats(turn: Turn, tokens: PartTokens) -> dict[str, Any]:
    """The figures of a turn: seconds, tokens, tokens a second; None where not known.

    Thinking and answering are kept apart. `estimated` says that the server gave no counts.
    """
    usage = turn.usage or {}
    completion = token_count(usage.get("completion_tokens"))
    estimated = completion is None
    thought_s = answered_s = 0.0
    thought = 0
    for part, (count, _), seconds in zip(
        turn.parts, tokens, turn.timings.part_seconds, strict=True
    ):
        if isinstance(part, Reasoning):
            thought_s += seconds
            thought += count or 0
        else:
            answered_s += seconds
    details = _mapping(usage.get("completion_tokens_details"))
    reasoning_tokens = token_count(details.get("reasoning_tokens"))
    if reasoning_tokens is None:
        reasoning_tokens = thought
    if completion is not None:
        answer_tokens = max(0, completion - reasoning_tokens)
    else:
        answer_tokens = estimate_tokens(turn.content) + sum(
            estimate_tokens(call.arguments) for call in turn.tool_calls
        )
    return {
        "first_token_s": _rounded(turn.timings.first_token_s),
        "reasoning_tokens": reasoning_tokens,
        "answer_tokens": answer_tokens,
        "prompt_tokens": token_count(usage.get("prompt_tokens")),
        "cached_tokens": token_count(
            _mapping(usage.get("prompt_tokens_details")).get("cached_tokens")
        ),
        "thinking_tokens_per_s": _speed(reasoning_tokens, thought_s),
        "answer_tokens_per_s": _speed(answer_tokens, answered_s),
        "total_s": _rounded(turn.timings.total_s),
        "estimated": estimated,
        "finish_reason": turn.finish_reason,
    }


def _speed(tokens: int, seconds: float) -> float | None:
    """Tokens a second; None where there were too few to say."""
    return round(tokens / seconds, 1) if tokens > 1 and seconds >= 0.05 else None


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _laid_out(arguments: str) -> str:
    """The arguments as they are easiest to read; as received where they are no plain JSON."""
    try:
        value = read_json(arguments, max_characters=MAX_ARGUMENTS)
    except JsonTextError:
        return arguments
    return json.dumps(value, indent=2, ensure_ascii=False) if value else arguments
