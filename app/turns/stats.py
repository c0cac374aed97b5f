"""The figures of a turn: seconds, tokens, tokens a second; None where not known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.chat.entries import PartTokens
from app.chat.messages import Reasoning
from app.chat.turn import Turn
from app.turns.prices import Spent
from app.turns.tokens import estimate_tokens, token_count


def turn_stats(turn: Turn, tokens: PartTokens) -> dict[str, Any]:
    """The figures that are shown under a turn.

    Thinking and answering are kept apart. `estimated` says that the server gave no counts.
    `context_tokens` is what prompt and answer take together, by the server's count.
    """
    usage = turn.usage or {}
    completion = token_count(usage.get("completion_tokens"))
    prompt = token_count(usage.get("prompt_tokens"))
    thought_s, answered_s, thought = _spans(turn, tokens)
    details = _mapping(usage.get("completion_tokens_details"))
    reasoning_tokens = token_count(details.get("reasoning_tokens"))
    if reasoning_tokens is None:
        reasoning_tokens = thought
    if completion is not None:
        answer_tokens = max(0, completion - reasoning_tokens)
    else:
        answer_tokens = estimate_tokens(turn.content) + sum(
            estimate_tokens(call.arguments) for call in turn.tool_calls
        )
    return {
        "first_token_s": _rounded(turn.timings.first_token_s),
        "reasoning_tokens": reasoning_tokens,
        "answer_tokens": answer_tokens,
        "prompt_tokens": prompt,
        "cached_tokens": token_count(
            _mapping(usage.get("prompt_tokens_details")).get("cached_tokens")
        ),
        "context_tokens": None if None in (prompt, completion) else prompt + completion,  # type: ignore[operator]
        "thinking_tokens_per_s": _speed(reasoning_tokens, thought_s),
        "answer_tokens_per_s": _speed(answer_tokens, answered_s),
        "total_s": _rounded(turn.timings.total_s),
        "estimated": completion is None,
        "finish_reason": turn.finish_reason,
    }


def spent(stats: Mapping[str, Any]) -> Spent:
    """What a turn took of the server, from its figures."""
    return Spent(
        prompt_tokens=stats.get("prompt_tokens") or 0,
        cached_tokens=stats.get("cached_tokens") or 0,
        completion_tokens=(stats.get("reasoning_tokens") or 0) + (stats.get("answer_tokens") or 0),
        seconds=stats.get("total_s") or 0.0,
    )


def _spans(turn: Turn, tokens: PartTokens) -> tuple[float, float, int]:
    """Seconds of thought, seconds of answer, tokens of thought."""
    thought_s = answered_s = 0.0
    thought = 0
    for part, (count, _), seconds in zip(
        turn.parts, tokens, turn.timings.part_seconds, strict=True
    ):
        if isinstance(part, Reasoning):
            thought_s += seconds
            thought += count or 0
        else:
            answered_s += seconds
    return thought_s, answered_s, thought


def _speed(tokens: int, seconds: float) -> float | None:
    """Tokens a second; None where there were too few to say."""
    return round(tokens / seconds, 1) if tokens > 1 and seconds >= 0.05 else None


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
