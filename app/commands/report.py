"""What `ask` prints: one JSON object, or the answer as it comes and the rest beside it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Final, TextIO

from app.chat.events import ContentDelta, ContentWasReasoning, Event, ReasoningDelta, Waiting
from app.tools.report import report_json

_CONTROLS: Final = {
    code: None if chr(code) == "\r" else "\N{REPLACEMENT CHARACTER}"
    for code in (*range(0x20), *range(0x7F, 0xA0))
    if chr(code) not in "\n\t"
}
"""Characters that move the cursor, or begin what a terminal takes as a command."""


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
                print(_shown(text, sys.stdout), end="", flush=True)
            case ContentWasReasoning():
                self.note("[what came so far was thought]")
            case Waiting(_, _, seconds, message):
                wait = f" ({seconds:.1f} s)" if seconds else ""
                self.note(f"{message or 'Waiting.'}{wait}")

    def end(self, report: Mapping[str, Any]) -> None:
        """Prints the calls, their answers and the notices of a turn that has ended."""
        self.close()
        for call in report["tool_calls"]:
            self.note(f"Call: {call['name']} {call['arguments']}")
        for answer in report["answers"]:
            if answer["content"] is not None:
                self.note(f"Answer by {answer['answered_by']}: {answer['content']}")
        for notice in report["notices"]:
            self.note(f"{notice['message']} {notice['remedy']} [{notice['code']}]")

    def note(self, text: str) -> None:
        """Prints a line beside the answer."""
        self._end_thought()
        print(_shown(text, sys.stderr), file=sys.stderr, flush=True)

    def close(self) -> None:
        """Leaves the terminal as it was, wherever the turn was."""
        self._end_thought()
        if self._answered:
            print(flush=True)
        self._answered = False

    def _beside(self, text: str) -> None:
        opening = "\x1b[2m" if self._dims and not self._thinking else ""
        self._thinking = True
        print(f"{opening}{_shown(text, sys.stderr)}", end="", file=sys.stderr, flush=True)

    def _end_thought(self) -> None:
        if self._thinking:
            print("\x1b[0m" if self._dims else "", file=sys.stderr, flush=True)
        self._thinking = False


def _shown(text: str, where: TextIO) -> str:
    """A text without what a terminal would obey; a file gets it as it is."""
    return text.translate(_CONTROLS) if where.isatty() else text
