"""The calls that the preset's page shows: a chat, its reasoning, a tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.chat.events import ContentDelta, Event, ReasoningDelta, Waiting
from app.chat.messages import Conversation, Message, Text
from app.chat.request import Options, Request, build
from app.chat.turn import Turn

_WEATHER: Final[Mapping[str, Any]] = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {
            "type": "object",
            "properties": {"location": {"type": "string"}},
            "required": ["location"],
        },
    },
}


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the page: what it asks, and the tools that go with it."""

    prompt: str
    tools: tuple[Mapping[str, Any], ...] = ()


CALLS: Final[Mapping[str, Call]] = {
    "chat": Call("What is machine learning?"),
    "reasoning": Call("How many r's in strawberry?"),
    "tools": Call("What's the weather in Paris?", (_WEATHER,)),
}
"""Source: the preset's page, "Call the model"."""


def request_of(call: Call, prompt: str | None, *, model: str, stream: bool) -> Request:
    """The call as a request, with another prompt where one is given."""
    message = Message("user", (Text(prompt or call.prompt),))
    options = Options(model, tools=call.tools, stream=stream)
    request = build(Conversation((message,)), options, resolve=_no_media)
    if not stream:
        del request.body["stream"]  # the page's calls do not have it
    return request


class Printing:
    """Writes a turn as it comes: the thought, the answer, then the calls as `name(arguments)`.

    `write` and `note` make what the model says fit for a terminal, as an Output's do.
    """

    def __init__(self, write: Callable[[str], None], note: Callable[[str], None]) -> None:
        self._write = write
        self._note = note
        self._last: type[Event] | None = None

    def show(self, event: Event) -> None:
        """Writes what an event adds."""
        if isinstance(event, Waiting):
            self._note(f"{event.message or 'Waiting.'}{' (billed)' if event.billed else ''}")
        if not isinstance(event, ReasoningDelta | ContentDelta):
            return
        if self._last not in (None, type(event)):
            self._write("\n\n")
        self._last = type(event)
        self._write(event.text)

    def end(self, turn: Turn) -> None:
        """Writes the calls, which are read as a whole, and ends the last line."""
        texts = [f"{call.name}({call.arguments})" for call in turn.tool_calls]
        if texts:
            before = "" if self._last is None else "\n\n"
            self._write(before + "\n".join(texts))
        if texts or self._last is not None:
            self._write("\n")


def _no_media(_attachment: object) -> str:
    raise AssertionError("The page's calls have no media.")
