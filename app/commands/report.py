"""What `ask` prints: one JSON object, or the answer as it comes and the rest beside it."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from app.chat.events import ContentDelta, ContentWasReasoning, Event, ReasoningDelta, Waiting
from app.chat.messages import ToolCall
from app.chat.notices import ArgumentChecker, notices
from app.tools.run import AnsweredCall, Step

_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def step_report(step: Step, checker: ArgumentChecker) -> dict[str, Any]:
    """A turn of a run as `--json` words it, with what its calls got.

    Seconds count from the turn's beginning; None: never came.
    """
    turn = step.turn
    timings = turn.timings
    return {
        "complete": turn.complete,
        "reasoning": turn.reasoning,
        "content": turn.content,
        "finish_reason": turn.finish_reason,
        "tool_calls": [_call(call, checker) for call in turn.tool_calls],
        "notices": [asdict(n) for n in notices(turn, checker, step.request.repairs)],
        "error": asdict(turn.failure) if turn.failure is not None else None,
        "usage": dict(turn.usage) if turn.usage is not None else None,
        "timings": {
            "first_byte_s": _rounded(timings.first_byte_s),
            "first_reasoning_s": _rounded(timings.first_reasoning_s),
            "first_content_s": _rounded(timings.first_content_s),
            "total_s": _rounded(timings.total_s),
        },
        "request": step.request.body,
        "answers": [_answer(each) for each in step.calls],
    }


def _call(call: ToolCall, checker: ArgumentChecker) -> dict[str, Any]:
    problems = checker.problems(call.name, call.arguments)
    return {**asdict(call), "problems": [asdict(problem) for problem in problems]}


def _answer(answered: AnsweredCall) -> dict[str, Any]:
    """What a call got and what answered it; or why nothing did."""
    answer = answered.answer
    return {
        "id": answered.call.id,
        "name": answered.call.name,
        "content": answer.content if answer else None,
        "answered_by": answer.answered_by if answer else None,
        "unanswered": answered.unanswered,
    }


def print_json(report: Mapping[str, Any]) -> None:
    """The report on standard output, and nothing else."""
    text = json.dumps(report, ensure_ascii=False, indent=2)
    # Half a surrogate pair is no text: what is sent, and printed, is U+FFFD in its place.
    print(_HALF_CHARACTER.sub("\N{REPLACEMENT CHARACTER}", text))


class Console:
    """Shows a turn as it comes: the answer on standard output, all else on standard error.

    So `ask … > answer.md` holds the answer alone.
    """

    def __init__(self) -> None:
        self._dims = sys.stderr.isatty()
        self._thinking = False
        self._answered = False

    def show(self, event: Event) -> None:
        """Prints what one event adds."""
        match event:
            case ReasoningDelta(text):
                self._beside(text)
            case ContentDelta(text):
                self._end_thought()
                self._answered = True
                print(text, end="", flush=True)
            case ContentWasReasoning():
                self._line("[what came so far was thought]")
            case Waiting(_, _, seconds, message):
                wait = f" ({seconds:.1f} s)" if seconds else ""
                self._line(f"{message or 'Waiting.'}{wait}")

    def end(self, report: Mapping[str, Any]) -> None:
        """Prints the calls, their answers and the notices of a turn that has ended."""
        self._end_thought()
        if self._answered:
            print(flush=True)
        self._answered = False
        for call in report["tool_calls"]:
            self._line(f"Call: {call['name']} {call['arguments']}")
        for answer in report["answers"]:
            if answer["content"] is not None:
                self._line(f"Answer by {answer['answered_by']}: {answer['content']}")
        for notice in report["notices"]:
            self._line(f"{notice['message']} {notice['remedy']} [{notice['code']}]")

    def _beside(self, text: str) -> None:
        opening = "\x1b[2m" if self._dims and not self._thinking else ""
        self._thinking = True
        print(f"{opening}{text}", end="", file=sys.stderr, flush=True)

    def _end_thought(self) -> None:
        if self._thinking:
            print("\x1b[0m" if self._dims else "", file=sys.stderr, flush=True)
        self._thinking = False

    def _line(self, text: str) -> None:
        self._end_thought()
        print(text, file=sys.stderr, flush=True)


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 4)
