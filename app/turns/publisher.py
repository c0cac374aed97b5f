"""A turn's events to a run's log, gathered: what the page is told, and when.

Deltas are gathered by a timed flush, the first at once; an answer is rendered block by block, the
open block seldom enough that rendering stays cheap. Nothing is sent twice when a turn ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from app.chat.entries import CallCheck
from app.chat.events import (
    ContentDelta,
    ContentWasReasoning,
    Event,
    ReasoningDelta,
    Started,
    ToolCallDelta,
    Usage,
    Waiting,
)
from app.chat.messages import ToolCall
from app.chat.thoughts import without_opening_tag
from app.chat.turn import MAX_CALLS
from app.turns.log import EventLog
from app.turns.open_parts import OpenCall, OpenText
from app.turns.rendering import Block, Change, CodeText, Item, Rendering, Truncate
from app.turns.tokens import TokenMeter, byte_length
from app.turns.turn_views import call_view

FLUSH_S = 0.05
RENDER_S = 0.15
USAGE_S = 0.5


@dataclass(frozen=True, slots=True)
class Before:
    """A part that a turn held before it is gone on with, and that part's figures."""

    delta: ReasoningDelta | ContentDelta
    seconds: float
    tokens: int | None
    estimated: bool


class Publisher:
    """Tells a log what happens in one turn. `check` judges a call that is whole.

    `speed` is how many seconds of the turn pass in one, where a recorded turn is played faster.
    `begins_with` is what the turn held before, if it goes on with one: it is shown at once, with
    its own figures, and is no part of `tokens`' counts.
    """

    def __init__(
        self,
        log: EventLog,
        turn_id: str,
        rendering: Rendering,
        check: Callable[[ToolCall], CallCheck],
        begins_with: Sequence[Before] = (),
        speed: float = 1.0,
    ) -> None:
        self._log = log
        self._rendering = rendering
        self._check = check
        self._speed = speed
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._flushed_at = self._rendered_at = self._usage_at = float("-inf")
        self._meter = TokenMeter()
        self._open: OpenText | None = None
        self._calls: dict[int, OpenCall] = {}
        self._tokens: list[tuple[int | None, bool]] = []
        log.append("turn", turn=turn_id)
        self._before = begins_with
        for before in begins_with:
            self.add(before.delta)
            self._meter.restart()

    @property
    def tokens(self) -> tuple[tuple[int | None, bool], ...]:
        """Tokens of each part, and whether they are an estimate; None for calls."""
        return tuple(self._tokens)

    def add(self, event: Event) -> None:
        """Takes the next event of the turn."""
        match event:
            case ReasoningDelta(text):
                self._part("reasoning").pending.append(text)
                self._grew(byte_length(text))
            case ContentDelta(text):
                self._part("answer").pending.append(text)
                self._grew(byte_length(text))
            case Usage(values):
                self._meter.usage(values)
            case ToolCallDelta():
                self._add_call(event)
            case ContentWasReasoning(upto):
                self._move_thought(upto)
            case Waiting(reason, attempt, seconds, message, billed):
                self.wait(reason, attempt=attempt, seconds=seconds, message=message, billed=billed)
            case Started():
                self._log.append("started", replaces="state")

    def wait(self, reason: str, **fields: Any) -> None:
        """The turn waits: for a slot, to try again, for the server to wake."""
        self._log.append("waiting", replaces="state", reason=reason, **fields)

    def close(self) -> None:
        """The stream is over: all that was gathered goes out."""
        self._cancel_timer()
        self._close_part()
        for call in self._calls.values():
            self._close_call(call)
        self._calls.clear()
        self._log.drop("usage")

    def _part(self, kind: str) -> OpenText:
        """The open part, if it is of this kind; else a new one, and the old one is closed."""
        part = self._open
        if part is not None and part.kind == kind:
            return part
        self._close_part()
        part = self._open = OpenText(kind, len(self._tokens), self._loop.time())
        self._tokens.append((None, True))
        if kind == "answer":
            part.renderer = self._rendering.growing()
            self._rendered_at = float("-inf")
        self._log.append("part", part=part.number, kind=kind)
        return part

    def _add_call(self, delta: ToolCallDelta) -> None:
        if delta.position >= MAX_CALLS:
            return
        call = self._calls.get(delta.position)
        if call is None:
            self._close_part()
            call = self._calls[delta.position] = OpenCall(len(self._tokens))
            self._tokens.append((None, True))
            self._log.append("part", part=call.number, kind="call", id=delta.id, name=delta.name)
        call.add(delta.id, delta.name, delta.arguments)
        self._grew(byte_length(delta.arguments))

    def _move_thought(self, upto: int) -> None:
        part = self._open
        if part is None or part.kind != "answer":
            return
        thought = without_opening_tag(part.become_reasoning(self._log)[:upto])
        self._log.append("thought", part=part.number, text=thought)
        self._close_part()

    def _grew(self, size: int) -> None:
        self._meter.text(size)
        if self._timer is not None:
            return
        due = self._flushed_at + FLUSH_S - self._loop.time()
        if due <= 0:
            self._flush()
        else:
            self._timer = self._loop.call_later(due, self._flush)

    def _flush(self) -> None:
        self._timer = None
        now = self._flushed_at = self._loop.time()
        if self._open is not None:
            self._flush_part(self._open, now)
        for call in self._calls.values():
            self._flush_call(call)
        if now - self._usage_at >= USAGE_S and (self._open or self._calls):
            self._usage_at = now
            tokens, estimated = self._meter.part
            self._log.append("usage", replaces="usage", tokens=tokens, estimated=estimated)

    def _flush_part(self, part: OpenText, now: float) -> None:
        text = part.flush()
        if part.kind == "reasoning":
            if text:
                self._log.append("reasoning", part=part.number, text=text)
            return
        due = self._rendered_at + RENDER_S - now
        if due <= 0:
            self._rendered_at = now
            self._log_changes(part, final=False)
        elif self._timer is None:
            self._timer = self._loop.call_later(due, self._flush)

    def _flush_call(self, call: OpenCall) -> None:
        text = call.flush()
        if text is not None:
            self._log.append("call", part=call.number, name=call.name, arguments=text)

    def _close_part(self) -> None:
        part = self._open
        if part is None:
            return
        self._cancel_timer()
        self._flush_part(part, self._loop.time())
        self._cancel_timer()
        if part.kind == "answer":
            self._log_changes(part, final=True)
        tokens, estimated = self._tokens[part.number] = self._meter.close_part()
        seconds = (self._loop.time() - part.began) * self._speed
        if part.number < len(self._before):
            before = self._before[part.number]
            seconds += before.seconds
            estimated = before.estimated or (estimated and tokens > 0)
            tokens += before.tokens or 0
        self._log.append(
            "part_closed",
            part=part.number,
            seconds=round(seconds, 3),
            tokens=tokens,
            estimated=estimated,
        )
        self._open = None

    def _close_call(self, call: OpenCall) -> None:
        self._flush_call(call)
        whole = call.call()
        view = call_view(whole, self._check(whole))
        self._log.append("call_checked", part=call.number, **view)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _log_changes(self, part: OpenText, *, final: bool) -> None:
        if part.renderer is None:
            return
        for change in part.renderer.changes(final=final):
            self._log_change(part, change)

    def _log_change(self, part: OpenText, change: Change) -> None:
        number = part.number
        match change:
            case Block(index, html):
                part.drop_items(self._log, index)
                key = part.block_key(index)
                self._log.append("block", replaces=key, part=number, block=index, html=html)
            case CodeText(index, text):
                key = part.block_key(index)
                self._log.extend("code", belongs_to=key, part=number, block=index, text=text)
            case Item(index, item, html):
                key = part.item_key(index, item)
                self._log.append(
                    "item", replaces=key, part=number, block=index, item=item, html=html
                )
            case Truncate(blocks):
                self._log.append("truncate", part=number, blocks=blocks)
