"""What the page is shown of a request and its answer: the wire, its phases, tokens a chunk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from app.chat.events import ContentDelta, Event, ReasoningDelta, ToolCallDelta
from app.chat.wire_record import Read
from app.endpoint.answer import AnswerReader
from app.endpoint.sse import EventDecoder, EventTooLargeError
from app.endpoint.wire_json import UnreadableError, decode_json
from app.turns.tokens import token_count

PhaseName: TypeAlias = Literal["waiting", "reasoning", "answer", "call"]

_PHASES: Final[Mapping[type[Event], PhaseName]] = {
    ReasoningDelta: "reasoning",
    ContentDelta: "answer",
    ToolCallDelta: "call",
}


@dataclass(frozen=True, slots=True)
class WireEvent:
    """The data of one event of the stream, and the second at which it was there whole."""

    at_s: float
    data: bytes

    def view(self, number: int) -> dict[str, Any]:
        """As the page shows it."""
        text = self.data.decode(errors="replace")
        return {"n": number, "at_s": round(self.at_s, 4), "text": text}


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of the answer in which one kind of text came; seconds since the request."""

    phase: PhaseName
    from_s: float
    to_s: float

    def view(self) -> dict[str, Any]:
        """As the page shows it."""
        return {
            "phase": self.phase,
            "from_s": round(self.from_s, 4),
            "to_s": round(self.to_s, 4),
        }


def wire_events(reads: Sequence[Read]) -> list[WireEvent]:
    """The events in the bytes of an answer; of a body that is no event stream, its pieces."""
    decoder, events = EventDecoder(), list[WireEvent]()
    try:
        for read in reads:
            events += (WireEvent(read.at_s, data) for data in decoder.decode(read.data))
        last_s = reads[-1].at_s if reads else 0.0
        events += (WireEvent(last_s, data) for data in decoder.flush())
    except EventTooLargeError:
        return [WireEvent(read.at_s, read.data) for read in reads]
    return events or [WireEvent(read.at_s, read.data) for read in reads]


def phases(reads: Sequence[Read]) -> list[Phase]:
    """What the seconds of an answer went on, without gaps: waiting first, then what came.

    A phase lasts until the first token of another kind; the last one until the last byte.
    """
    if not reads:
        return []
    now: PhaseName = "waiting"
    found: list[Phase] = []
    began = 0.0
    for at_s, event in _timed_events(reads):
        kind = _PHASES.get(type(event), now)
        if kind != now:
            found.append(Phase(now, began, at_s))
            now, began = kind, at_s
    return [*found, Phase(now, began, reads[-1].at_s)]


def tokens_a_chunk(events: Iterable[WireEvent]) -> dict[str, Any] | None:
    """How many chunks brought how many tokens, by the server's running count; None without one.

    Multi-token prediction shows here: a step whose drafts were right brings several at once.
    """
    counts = list(_running_counts(events))
    steps = [after - before for before, after in zip([0, *counts], counts, strict=False)]
    by_tokens = Counter(step for step in steps if step > 0)
    if len(set(counts)) < 2:  # a single count is that of the whole answer, at its end
        return None
    return {
        "chunks": by_tokens.total(),
        "tokens": counts[-1],
        "by_tokens": sorted(by_tokens.items()),
    }


def _timed_events(reads: Iterable[Read]) -> Iterator[tuple[float, Event]]:
    reader, at_s = AnswerReader(), 0.0
    for read in reads:
        at_s = read.at_s
        for event in reader.feed(read.data):
            yield at_s, event
    for event in reader.end(broken=True):
        yield at_s, event


def _running_counts(events: Iterable[WireEvent]) -> Iterator[int]:
    for event in events:
        try:
            chunk = decode_json(event.data)
        except UnreadableError:
            continue
        usage = chunk.get("usage") if isinstance(chunk, Mapping) else None
        if isinstance(usage, Mapping):
            count = token_count(usage.get("completion_tokens"))
            if count is not None:
                yield count
