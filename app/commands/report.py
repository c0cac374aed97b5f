"""What `ask` prints: one JSON object, or the answer as it comes and the rest beside it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from app.chat.events import ContentDelta, ContentWasReasoning, Event, ReasoningDelta, Waiting
from app.tools.report import report_json


def print_json(report: Mapping[str, Any]) -> None:
    """The report on standard output, and nothing else."""
    print(report_json(report))


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
