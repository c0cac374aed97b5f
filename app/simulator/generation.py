"""Generating: a reply as bursts of tokens, ended by itself, by a stop string or by a limit.

Each burst is what one chunk of a stream carries. vLLM 0.32's rules, as recorded: a limit counts
every token, thought, markup and end included; a stop string is found in thought and answer and is
not sent; on a limit or a stop string the last delta with text carries the finish_reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from app.simulator.reply import Call, Reply
from app.simulator.tokens import split_tokens

END_OF_TURN = 154827
"""Id of `<|user|>`, which ends an answer."""
END_OF_CALLS = 154829
"""Id of `<|observation|>`, which ends a turn with calls."""

Kind: TypeAlias = Literal["reasoning", "content", "open", "arguments", "markup"]


@dataclass(frozen=True, slots=True)
class CallDelta:
    """A piece of a call. `name` is set where the call opens."""

    index: int
    name: str | None
    arguments: str


@dataclass(frozen=True, slots=True)
class Burst:
    """One chunk: what it says, and the tokens generated up to its end."""

    reasoning: str = ""
    content: str = ""
    call: CallDelta | None = None
    tokens: int = 0
    reasoning_tokens: int = 0
    finish_reason: str | None = None
    stop_reason: int | str | None = None

    @property
    def is_silent(self) -> bool:
        """Whether it carries nothing, not even an end."""
        return not (self.reasoning or self.content or self.call or self.finish_reason)


@dataclass(frozen=True, slots=True)
class GenerationLimits:
    """Where generation ends early, how many tokens a burst holds, how calls are announced."""

    tokens_per_chunk: float
    max_tokens: int | None = None
    stop: Sequence[str] = ()
    calls_finish: str = "tool_calls"
    """A named tool choice finishes with "stop" although it calls."""


@dataclass(frozen=True, slots=True)
class _Piece:
    kind: Kind
    text: str
    tokens: int = 1
    index: int = 0
    arguments: str = ""
    """Of a call's opening, where it has none to follow."""


@dataclass(slots=True)
class _Open:
    """The burst being filled."""

    reasoning: list[str] = field(default_factory=list)
    content: list[str] = field(default_factory=list)
    name: str | None = None
    index: int | None = None
    arguments: list[str] = field(default_factory=list)
    tokens: int = 0


def generate(reply: Reply, limits: GenerationLimits) -> Iterator[Burst]:
    """The bursts of a reply; the last one, and only it, has a finish_reason."""
    reasoning, content, calls, stopped = _apply_stop(reply, limits.stop)
    writer = _Writer(limits.tokens_per_chunk)
    held: Burst | None = None
    for piece in _pieces(reply, reasoning, content, calls, stopped=bool(stopped)):
        if limits.max_tokens is not None and writer.tokens + piece.tokens > limits.max_tokens:
            yield from _end(held, writer.flush(), limits.max_tokens, "length", None)
            return
        for burst in writer.add(piece):
            if held is not None:
                yield held
            held = burst
    last = writer.flush()
    if stopped is not None:
        yield from _end(held, last, writer.tokens, "stop", stopped)
        return
    tokens = writer.tokens + 1
    if limits.max_tokens is not None and tokens > limits.max_tokens:
        yield from _end(held, last, writer.tokens, "length", None)
        return
    finish = limits.calls_finish if calls else "stop"
    ended_by: int | None = END_OF_CALLS if calls else END_OF_TURN
    if reply.finish_reason is not None:
        finish, ended_by = reply.finish_reason, None
    yield from (burst for burst in (held, last) if burst is not None and not burst.is_silent)
    yield Burst(
        tokens=tokens,
        reasoning_tokens=writer.reasoning_tokens,
        finish_reason=finish,
        stop_reason=ended_by,
    )


def _end(
    held: Burst | None,
    last: Burst | None,
    tokens: int,
    finish_reason: str,
    stop_reason: str | None,
) -> Iterator[Burst]:
    """Ends on the last burst that carries anything, as vLLM does for limits and stop strings."""
    burst = last if last is not None and not last.is_silent else None
    if burst is None:
        burst, held = held, None
    if held is not None:
        yield held
    burst = burst or Burst()
    yield Burst(
        burst.reasoning,
        burst.content,
        burst.call,
        tokens,
        last.reasoning_tokens if last is not None else burst.reasoning_tokens,
        finish_reason,
        stop_reason,
    )


class _Writer:
    """Gathers pieces into bursts of so many tokens: 2.5 a chunk gives two and three in turn."""

    def __init__(self, tokens_per_chunk: float) -> None:
        self.tokens = 0
        self.reasoning_tokens = 0
        self._per_chunk = max(1.0, tokens_per_chunk)
        self._due = self._per_chunk
        self._open = _Open()

    def add(self, piece: _Piece) -> Iterator[Burst]:
        """Takes a piece; gives the bursts that are full with it."""
        if self._stands_alone(piece):
            yield from self._close()
        self.tokens += piece.tokens
        self._open.tokens += piece.tokens
        match piece.kind:
            case "reasoning":
                self.reasoning_tokens += piece.tokens
                self._open.reasoning.append(piece.text)
            case "content":
                self._open.content.append(piece.text)
            case "open":
                self._open.name, self._open.index = piece.text, piece.index
                self._open.arguments.append(piece.arguments)
            case "arguments":
                self._open.index = piece.index
                self._open.arguments.append(piece.text)
            case "markup":
                pass
        if self.tokens >= int(self._due):
            yield from self._close()

    def flush(self) -> Burst | None:
        """What is left, if anything was counted for it."""
        return next(self._close(), None)

    def _stands_alone(self, piece: _Piece) -> bool:
        """A call's opening begins a chunk, and so do the arguments after it."""
        return piece.kind == "open" or (piece.kind == "arguments" and self._open.name is not None)

    def _close(self) -> Iterator[Burst]:
        gathered, self._open = self._open, _Open()
        while int(self._due) <= self.tokens:
            self._due += self._per_chunk
        if not gathered.tokens:
            return
        call = None
        if gathered.index is not None:
            call = CallDelta(gathered.index, gathered.name, "".join(gathered.arguments))
        yield Burst(
            "".join(gathered.reasoning),
            "".join(gathered.content),
            call,
            self.tokens,
            self.reasoning_tokens,
        )


def _pieces(
    reply: Reply, reasoning: str, content: str, calls: Sequence[Call], *, stopped: bool
) -> Iterator[_Piece]:
    thought: Kind = "reasoning" if reply.split else "content"
    yield from (_Piece(thought, token) for token in split_tokens(reasoning))
    if stopped and not content:
        return
    if not reply.thought_is_over:
        yield _Piece("markup", "") if reply.split else _Piece("content", "</think>")
    yield from (_Piece("content", token) for token in split_tokens(content))
    for index, call in enumerate(calls):
        opening = 1 + sum(1 for _ in split_tokens(call.name))
        yield _Piece("open", call.name, opening, index, "" if call.pieces else "{}")
        for text in call.pieces:
            yield _Piece("arguments", text, max(1, sum(1 for _ in split_tokens(text))), index)


def _apply_stop(reply: Reply, stop: Sequence[str]) -> tuple[str, str, tuple[Call, ...], str | None]:
    """Thought, answer and calls up to the first stop string, and which one it was."""
    at, found = _find_stop(reply.reasoning, stop)
    if found is not None:
        return reply.reasoning[:at], "", (), found
    at, found = _find_stop(reply.content, stop)
    if found is not None:
        return reply.reasoning, reply.content[:at], (), found
    return reply.reasoning, reply.content, reply.calls, None


def _find_stop(text: str, stop: Sequence[str]) -> tuple[int, str | None]:
    places = [(at, each) for each in stop if (at := text.find(each)) >= 0]
    return min(places, default=(0, None))
