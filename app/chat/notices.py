"""What a finished turn must tell its reader: a code, a sentence, and what to do.

Codes are part of the interface: the page, `ask --json` and reports all carry them. The sentences
stand in `notice_texts`. A checker of call arguments is passed in, since schemas are another
package's business.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol, Self

from app.chat.code_spans import tags_outside_code
from app.chat.history import Repair
from app.chat.messages import ToolCall
from app.chat.notice_texts import Sentence, code_of, remedy
from app.chat.turn import Turn

KNOWN_ENDINGS: Final = ("stop", "length", "tool_calls")
_CALL_TAG = "<tool_call>"
_CALL_MARKUP = re.compile(r"<tool_call>\s*(?:\{|[\w.:-]+\s*(?:<arg_key>|</tool_call>|\Z))")


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing to know about a turn, and its remedy; both are sentences for a reader, in English.

    `key` and `values` are what the message is made from, for a page in another language: its first
    sentence, and its `more` sentences. A key of "" says that there is only the English.
    """

    code: str
    message: str
    remedy: str
    key: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    more: tuple[Sentence, ...] = ()

    @classmethod
    def of(cls, key: str, *more: Sentence, **values: str) -> Self:
        """The notice of a key of `notice_texts`, its message followed by `more` sentences."""
        message = " ".join(map(str, (Sentence(key, values), *more)))
        return cls(code_of(key), message, remedy(key), key, values, more)


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a call's arguments, and where: `path` is a JSON path such as `$.days`."""

    path: str
    message: str


class ArgumentChecker(Protocol):
    """Knows the declared tools and their schemas."""

    def declared(self, name: str) -> bool:
        """Whether the request declared a tool of this name."""
        ...

    def problems(self, name: str, arguments: str) -> Sequence[Problem]:
        """What is wrong with the arguments; for a tool not declared, with their JSON alone."""
        ...


def notices(
    turn: Turn, checker: ArgumentChecker, repairs: Iterable[Repair] = ()
) -> tuple[Notice, ...]:
    """All that a reader must be told about a turn that has ended, the gravest first.

    `repairs` are those of the request that the turn answered.
    """
    return (
        *_ending(turn),
        *_content(turn),
        *_calls(turn, checker),
        *_repairs(repairs),
    )


def _ending(turn: Turn) -> list[Notice]:
    failure = turn.failure
    if failure is not None and failure.kind != "cut_short":
        return [_failed(failure.kind, failure.message, failure.status, kept=bool(turn.parts))]
    found: list[Notice] = []
    answered = bool(turn.content.strip())
    if not (answered or turn.reasoning or turn.tool_calls):
        if turn.stopped:
            return [_stopped(kept=False)]
        found.append(_with_reason("empty_reply", failure.message if failure else ""))
    elif turn.stopped:
        return [_stopped(kept=True)]
    elif turn.finish_reason is None:
        found.append(_with_reason("cut_short", failure.message if failure else ""))
    return [*found, *_finish(turn, answered=answered)]


def _finish(turn: Turn, *, answered: bool) -> list[Notice]:
    reason = turn.finish_reason
    if reason is None:
        return []
    calls = bool(turn.tool_calls)
    if reason not in KNOWN_ENDINGS:
        return [_ended_by_server(reason)]
    if reason == "tool_calls" and not calls:
        return [Notice.of("missing_tool_call")]
    if answered or calls:
        return [Notice.of("token_limit")] if reason == "length" else []
    if turn.reasoning and not _has_call_markup(turn.reasoning):
        return [_only_reasoning(reason, turn.stop_reason)]
    return []


def _content(turn: Turn) -> list[Notice]:
    found: list[Notice] = []
    if turn.thought_split:
        found.append(Notice.of("thought_in_answer"))
    if _has_call_markup(turn.reasoning):
        found.append(Notice.of("tool_text_in_reasoning"))
    if _has_call_markup(turn.content):
        found.append(Notice.of("tool_text_in_answer"))
    return found


def _calls(turn: Turn, checker: ArgumentChecker) -> list[Notice]:
    found = [notice for call in turn.tool_calls for notice in _call(call, turn, checker)]
    if turn.dropped_calls:
        kept = len(turn.tool_calls)
        made = str(kept + turn.dropped_calls)
        found.append(Notice.of("too_many_calls", made=made, kept=str(kept)))
    return found


def _call(call: ToolCall, turn: Turn, checker: ArgumentChecker) -> list[Notice]:
    found: list[Notice] = []
    named = {"name": call.name} if call.name else {}
    if not checker.declared(call.name):
        found.append(Notice.of("unknown_tool" if named else "unknown_tool.unnamed", **named))
    problems = checker.problems(call.name, call.arguments)
    if problems:
        key = _invalid_arguments(is_named=bool(named), is_cut=turn.finish_reason == "length")
        found.append(Notice.of(key, problems=_listed(problems), **named))
    return found


def _invalid_arguments(*, is_named: bool, is_cut: bool) -> str:
    if is_named:
        return "invalid_arguments.cut" if is_cut else "invalid_arguments"
    return "invalid_arguments.unnamed_cut" if is_cut else "invalid_arguments.unnamed"


def _listed(problems: Sequence[Problem]) -> str:
    listed = "; ".join(f"{problem.path}: {problem.message}" for problem in problems[:5])
    return f"{listed}; and {len(problems) - 5} more" if len(problems) > 5 else listed


def _repairs(repairs: Iterable[Repair]) -> list[Notice]:
    """One notice a kind of repair, its sentences joined."""
    kinds: dict[str, dict[str, Sentence | None]] = {}
    for repair in repairs:
        kinds.setdefault(repair.code, {})[repair.message] = repair.sentence
    return [_repaired(code, said) for code, said in kinds.items()]


def _repaired(code: str, said: Mapping[str, Sentence | None]) -> Notice:
    notice = Notice(code, " ".join(said), remedy(code))
    sentences = [sentence for sentence in said.values() if sentence]
    if len(sentences) < len(said):
        return notice
    first, *more = sentences
    return replace(notice, key=first.key, values=first.values, more=tuple(more))


def _has_call_markup(text: str) -> bool:
    if _CALL_TAG not in text:
        return False
    return any(_CALL_MARKUP.match(text, at) for at in tags_outside_code(text, _CALL_TAG))


def _failed(kind: str, message: str, status: int | None, *, kept: bool) -> Notice:
    more = (Sentence("kept"),) if kept else ()
    if kind != "server_error":
        return Notice.of(kind, *more, message=message)
    if status is None:
        return Notice.of("server_error.no_status", *more, message=message)
    return Notice.of(_server_error(status), *more, status=str(status), message=message)


def _server_error(status: int) -> str:
    if status in (401, 403):
        return "server_error.access"
    if status == 404:
        return "server_error.not_found"
    if status == 413:
        return "server_error.too_large"
    if 400 <= status < 500 and status not in (408, 409, 429):
        return "server_error.request"
    return "server_error"


def _stopped(*, kept: bool) -> Notice:
    return Notice.of("stopped" if kept else "stopped.nothing")


def _with_reason(key: str, detail: str) -> Notice:
    return Notice.of(f"{key}.why", detail=detail.rstrip(".")) if detail else Notice.of(key)


def _ended_by_server(reason: str) -> Notice:
    if reason in ("abort", "repetition", "content_filter"):
        return Notice.of(f"ended_by_server.{reason}")
    return Notice.of("ended_by_server", reason=reason)


def _only_reasoning(reason: str, stop_reason: str | int | None) -> Notice:
    if reason == "length":
        return Notice.of("only_reasoning.length")
    if isinstance(stop_reason, str):
        return Notice.of("only_reasoning.stop_string", stop=stop_reason)
    return Notice.of("only_reasoning")
