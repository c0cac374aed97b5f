"""An answer of a case file: played as it came, and reported as if it had just been asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from app.chat.events import ContentDelta, Event, ReasoningDelta
from app.chat.exchange import Exchange
from app.chat.messages import Attachment, Conversation, Message, Reasoning, Text
from app.chat.request import Request
from app.chat.turn import Timings, Turn, TurnBuilder, TurnPart, continued
from app.endpoint.replaying import replayed
from app.export.case import CaseTurn
from app.tools.arguments import ArgumentChecker
from app.tools.report import step_report
from app.tools.run import AnsweredCall, Step
from app.turns.attachments import prepare_request


@dataclass(frozen=True, slots=True)
class Recording:
    """An answer, the requests that it came of, and what was said before it."""

    said: CaseTurn
    exchanges: tuple[Exchange, ...]
    before: Conversation

    @property
    def is_whole(self) -> bool:
        """Whether all of the answer came by a recorded stream, and can be played."""
        recorded = all(exchange.reads and not exchange.is_cut for exchange in self.exchanges)
        return bool(self.exchanges) and recorded and not self.said.edited

    async def play(self, show: Callable[[Event], None], *, speed: float) -> Turn:
        """Shows the events at their pace; returns the turn that they add up to.

        What no stream tells stands in the turn as it was kept: times, a connection that broke, a
        stop. An answer that cannot be played is shown at once, as it was kept.
        """
        kept = self.said.turn
        if not self.is_whole:
            _show_at_once(kept.parts, show)
            return kept
        _show_at_once(self.exchanges[0].base, show)
        turn = Turn()
        for exchange in self.exchanges:
            builder = TurnBuilder()
            async with aclosing(replayed((exchange,), speed=speed)) as events:
                async for event in events:
                    builder.add(event)
                    show(event)
            turn = _going_on(exchange.base, builder.turn())
        return replace(
            turn,
            usage=turn.usage if kept.usage is None else kept.usage,
            failure=kept.failure or turn.failure,
            stopped=kept.stopped,
            request_id=kept.request_id,
            timings=kept.timings,
        )

    async def report(
        self,
        number: int,
        turn: Turn,
        *,
        tools: Sequence[Mapping[str, Any]],
        urls: Mapping[str, str],
    ) -> dict[str, Any]:
        """The turn in the form of `ask`, with its request made anew, or `{}` where none is known.

        `tools` are those of a case without requests; `urls` the data URLs of media by their hash.
        """
        request = Request({})
        if self.exchanges:
            tools = self.exchanges[-1].options.tools
            request = await self._request(self.exchanges[-1], urls)
        calls = tuple(AnsweredCall(call) for call in turn.tool_calls)
        return step_report(Step(number, request, turn, calls), ArgumentChecker(tools))

    async def _request(self, exchange: Exchange, urls: Mapping[str, str]) -> Request:
        conversation = self.before
        if exchange.base:
            conversation = conversation.with_message(Message("assistant", exchange.base))

        async def load(attachment: Attachment) -> str | None:
            return urls.get(attachment.hash)

        return (await prepare_request(conversation, exchange.options, load)).whole


def _going_on(base: tuple[TurnPart, ...], turn: Turn) -> Turn:
    if not base:
        return turn
    seconds = Timings(part_seconds=(0.0,) * len(base))
    return continued(Turn(parts=base, timings=seconds), turn)


def _show_at_once(parts: tuple[TurnPart, ...], show: Callable[[Event], None]) -> None:
    """Calls are told at the end of a turn."""
    for event in _events(parts):
        show(event)


def _events(parts: tuple[TurnPart, ...]) -> Iterator[Event]:
    for part in parts:
        match part:
            case Reasoning(text):
                yield ReasoningDelta(text)
            case Text(text):
                yield ContentDelta(text)
