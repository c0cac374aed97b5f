"""A run: the consecutive turns of a tool loop, its calls answered by rules.

It goes on while every call of a turn has an answer. A call that is unknown, malformed or cut is
never answered; then, and at the step limit, the run ends and a person decides.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Literal, TypeAlias

from app.chat.events import Event
from app.chat.messages import Conversation, Message, ToolCall, ToolResult
from app.chat.notices import ArgumentChecker
from app.chat.request import Request
from app.chat.turn import Turn, TurnBuilder
from app.tools.arguments import read_arguments
from app.tools.mocks import Answer, Mocks

MAX_STEPS = 8
"""Turns of a run, unless told otherwise; a model that goes round in circles is stopped."""

EventStream: TypeAlias = Callable[[Request], AsyncGenerator[Event, None]]
"""Asks the model server; closing what it gives hangs up."""

Unanswered: TypeAlias = Literal["unknown", "malformed", "cut", "by hand"]
"""Why a call has no answer: not declared, arguments that do not fit, perhaps cut off, or no rule
that answers it.
"""

RunEnding: TypeAlias = Literal["answered", "incomplete", "unanswered", "step_limit"]
"""The last turn made no call; or broke off; or a call has no answer; or more steps are needed."""


@dataclass(frozen=True, slots=True)
class AnsweredCall:
    """A call and its answer, or why it has none."""

    call: ToolCall
    answer: Answer | None = None
    unanswered: Unanswered | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One turn of a run, numbered from 1, and what its calls got, in call order.

    The answers are those of the rules. They were sent if another step followed, or the run ended
    at its limit.
    """

    number: int
    request: Request
    turn: Turn
    calls: tuple[AnsweredCall, ...] = ()

    @property
    def wait_s(self) -> float:
        """Seconds until its answers are there: called in parallel, the slowest tool counts."""
        return max((each.answer.delay_s for each in self.calls if each.answer), default=0.0)


@dataclass(frozen=True, slots=True)
class StepEvent:
    """What happens while the turn of a step runs."""

    number: int
    event: Event


@dataclass(frozen=True, slots=True)
class StepEnded:
    """The turn of a step is over; the waits of its answers begin."""

    step: Step


RunEvent: TypeAlias = StepEvent | StepEnded


class ToolRun:
    """Asks, answers the calls, and asks again. `events()` is to be gone through once.

    `steps`, `conversation` and `ending` tell what has come of it so far, also after it was
    closed or cancelled in the middle: the turn that was running is then the last step, as stopped.

    `build` makes the request for a conversation. `clock` gives seconds, as TurnBuilder wants it.
    """

    def __init__(
        self,
        conversation: Conversation,
        *,
        build: Callable[[Conversation], Request],
        stream: EventStream,
        checker: ArgumentChecker,
        mocks: Mocks,
        max_steps: int = MAX_STEPS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.conversation = conversation
        self.steps: tuple[Step, ...] = ()
        self.ending: RunEnding | None = None
        self._build = build
        self._stream = stream
        self._checker = checker
        self._mocks = mocks
        self._max_steps = max_steps
        self._clock = clock

    async def events(self) -> AsyncGenerator[RunEvent, None]:
        """Runs the steps. Closing or cancelling it hangs up on the model server."""
        for number in range(1, self._max_steps + 1):
            async with aclosing(self._turn(number)) as events:
                async for event in events:
                    yield event
            step = self.steps[-1]
            if step.turn.parts:
                self.conversation = self.conversation.with_message(step.turn.message())
            yield StepEnded(step)
            self.ending = _ending_after(step)
            if self.ending is not None:
                return
            await asyncio.sleep(step.wait_s)
            self.conversation = self.conversation.with_message(_results(step))
        self.ending = "step_limit"

    async def _turn(self, number: int) -> AsyncGenerator[StepEvent, None]:
        """The events of one turn; however it ends, what came becomes the last step."""
        request = self._build(self.conversation)
        builder = TurnBuilder(self._clock)
        is_over = False
        try:
            async with aclosing(self._stream(request)) as events:
                async for event in events:
                    builder.add(event)
                    yield StepEvent(number, event)
            is_over = True
        finally:
            if not is_over:
                builder.stop()
            turn = builder.turn()
            calls = tuple(self._answered(call, turn) for call in turn.tool_calls)
            self.steps = (*self.steps, Step(number, request, turn, calls))

    def _answered(self, call: ToolCall, turn: Turn) -> AnsweredCall:
        if not self._checker.declared(call.name):
            return AnsweredCall(call, unanswered="unknown")
        if self._checker.problems(call.name, call.arguments):
            return AnsweredCall(call, unanswered="malformed")
        if not turn.complete or turn.finish_reason not in ("tool_calls", "stop"):
            return AnsweredCall(call, unanswered="cut")
        answer = self._mocks.answer(call.name, read_arguments(call.arguments))
        return AnsweredCall(call, answer, None if answer else "by hand")


def _ending_after(step: Step) -> RunEnding | None:
    if not step.turn.complete:
        return "incomplete"
    if not step.calls:
        return "answered"
    if any(each.answer is None for each in step.calls):
        return "unanswered"
    return None


def _results(step: Step) -> Message:
    """The tool message: a result for each call, in call order."""
    return Message(
        "tool",
        tuple(ToolResult(each.call.id, each.answer.content) for each in step.calls if each.answer),
    )
