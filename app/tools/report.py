"""A run in one object, for programs: what `ask --json` prints and the endpoint `chat` answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from app.chat.messages import ToolCall
from app.chat.notices import ArgumentChecker, notices
from app.tools.json_text import HALF_CHARACTER
from app.tools.run import AnsweredCall, Step, ToolRun


def run_report(run: ToolRun, checker: ArgumentChecker) -> dict[str, Any]:
    """The last turn of a run that has begun, and under `steps` each of its turns."""
    steps = [step_report(step, checker) for step in run.steps]
    last = {key: value for key, value in steps[-1].items() if key != "answers"}
    return {**last, "steps": steps}


def step_report(step: Step, checker: ArgumentChecker) -> dict[str, Any]:
    """A turn of a run, with what its calls got.

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


def report_json(report: Mapping[str, Any]) -> str:
    """A report as JSON.

    Half a surrogate pair is no text: U+FFFD stands in its place, as in what is sent.
    """
    text = json.dumps(report, ensure_ascii=False, indent=2)
    return HALF_CHARACTER.sub("\N{REPLACEMENT CHARACTER}", text)


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 4)
