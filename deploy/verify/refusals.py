"""Checks of requests that cannot be answered: the status, and the shape of what is said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from deploy.verify.check import Body, Topic
from deploy.verify.outcomes import DifferenceError, hold
from deploy.verify.shapes import ErrorBody, Refusal
from deploy.verify.subject import Subject
from deploy.verify.wire import Reply, quoted, read_json

topic = Topic()

_MAX_TOKENS: Final = 1
_CHOICE: Final = {"type": "function", "function": {"name": "no_such_tool"}}
_TOOLS: Final = [
    {"type": "function", "function": {"name": "now", "parameters": {"type": "object"}}}
]


@dataclass(frozen=True, slots=True)
class _Wrong:
    """A request with one thing wrong; `named` is what the error must name."""

    name: str
    what: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    named: str = ""
    status: int = 400


_WRONG: Final = (
    _Wrong("unknown_model", "a model that is not served", {"model": "no-such-model"}, "model", 404),
    _Wrong(
        "bad_effort",
        "an effort that there is not",
        {"reasoning_effort": "extreme"},
        "reasoning_effort",
    ),
    _Wrong("empty_tools", "an empty list of tools", {"tools": []}, "tools"),
    _Wrong("choice_without_tools", "a tool_choice without tools", {"tool_choice": "auto"}, "tools"),
    _Wrong(
        "unknown_choice",
        "a tool_choice that names no tool",
        {"tools": _TOOLS, "tool_choice": _CHOICE},
        "tool_choice",
    ),
    _Wrong(
        "stream_options",
        "stream_options without stream",
        {"stream_options": {"include_usage": True}},
        "stream",
    ),
    _Wrong("bad_temperature", "a temperature of 5", {"temperature": 5}, "temperature"),
    _Wrong("no_messages", "a chat without messages", {"messages": []}),
)


def _refused(wrong: _Wrong) -> Body:
    async def body(subject: Subject) -> str | None:
        asked = subject.body("Hello", max_tokens=_MAX_TOKENS, **wrong.fields)
        refusal = read_refusal(await subject.wire.chat(asked), wrong.status)
        hold(wrong.named in f"{refusal.message} {refusal.param}", f"it says: {refusal.message}")
        return None

    return body


for _wrong in _WRONG:
    topic.check(_wrong.name, f"{_wrong.what}: {_wrong.status}, and why")(_refused(_wrong))


@topic.check("bad_json", "a body that is no JSON: 400, and why")
async def bad_json(subject: Subject) -> str | None:
    """What a client sends that was cut off."""
    read_refusal(await subject.wire.chat_text('{"messages": ['), 400)
    return None


def read_refusal(reply: Reply, status: int) -> Refusal:
    """What a server says to a request that it refuses with that status.

    Raises DifferenceError where it does not, or in another shape than
    `{"error": {"message", "type", "param", "code"}}`.
    """
    if reply.status == 200:
        raise DifferenceError("it was taken")
    hold(reply.status == status, f"HTTP {reply.status}: {quoted(reply.text)}")
    refusal = read_json(reply.text, ErrorBody).error
    hold(refusal.code == status, f"HTTP {status}, but its code is {refusal.code}")
    return refusal
