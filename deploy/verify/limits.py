"""Checks of the context's end: asking for too many tokens, and sending too many."""

from __future__ import annotations

from typing import Final

from deploy.verify.check import Cost, Topic
from deploy.verify.outcomes import hold
from deploy.verify.refusals import read_refusal
from deploy.verify.shapes import Chunk
from deploy.verify.subject import Subject
from deploy.verify.wire import DONE, quoted, read_json

topic = Topic()

_OVER_AND_OVER: Final = " a a"
"""Two tokens of the model's, one of the simulator's, which counts characters by fours."""


@topic.check("max_tokens_too_many", "max_tokens over {max_model_len:,} is refused", costly=True)
async def max_tokens_too_many(subject: Subject) -> str | None:
    """Costs nothing where it is refused."""
    body = subject.body("Hello", max_tokens=2 * subject.promises.max_model_len)
    refusal = read_refusal(await subject.wire.chat(body), 400)
    hold("max_tokens" in f"{refusal.param} {refusal.message}", f"it says: {refusal.message}")
    return refusal.message


@topic.check(
    "max_tokens_clamped",
    "max_tokens of {max_model_len:,} is taken, for what is left after the prompt",
    tokens=100,
    costly=True,
)
async def max_tokens_clamped(subject: Subject) -> str | None:
    """Stopped at the first text."""
    body = subject.body("Hello", max_tokens=subject.promises.max_model_len, stream=True)
    async with subject.wire.stream(body) as answer:
        async for data in answer.events():
            if data == DONE:
                break
            choices = read_json(data, Chunk).choices
            if any(choice.delta.content or choice.delta.thoughts for choice in choices):
                return "stopped at its first text"
    hold(False, "the stream ended without any text")
    return None


@topic.check(
    "prompt_too_long",
    "a prompt of more than {max_model_len:,} tokens is refused",
    asks={"long prompt": Cost()},
    costly=True,
)
async def prompt_too_long(subject: Subject) -> str | None:
    """Counted by the server, not computed; some megabytes are sent."""
    text = _OVER_AND_OVER * (subject.promises.max_model_len + 1)
    refusal = read_refusal(await subject.wire.chat(subject.body(text, max_tokens=1)), 400)
    hold("context length" in refusal.message, f"it says: {refusal.message}")
    return quoted(refusal.message)
