"""Calls of a chat's last turn that nothing has answered yet, and what can answer them.

They are found from the chat alone, so that neither a reload nor a restart loses them. Tools are
never run: a rule answers, or a person.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from app.chat.entries import CallCheck, Entry, GivenResult, ResultsEntry, TurnEntry
from app.chat.history import NOT_EXECUTED
from app.chat.messages import ToolCall
from app.chat.turn import Turn
from app.tools.arguments import ArgumentsError, read_arguments
from app.tools.errors import NoSampleError
from app.tools.mocks import Answer, Mocks, result_text
from app.tools.samples import sample
from app.turns.ended import EDITED

Why: TypeAlias = Literal["by hand", "unknown", "malformed", "cut"]
"""A person, or a rule, is to answer; or the call is none that may be answered by a rule: of no
declared tool, with arguments that do not fit, of a turn that did not come to its end.
"""

_WHOLE: Final = ("tool_calls", "stop", EDITED)
"""How a turn ends whose calls are whole."""


@dataclass(frozen=True, slots=True)
class PendingCall:
    """A call without a result, by an `id` that no other call of its turn has.

    `answer` is that of the rules; `suggestion` the same, else a sample of the tool's result.
    """

    id: str
    call: ToolCall
    why: Why
    answer: Answer | None = None
    suggestion: Answer | None = None

    def view(self) -> dict[str, Any]:
        """As the page gets it."""
        given = self.suggestion
        return {
            "id": self.id,
            "name": self.call.name,
            "suggestion": None
            if given is None
            else {"content": given.content, "answered_by": given.answered_by},
            "why": self.why,
        }

    def given(self, content: str, answered_by: str) -> GivenResult:
        """Its result, under the id that the model gave."""
        return GivenResult(self.call.id, content, answered_by)


def pending_calls(entry: Entry | None, rules: Mocks) -> tuple[PendingCall, ...]:
    """The calls of a chat's last entry, in call order. Takes a while where samples are made."""
    if not isinstance(entry, TurnEntry):
        return ()
    calls = entry.turn.tool_calls
    return tuple(
        _pending(call_id, call, _why(entry.turn, check), rules)
        for call_id, call, check in zip(call_ids(calls), calls, entry.checks, strict=True)
    )


def pending_view(entry: Entry | None, pending: Sequence[PendingCall]) -> dict[str, Any] | None:
    """The calls of a chat's last entry as the page gets them with the chat; None where none waits.

    `limit` is that of the run which ended there at its limit.
    """
    if not isinstance(entry, TurnEntry) or not pending:
        return None
    calls = [call.view() for call in pending]
    return {"turn": entry.id, "calls": calls, "limit": entry.step_limit}


def call_ids(calls: Sequence[ToolCall]) -> list[str]:
    """An id for each call: its own, unless it has none, or one before it has the same."""
    own = {call.id for call in calls}
    ids: list[str] = []
    for position, call in enumerate(calls):
        call_id = call.id
        if not call_id or call_id in ids:
            call_id = next(name for name in _names(position) if name not in own)
        ids.append(call_id)
    return ids


def answered_by_rules(pending: Iterable[PendingCall]) -> tuple[Answer, ...] | None:
    """The answers of the rules; None where there is no call, or one that no rule answers."""
    answers = [each.answer for each in pending]
    found = tuple(answer for answer in answers if answer is not None)
    return found if found and len(found) == len(answers) else None


def given_by_rules(
    pending: Sequence[PendingCall], answers: Sequence[Answer]
) -> tuple[GivenResult, ...]:
    """The results that the answers of rules are."""
    return tuple(
        each.given(answer.content, answer.answered_by)
        for each, answer in zip(pending, answers, strict=True)
    )


def cancelled(entry_id: str, pending: Iterable[PendingCall]) -> ResultsEntry:
    """The model is told of each call that it was not executed."""
    given = tuple(each.given(NOT_EXECUTED, "cancelled") for each in pending)
    return ResultsEntry(entry_id, given)


def _names(position: int) -> Iterator[str]:
    name = f"call-{position}"
    while True:
        yield name
        name += "-again"


def _why(turn: Turn, check: CallCheck) -> Why:
    if not check.declared:
        return "unknown"
    if check.problems:
        return "malformed"
    return "by hand" if turn.complete and turn.finish_reason in _WHOLE else "cut"


def _pending(call_id: str, call: ToolCall, why: Why, rules: Mocks) -> PendingCall:
    if why in ("unknown", "malformed"):
        return PendingCall(call_id, call, why)
    try:
        arguments = read_arguments(call.arguments)
    except ArgumentsError:  # the check of a chat from elsewhere may not have been ours
        return PendingCall(call_id, call, "malformed")
    answer = rules.answer(call.name, arguments)
    suggestion = answer or _sample(call.name, rules)
    return PendingCall(call_id, call, why, answer if why == "by hand" else None, suggestion)


def _sample(name: str, rules: Mocks) -> Answer | None:
    if name not in rules.results:
        return None
    try:
        return Answer(result_text(sample(rules.results[name])), "generated")
    except NoSampleError:
        return None
