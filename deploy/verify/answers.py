"""Checks of plain answers: whole, streamed, their thought, and the tokens that they took."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Final

from deploy.verify.check import Cost, Topic
from deploy.verify.outcomes import SkippedError, hold
from deploy.verify.shapes import Chunk, Completion, Usage
from deploy.verify.subject import Subject
from deploy.verify.wire import DONE, read_json

topic = Topic()

_PROMPT: Final = "Say hello in one short sentence."
_MAX_TOKENS: Final = 1500
_WHOLE: Final = {"whole": Cost(1, _MAX_TOKENS)}
_STREAM: Final = {"stream": Cost(1, _MAX_TOKENS)}
_TAGS: Final = ("<think>", "</think>")
_CACHE_FLAG: Final = "--enable-prompt-tokens-details"
_LONG_PROMPT: Final = "This sentence is one of many that are alike. " * 200 + "Say hello."


@dataclass(slots=True)
class _Streamed:
    """A streamed answer: its chunks as they came, and how many seconds the first text took."""

    content_type: str
    chunks: list[Chunk] = field(default_factory=list)
    done: bool = False
    first_text_s: float | None = None

    def text(self, name: str) -> str:
        """All of `content`, or of a thought under one of its names."""
        deltas = [choice.delta for chunk in self.chunks for choice in chunk.choices]
        return "".join(getattr(delta, name) or "" for delta in deltas)

    @property
    def texts(self) -> int:
        """How many chunks bring thought or answer."""
        deltas = [choice.delta for chunk in self.chunks for choice in chunk.choices]
        return sum(bool(delta.content or delta.thoughts) for delta in deltas)


@topic.check("whole", "an answer comes in one piece", asks=_WHOLE)
async def whole(subject: Subject) -> str | None:
    """Without `stream`."""
    choice = (await _whole(subject)).choices[0]
    hold(choice.message.role == "assistant", f"its role is {choice.message.role}")
    hold(choice.message.content, f"no answer, and it finished with {choice.finish_reason}")
    return f"finish_reason {choice.finish_reason}"


@topic.check("stream", "an answer is streamed", asks=_STREAM)
async def stream(subject: Subject) -> str | None:
    """Role, text in pieces, a reason to finish, the usage that was asked for, and `[DONE]`."""
    streamed = await _streamed(subject)
    declared = streamed.content_type or "nothing"
    hold(declared.startswith("text/event-stream"), f"the content-type is {declared}")
    hold(streamed.chunks, "not one event came")
    first = streamed.chunks[0]
    role = first.choices[0].delta.role if first.choices else None
    hold(role == "assistant", "the first chunk does not begin the assistant's message")
    choices = [choice for chunk in streamed.chunks for choice in chunk.choices]
    reasons = [choice.finish_reason for choice in choices if choice.finish_reason]
    hold(reasons, "it ended without a finish_reason")
    hold(len(reasons) == 1, f"it finished {len(reasons)} times: {', '.join(reasons)}")
    hold(streamed.done, "[DONE] did not come")
    hold(streamed.text("content"), f"no answer came, finish_reason {reasons[0]}")
    hold(streamed.texts > 1, "all of the text came in one chunk")
    return f"{streamed.texts} pieces, the first after {streamed.first_text_s or 0:.2f} s"


@topic.check(
    "reasoning",
    "the thought comes apart from the answer",
    asks=_WHOLE | _STREAM,
)
async def reasoning(subject: Subject) -> str | None:
    """`--reasoning-parser glm45`; vLLM calls the field `reasoning`, some gateways otherwise."""
    message = (await _whole(subject)).choices[0].message
    streamed = await _streamed(subject)
    in_stream = [name for name in ("reasoning", "reasoning_content") if streamed.text(name)]
    for answer in (message.content or "", streamed.text("content")):
        tags = [tag for tag in _TAGS if tag in answer]
        hold(not tags, f"the answer holds {' and '.join(tags)}")
    hold(message.thoughts, "a whole answer has neither reasoning nor reasoning_content")
    hold(in_stream, "a streamed answer has neither reasoning nor reasoning_content")
    whole_name, stream_name = " and ".join(message.thoughts), " and ".join(in_stream)
    hold(
        whole_name == stream_name,
        f"the field is {whole_name} in a whole answer and {stream_name} in a stream",
    )
    return f"the field is {whole_name}"


@topic.check(
    "usage",
    "the tokens of a request are told, streamed or not",
    asks=_WHOLE | _STREAM,
)
async def usage(subject: Subject) -> str | None:
    """`usage`, and `stream_options.include_usage`."""
    told = (await _whole(subject)).usage
    hold(told, "a whole answer has no usage")
    chunks = (await _streamed(subject)).chunks
    counted = [chunk.usage for chunk in chunks if chunk.usage and not chunk.choices]
    hold(counted, "no chunk of the stream brings the usage that was asked for")
    for each in (told, counted[-1]):
        _hold_sum(each)
    details = counted[-1].completion_tokens_details
    thought = details.reasoning_tokens if details else None
    running = sum(bool(chunk.usage and chunk.choices) for chunk in chunks)
    return (
        f"those of the thought {'too' if thought is not None else 'are not'}, "
        f"{'with each chunk' if running else 'at the end of a stream alone'}"
    )


@topic.check(
    "cached_tokens",
    "usage tells what of a prompt was cached",
    asks={"prompt": Cost(2, 2 * 2500)},
)
async def cached_tokens(subject: Subject) -> str | None:
    """`--enable-prompt-tokens-details`, with `--enable-prefix-caching`."""
    if not subject.promises.tells_cached_tokens:
        raise SkippedError(f"the preset lacks {_CACHE_FLAG}")
    body = subject.body(_LONG_PROMPT, max_tokens=1)
    (await subject.wire.chat(body)).read(Completion)
    again = (await subject.wire.chat(body)).read(Completion).usage
    details = again.prompt_tokens_details if again else None
    cached = details.cached_tokens if details else None
    hold(cached is not None, "usage has no prompt_tokens_details.cached_tokens")
    hold(cached, "nothing was cached when a prompt came again")
    return f"{cached:,} of {again.prompt_tokens if again else 0:,} tokens when a prompt came again"


def _hold_sum(usage: Usage | None) -> None:
    if usage is not None:
        total = usage.prompt_tokens + usage.completion_tokens
        hold(usage.completion_tokens, "completion_tokens is 0")
        hold(total == usage.total_tokens, f"total_tokens is {usage.total_tokens}, not {total}")


async def _whole(subject: Subject) -> Completion:
    async def ask() -> Completion:
        body = subject.body(_PROMPT, max_tokens=_MAX_TOKENS)
        return (await subject.wire.chat(body)).read(Completion)

    return await subject.once("whole", ask)


async def _streamed(subject: Subject) -> _Streamed:
    async def ask() -> _Streamed:
        options = {"include_usage": True, "continuous_usage_stats": True}
        body = subject.body(_PROMPT, max_tokens=_MAX_TOKENS, stream=True, stream_options=options)
        began = time.monotonic()
        async with subject.wire.stream(body) as answer:
            streamed = _Streamed(answer.content_type)
            async for data in answer.events():
                if data == DONE:
                    streamed.done = True
                    break
                streamed.chunks.append(read_json(data, Chunk))
                if streamed.first_text_s is None and streamed.texts:
                    streamed.first_text_s = time.monotonic() - began
        return streamed

    return await subject.once("stream", ask)
