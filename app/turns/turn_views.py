"""Turns as the page gets them: JSON values, without secrets or paths of the server."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from app.chat.entries import CallCheck, Feedback, TurnEntry
from app.chat.messages import Reasoning, Text, ToolCall
from app.chat.notices import Notice
from app.tools.arguments import MAX_ARGUMENTS
from app.tools.errors import JsonTextError
from app.tools.json_text import read_json
from app.turns.prices import Prices
from app.turns.stats import spent

Render = Callable[[str], list[str]]
"""Markdown to safe HTML, one string a block."""

_FINISHED = ("stop", "tool_calls")


def turn_view(
    entry: TurnEntry, render: Render, prices: Prices, feedback: Feedback | None = None
) -> dict[str, Any]:
    """A turn that has ended, its answers rendered."""
    return {
        "kind": "turn",
        "id": entry.id,
        "parts": turn_parts(entry, render),
        **turn_outcome(entry, prices),
        "feedback": None
        if feedback is None
        else {"value": feedback.value, "comment": feedback.comment},
    }


def turn_parts(entry: TurnEntry, render: Render) -> list[dict[str, Any]]:
    """The parts of a turn in the order in which they came."""
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
    return parts


def turn_outcome(entry: TurnEntry, prices: Prices) -> dict[str, Any]:
    """How a turn ended: all that is not known before."""
    failure = entry.turn.failure
    return {
        "state": "complete" if entry.turn.complete else "incomplete",
        "notices": [notice_view(notice) for notice in entry.notices],
        "stats": {**entry.stats, "cost": prices.cost(spent(entry.stats))},
        "effort": entry.effort,
        "edited": entry.edited,
        "recorded": entry.recorded,
        "can_continue": can_continue(entry),
        "answer_check": None if entry.answer_check is None else asdict(entry.answer_check),
        "error": None
        if failure is None
        else {
            "kind": failure.kind,
            "status": failure.status,
            "message": failure.message,
            "request_id": failure.request_id or entry.turn.request_id,
        },
    }


def can_continue(entry: TurnEntry) -> bool:
    """Whether the server can be asked to go on with it: something came, no call, and no end.

    A thought alone is no end, however it ended.
    """
    turn = entry.turn
    if not turn.parts or turn.tool_calls:
        return False
    return not (turn.complete and turn.finish_reason in _FINISHED and turn.content.strip())


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


def notice_view(notice: Notice) -> dict[str, Any]:
    """A notice of a turn: in English, and as keys and values for a page in another language."""
    return {
        "code": notice.code,
        "message": notice.message,
        "remedy": notice.remedy,
        "key": notice.key,
        "values": dict(notice.values),
        "more": [{"key": each.key, "values": dict(each.values)} for each in notice.more],
    }


def _laid_out(arguments: str) -> str:
    """The arguments as they are easiest to read; as received where they are no plain JSON."""
    try:
        value = read_json(arguments, max_characters=MAX_ARGUMENTS)
    except JsonTextError:
        return arguments
    return json.dumps(value, indent=2, ensure_ascii=False) if value else arguments
