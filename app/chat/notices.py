"""What a finished turn must tell its reader: a code, a sentence, and what to do.

Codes are part of the interface: the page, `ask --json` and reports all carry them. A checker of
call arguments is passed in, since schemas are another package's business.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from app.chat.code_spans import tags_outside_code
from app.chat.history import Repair
from app.chat.messages import ToolCall
from app.chat.turn import Turn

KNOWN_ENDINGS: Final = ("stop", "length", "tool_calls")
_CALL_TAG = "<tool_call>"
_CALL_MARKUP = re.compile(r"<tool_call>\s*(?:\{|[\w.:-]+\s*(?:<arg_key>|</tool_call>|\Z))")


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing to know about a turn, and its remedy; both are sentences for a reader."""

    code: str
    message: str
    remedy: str


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
        found.append(_empty(failure.message if failure else ""))
    elif turn.stopped:
        return [_stopped(kept=True)]
    elif turn.finish_reason is None:
        found.append(_cut_short(failure.message if failure else ""))
    return [*found, *_finish(turn, answered=answered)]


def _finish(turn: Turn, *, answered: bool) -> list[Notice]:
    reason = turn.finish_reason
    if reason is None:
        return []
    calls = bool(turn.tool_calls)
    if reason not in KNOWN_ENDINGS:
        return [_ended_by_server(reason)]
    if reason == "tool_calls" and not calls:
        return [
            Notice(
                "missing_tool_call",
                "The server said that the model calls a tool, but sent no call.",
                "Retry; if it happens again, the server's tool parser lost the call.",
            )
        ]
    if answered or calls:
        return [_token_limit()] if reason == "length" else []
    if turn.reasoning and not _has_call_markup(turn.reasoning):
        return [_only_reasoning(reason, turn.stop_reason)]
    return []


def _content(turn: Turn) -> list[Notice]:
    found: list[Notice] = []
    if turn.thought_split:
        found.append(
            Notice(
                "thought_in_answer",
                "The server sent the thought inside the answer; it was split off.",
                "Nothing to do here; the server's reasoning parser may be off.",
            )
        )
    if _has_call_markup(turn.reasoning):
        found.append(
            Notice(
                "tool_text_in_reasoning",
                "The model wrote a tool call into its reasoning, where no parser takes it.",
                "Retry, or ask the model to call the tool after it has finished thinking.",
            )
        )
    if _has_call_markup(turn.content):
        found.append(
            Notice(
                "tool_text_in_answer",
                "The answer holds a tool call as text: no parser took it, and it was not run.",
                "Declare the tool, or check the server's tool-call parser; then retry.",
            )
        )
    return found


def _calls(turn: Turn, checker: ArgumentChecker) -> list[Notice]:
    found = [notice for call in turn.tool_calls for notice in _call(call, turn, checker)]
    if turn.dropped_calls:
        kept = len(turn.tool_calls)
        found.append(
            Notice(
                "too_many_calls",
                f"The model made {kept + turn.dropped_calls} calls; the first {kept} are kept.",
                "Retry, ask for fewer calls at once, or switch parallel calls off.",
            )
        )
    return found


def _call(call: ToolCall, turn: Turn, checker: ArgumentChecker) -> list[Notice]:
    found: list[Notice] = []
    if not checker.declared(call.name):
        what = f"“{call.name}”, which was not declared" if call.name else "a tool without a name"
        found.append(
            Notice(
                "unknown_tool",
                f"The model called {what}; the call was not run.",
                "Declare the tool, or tell the model which tools there are; then retry.",
            )
        )
    problems = checker.problems(call.name, call.arguments)
    if problems:
        listed = "; ".join(f"{problem.path}: {problem.message}" for problem in problems[:5])
        more = f"; and {len(problems) - 5} more" if len(problems) > 5 else ""
        found.append(
            Notice(
                "invalid_arguments",
                f"The arguments of “{call.name or 'the call'}” are not valid: {listed}{more}.",
                "Allow more tokens and retry."
                if turn.finish_reason == "length"
                else "Retry, or make the tool's description and schema clearer.",
            )
        )
    return found


_REPAIR_REMEDIES: Final = {
    "media_replaced": "Attach the older one again if the model should see it.",
    "history_repaired": "Nothing to do: the server takes the history only so.",
    "control_tokens": "Reword the text if it should not steer the model.",
}


def _repairs(repairs: Iterable[Repair]) -> list[Notice]:
    """One notice a kind of repair, its sentences joined."""
    sentences: dict[str, list[str]] = {}
    for repair in repairs:
        sentences.setdefault(repair.code, []).append(repair.message)
    return [
        Notice(code, " ".join(dict.fromkeys(texts)), _REPAIR_REMEDIES[code])
        for code, texts in sentences.items()
    ]


def _has_call_markup(text: str) -> bool:
    if _CALL_TAG not in text:
        return False
    return any(_CALL_MARKUP.match(text, at) for at in tags_outside_code(text, _CALL_TAG))


def _failed(kind: str, message: str, status: int | None, *, kept: bool) -> Notice:
    what_came = " What came before is kept." if kept else ""
    if kind == "server_error":
        said = f"The server answered {status}" if status else "The server reported an error"
        return Notice(kind, f"{said}: {message}{what_came}", _server_remedy(status))
    if kind == "unreachable":
        return Notice(
            kind,
            f"{message}{what_came}",
            "Check the address and that the server runs, then retry.",
        )
    return Notice(
        kind,
        f"{message}{what_came}",
        "Retry; a long queue or a very long prompt may need a longer timeout.",
    )


def _server_remedy(status: int | None) -> str:
    if status in (401, 403):
        return "Check the API key and that it may use this model."
    if status == 404:
        return "Check the model's name, its id and that it is deployed."
    if status == 413:
        return "Send less: a smaller picture or clip, or a shorter text."
    if status is not None and 400 <= status < 500 and status not in (408, 409, 429):
        return "Change what the message names, then send again."
    return "Wait a little, then retry."


def _stopped(*, kept: bool) -> Notice:
    message = "Stopped; what came before is kept." if kept else "Stopped before anything came."
    return Notice("stopped", message, "Retry for a whole answer.")


def _cut_short(detail: str) -> Notice:
    why = f" ({detail.rstrip('.')})" if detail else ""
    return Notice(
        "cut_short",
        f"The stream broke off before the server finished{why}; what came is kept.",
        "Retry for a whole answer.",
    )


def _empty(detail: str) -> Notice:
    why = f" ({detail.rstrip('.')})" if detail else ""
    return Notice(
        "empty_reply",
        f"The server sent nothing: no reasoning, no answer, no call{why}.",
        "Retry; if it happens again, look at the server's log.",
    )


def _ended_by_server(reason: str) -> Notice:
    words = {
        "abort": "The server gave the request up.",
        "repetition": "The server ended the answer because it repeated itself.",
        "content_filter": "The server's content filter ended the answer.",
    }
    message = words.get(reason, f"The server ended the answer for a reason of its own: “{reason}”.")
    return Notice("ended_by_server", message, "Retry, or change the prompt.")


def _token_limit() -> Notice:
    return Notice(
        "token_limit",
        "The token limit was reached before the answer was complete.",
        "Ask it to continue, or allow more tokens and retry.",
    )


def _only_reasoning(reason: str, stop_reason: str | int | None) -> Notice:
    if reason == "length":
        return Notice(
            "only_reasoning",
            "Thinking used up all the tokens: no answer was begun.",
            "Allow more tokens, or choose a lower effort, then retry.",
        )
    if isinstance(stop_reason, str):
        return Notice(
            "only_reasoning",
            f"The stop string “{stop_reason}” ended the turn while the model was thinking.",
            "Remove that stop string, then retry.",
        )
    return Notice("only_reasoning", "The model thought, but gave no answer.", "Retry.")
