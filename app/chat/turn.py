"""A turn: one request to the model and its answer, as the events of its stream add up."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from app.chat.events import (
    ContentDelta,
    ContentWasReasoning,
    Event,
    Failed,
    Finished,
    ReasoningDelta,
    Started,
    ToolCallDelta,
    Usage,
    Waiting,
)
from app.chat.messages import Message, Reasoning, Text, ToolCall
from app.chat.thoughts import without_opening_tag

MAX_CALLS = 32
"""Calls kept in one turn; a model that repeats itself would fill the page."""

TurnPart: TypeAlias = Reasoning | Text | ToolCall


@dataclass(frozen=True, slots=True)
class Timings:
    """Seconds from the turn's beginning; None for what never came.

    `first_byte_s` is the arrival of the server's headers. `part_seconds` is how long each part
    of the turn took, from its first delta to the first of what came next.
    """

    first_byte_s: float | None = None
    first_reasoning_s: float | None = None
    first_content_s: float | None = None
    first_call_s: float | None = None
    total_s: float = 0.0
    part_seconds: tuple[float, ...] = ()

    @property
    def first_token_s(self) -> float | None:
        """The arrival of the first text or call of any kind."""
        firsts = (self.first_reasoning_s, self.first_content_s, self.first_call_s)
        return min((first for first in firsts if first is not None), default=None)


@dataclass(frozen=True, slots=True)
class Turn:
    """What one request brought. Parts keep the order in which they came."""

    parts: tuple[TurnPart, ...] = ()
    finish_reason: str | None = None
    stop_reason: str | int | None = None
    usage: Mapping[str, Any] | None = None
    failure: Failed | None = None
    stopped: bool = False
    thought_split: bool = False
    dropped_calls: int = 0
    request_id: str | None = None
    timings: Timings = field(default_factory=Timings)

    @property
    def complete(self) -> bool:
        """The server sent a finish_reason, whatever it is, and no error."""
        return self.finish_reason is not None and self.failure is None and not self.stopped

    @property
    def reasoning(self) -> str:
        """All thought of the turn, joined."""
        return "".join(part.text for part in self.parts if isinstance(part, Reasoning))

    @property
    def content(self) -> str:
        """All answer text of the turn, joined."""
        return "".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The calls of the turn, in call order."""
        return tuple(part for part in self.parts if isinstance(part, ToolCall))

    def message(self) -> Message:
        """The turn as the next request sends it back: nothing reworded."""
        return Message("assistant", self.parts)


def continued(base: Turn, more: Turn) -> Turn:
    """What a continuation makes of a turn that was cut: one turn, its parts joined at the seam.

    The prompt of a continuation closes the thought, so reasoning that comes with no answer is the
    answer under a wrong label (vLLM's streaming parser before its fix of #40816). Token counts add
    up to what the whole takes of the context.
    """
    if not more.parts:
        return replace(more, parts=base.parts, usage=base.usage, timings=_added(base, more, ()))
    if not (more.content or more.tool_calls):
        answer = (Text(more.reasoning),)
        seconds = (sum(more.timings.part_seconds),)
        more = replace(more, parts=answer, timings=replace(more.timings, part_seconds=seconds))
    first, *others = more.parts
    last = base.parts[-1] if base.parts else None
    if isinstance(last, Text) and isinstance(first, Text):
        seam = Text(last.text.rstrip() + first.text)
        parts = (*base.parts[:-1], seam, *others)
    else:
        parts = (*base.parts, *more.parts)
    joins = len(base.parts) + len(more.parts) - len(parts)
    return replace(
        more,
        parts=parts,
        usage=_usage_of_both(base.usage, more.usage),
        thought_split=base.thought_split or more.thought_split,
        timings=_added(base, more, _seconds_of_both(base, more, joins)),
    )


def _added(base: Turn, more: Turn, seconds: tuple[float, ...]) -> Timings:
    return replace(
        base.timings,
        total_s=base.timings.total_s + more.timings.total_s,
        part_seconds=seconds or base.timings.part_seconds,
    )


def _seconds_of_both(base: Turn, more: Turn, joins: int) -> tuple[float, ...]:
    before, after = base.timings.part_seconds, more.timings.part_seconds
    if not joins:
        return (*before, *after)
    return (*before[:-1], before[-1] + after[0], *after[1:])


def _usage_of_both(
    base: Mapping[str, Any] | None, more: Mapping[str, Any] | None
) -> Mapping[str, Any] | None:
    if base is None or more is None:
        return more  # its prompt holds what came before
    counts = [usage.get("completion_tokens") for usage in (base, more)]
    if not all(isinstance(count, int) for count in counts):
        return None
    completion = sum(count for count in counts if isinstance(count, int))
    prompt = base.get("prompt_tokens")
    total = prompt + completion if isinstance(prompt, int) else None
    return {**base, "completion_tokens": completion, "total_tokens": total}


class _OpenPart:
    def __init__(self, kind: str, position: int, began: float) -> None:
        self.kind = kind
        self.position = position
        self.began = began
        self.ended: float | None = None
        self.texts: list[str] = []
        self.id = ""
        self.name = ""

    def text(self) -> str:
        if len(self.texts) > 1:
            self.texts = ["".join(self.texts)]
        return self.texts[0] if self.texts else ""

    def value(self) -> TurnPart:
        if self.kind == "call":
            return ToolCall(self.id, self.name, self.text())
        return Reasoning(self.text()) if self.kind == "reasoning" else Text(self.text())


class TurnBuilder:
    """Adds events up to a Turn, with the time at which each came.

    `clock` gives seconds from any zero; the turn begins when the builder is made.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, max_calls: int = MAX_CALLS
    ) -> None:
        self._clock = clock
        self._max_calls = max_calls
        self._began = clock()
        self._parts: list[_OpenPart] = []
        self._calls: dict[int, _OpenPart] = {}
        self._calls_seen = 0
        self._firsts: dict[str, float] = {}
        self._finish: Finished | None = None
        self._usage: Mapping[str, Any] | None = None
        self._failure: Failed | None = None
        self._stopped = False
        self._thought_split = False
        self._request_id: str | None = None

    def add(self, event: Event) -> None:
        """Takes the next event of the stream."""
        match event:
            case ReasoningDelta(text):
                self._add_text("reasoning", text)
            case ContentDelta(text):
                self._add_text("content", text)
            case Usage(values):
                self._usage = values
            case ToolCallDelta():
                self._add_call(event)
            case ContentWasReasoning(upto):
                self._move_thought(upto)
            case Started(_, request_id):
                self._request_id = request_id
                self._firsts.setdefault("byte", self._now())
            case Finished():
                self._finish = event
            case Failed():
                self._failure = self._failure or event
            case Waiting():
                pass

    def stop(self) -> None:
        """The turn was stopped from outside: by the user, or because nobody listened."""
        self._stopped = self._finish is None

    def turn(self) -> Turn:
        """The turn as it stands now."""
        now = self._now()
        parts = self._parts
        ends = [part.ended for part in parts]
        seconds = tuple(
            max(0.0, (now if end is None else end) - part.began)
            for part, end in zip(parts, ends, strict=True)
        )
        return Turn(
            parts=tuple(part.value() for part in parts),
            finish_reason=self._finish.finish_reason if self._finish else None,
            stop_reason=self._finish.stop_reason if self._finish else None,
            usage=self._usage,
            failure=self._failure,
            stopped=self._stopped,
            thought_split=self._thought_split,
            dropped_calls=max(0, self._calls_seen - self._max_calls),
            request_id=self._request_id,
            timings=Timings(
                first_byte_s=self._firsts.get("byte"),
                first_reasoning_s=self._firsts.get("reasoning"),
                first_content_s=self._firsts.get("content"),
                first_call_s=self._firsts.get("call"),
                total_s=now,
                part_seconds=seconds,
            ),
        )

    def _now(self) -> float:
        return self._clock() - self._began

    def _add_text(self, kind: str, text: str) -> None:
        if not self._parts or self._parts[-1].kind != kind:
            self._open(kind)
        self._parts[-1].texts.append(text)

    def _open(self, kind: str) -> _OpenPart:
        now = self._now()
        self._firsts.setdefault(kind, now)
        if self._parts and self._parts[-1].ended is None:
            self._parts[-1].ended = now
        part = _OpenPart(kind, len(self._parts), now)
        self._parts.append(part)
        return part

    def _add_call(self, delta: ToolCallDelta) -> None:
        self._calls_seen = max(self._calls_seen, delta.position + 1)
        if delta.position >= self._max_calls:
            return
        call = self._calls.get(delta.position)
        if call is None:
            call = self._calls[delta.position] = self._open("call")
        call.id += delta.id
        call.name += delta.name
        if delta.arguments:
            call.texts.append(delta.arguments)

    def _move_thought(self, upto: int) -> None:
        """The first answer part turns into reasoning; the splitter sees to it that it is whole."""
        self._thought_split = True
        if "content" in self._firsts:
            self._firsts.setdefault("reasoning", self._firsts.pop("content"))
        for part in self._parts:
            if part.kind == "content":
                thought = without_opening_tag(part.text()[:upto])
                part.kind, part.texts = "reasoning", [thought]
                return
