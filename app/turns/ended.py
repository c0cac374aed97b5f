"""A turn that has ended, as its chat keeps it: notices, checks and figures with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from app.chat.entries import CallCheck, PartTokens, TurnEntry
from app.chat.history import Repair
from app.chat.messages import Reasoning, Text, ToolCall
from app.chat.notices import ArgumentChecker, notices
from app.chat.turn import Timings, Turn, TurnPart, continued
from app.tools.answers import check_answer
from app.turns.stats import turn_stats
from app.turns.tokens import estimate_tokens

EDITED = "edited"
"""The finish reason of a turn that a person worded; of no server."""


def ended_turn(
    turn_id: str,
    turn: Turn,
    tokens: PartTokens,
    *,
    checker: ArgumentChecker,
    repairs: Iterable[Repair] = (),
    effort: str | None = None,
    base: TurnEntry | None = None,
) -> TurnEntry:
    """The entry of a turn; with `base`, of what the turn makes of that one by going on with it."""
    if base is not None:
        turn, tokens = continued(base.turn, turn), _tokens_of_both(base, turn, tokens)
        effort = base.effort
    return TurnEntry(
        id=turn_id,
        turn=turn,
        notices=notices(turn, checker, repairs),
        checks=tuple(check_call(checker, call) for call in turn.tool_calls),
        stats=turn_stats(turn, tokens),
        tokens=tokens,
        effort=effort,
        edited=base is not None and base.edited,
    )


def recorded_turn(
    turn_id: str,
    turn: Turn,
    tokens: PartTokens,
    *,
    checker: ArgumentChecker,
    effort: str | None,
    edited: bool,
) -> TurnEntry:
    """The entry of a turn that came with a file: all that can be is found out anew.

    Counts and seconds that are not one for each part are taken for unknown.
    """
    seconds = turn.timings.part_seconds
    if len(seconds) != len(turn.parts):
        unknown = replace(turn.timings, part_seconds=(0.0,) * len(turn.parts))
        turn = replace(turn, timings=unknown)
    if len(tokens) != len(turn.parts):
        tokens = estimated_tokens(turn)
    if edited and turn.finish_reason == EDITED:
        entry = _worded(turn_id, turn, tokens, effort, checker)
    else:
        entry = ended_turn(turn_id, turn, tokens, checker=checker, effort=effort)
    return replace(entry, edited=edited, recorded=True)


def answer_checked(entry: TurnEntry, schema: Mapping[str, Any] | None) -> TurnEntry:
    """The entry with what the check of its answer found, where its request gave a schema for it.

    A turn without an answer, and a person's wording, is not checked. Takes a while for a long
    answer: not for the event loop.
    """
    text = entry.turn.content
    if schema is None or not text.strip() or entry.turn.finish_reason == EDITED:
        return entry
    return replace(entry, answer_check=check_answer(text, schema))


def edited_turn(turn_id: str, entry: TurnEntry, text: str) -> TurnEntry:
    """The answer in a person's wording; the thoughts before it stay, calls do not."""
    at = next(
        (i for i, part in enumerate(entry.turn.parts) if not isinstance(part, Reasoning)),
        len(entry.turn.parts),
    )
    parts = (*entry.turn.parts[:at], Text(text))
    seconds = (*entry.turn.timings.part_seconds[:at], 0.0)
    tokens = (*entry.tokens[:at], (estimate_tokens(text), True))
    turn = Turn(parts=parts, finish_reason=EDITED, timings=Timings(part_seconds=seconds))
    return _worded(turn_id, turn, tokens, entry.effort)


def repaired_turn(
    turn_id: str, entry: TurnEntry, position: int, arguments: str, checker: ArgumentChecker
) -> TurnEntry:
    """The turn with a person's arguments of its call at `position`, checked like the model's.

    It counts as come to its end: a call that was cut is whole now.
    """
    calls = 0
    parts: list[TurnPart] = []
    for part in entry.turn.parts:
        if isinstance(part, ToolCall):
            part = replace(part, arguments=arguments) if calls == position else part
            calls += 1
        parts.append(part)
    seconds = Timings(part_seconds=entry.turn.timings.part_seconds)
    turn = Turn(parts=tuple(parts), finish_reason=EDITED, timings=seconds)
    return _worded(turn_id, turn, entry.tokens, entry.effort, checker)


def _worded(
    turn_id: str,
    turn: Turn,
    tokens: PartTokens,
    effort: str | None,
    checker: ArgumentChecker | None = None,
) -> TurnEntry:
    """A turn that a person changed; `checker` is for the calls in it."""
    unknown = dict.fromkeys(turn_stats(turn, tokens)) | {"estimated": True}  # no server made it
    calls = turn.tool_calls
    return TurnEntry(
        turn_id,
        turn,
        notices=notices(replace(turn, finish_reason="tool_calls"), checker)
        if checker and calls
        else (),
        checks=tuple(check_call(checker, call) for call in calls) if checker else (),
        stats=unknown,
        tokens=tokens,
        effort=effort,
        edited=True,
    )


def check_call(checker: ArgumentChecker, call: ToolCall) -> CallCheck:
    """What is wrong with one call."""
    declared = checker.declared(call.name)
    return CallCheck(declared, tuple(checker.problems(call.name, call.arguments)))


def estimated_tokens(turn: Turn) -> PartTokens:
    """An estimate for each text of a turn, where nobody has counted."""
    return tuple(
        (None, True) if isinstance(part, ToolCall) else (estimate_tokens(part.text), True)
        for part in turn.parts
    )


def _tokens_of_both(base: TurnEntry, more: Turn, tokens: PartTokens) -> PartTokens:
    """Counts of the joined turn's parts, from those of both."""
    whole = continued(base.turn, more)
    if len(base.tokens) + len(tokens) == len(whole.parts):
        return (*base.tokens, *tokens)
    if base.tokens and len(base.tokens) + len(tokens) == len(whole.parts) + 1:
        (before, rough), (after, guessed) = base.tokens[-1], tokens[0]
        seam = ((before or 0) + (after or 0), rough or guessed)
        return (*base.tokens[:-1], seam, *tokens[1:])
    return estimated_tokens(whole)
