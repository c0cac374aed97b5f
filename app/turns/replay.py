"""A recorded answer that plays once more, as it came: no server is asked, nothing is changed."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

from app.chat.entries import TurnEntry
from app.chat.events import ContentDelta, ReasoningDelta
from app.chat.exchange import Exchange
from app.chat.messages import Reasoning, Text
from app.chat.turn import TurnBuilder, TurnPart
from app.endpoint.replaying import replayed
from app.store.chats import ChatUnknown
from app.turns.chat_views import calls_view
from app.turns.context import of_chat
from app.turns.ended import check_call
from app.turns.log import EventLog
from app.turns.publisher import Before, Publisher
from app.turns.services import RunServices
from app.turns.turn_views import turn_outcome, turn_parts

logger = logging.getLogger(__name__)

_GRACE_S: Final = 10.0
_KEEP_LOG_S: Final = 60.0
"""Seconds for which the log of an ended replay can be listened to."""

_COUNTED: Final = 40
"""Entries at the end of a chat in which a count of its tokens is looked for first."""


@dataclass(frozen=True, slots=True)
class Recording:
    """An answer of a chat, and those of its exchanges of which there is a wire.

    `seconds` is how long they took together, from each request to its last byte.
    """

    owner: str
    chat: str
    entry: TurnEntry
    exchanges: tuple[Exchange, ...]
    seconds: float

    @classmethod
    def of(
        cls, owner: str, chat: str, entry: TurnEntry, exchanges: Sequence[Exchange]
    ) -> Recording | None:
        """What can be played of an answer; None where nothing can. Takes a while for a long one."""
        last = [(exchange, reads[-1]) for exchange in exchanges if (reads := exchange.reads)]
        if not last:
            return None
        seconds = sum(read.at_s for _, read in last)
        return cls(owner, chat, entry, tuple(exchange for exchange, _ in last), seconds)


class Replay:
    """A recording under way; `speed` is how many of its seconds pass in one.

    It ends by itself when nobody has listened for `grace_s` seconds. Those who listen are told
    what they were told of the turn when it was live, and at the end how it is kept.
    """

    def __init__(
        self,
        recording: Recording,
        services: RunServices,
        *,
        speed: float,
        grace_s: float = _GRACE_S,
    ) -> None:
        self.id = secrets.token_urlsafe(12)
        self.ended = False
        self.log = EventLog(self._audience_changed)
        self._recording = recording
        self._services = services
        self._speed = speed
        self._grace_s = grace_s
        first, last = recording.exchanges[0], recording.exchanges[-1]
        checker = services.checker(last.options.tools)
        self._builder = TurnBuilder()
        self._publisher = Publisher(
            self.log,
            recording.entry.id,
            services.rendering,
            lambda call: check_call(checker, call),
            begins_with=_shown(first.base),
            speed=speed,
        )
        self._grace_timer: asyncio.TimerHandle | None = None
        self._playing = asyncio.create_task(self._play(), name=f"replay {self.id}")
        self._ending = asyncio.create_task(self._end(), name=f"end of replay {self.id}")
        services.runs.add_replay(recording.owner, self)
        self._audience_changed(0)

    def end(self) -> None:
        """Stops it, without waiting for its end."""
        self._playing.cancel()

    async def stop(self) -> None:
        """Stops it; the log then tells how the turn is kept."""
        self.end()
        await self.wait()

    async def wait(self) -> None:
        """Until it has ended, however it ends."""
        await asyncio.wait((self._ending,))

    async def _play(self) -> None:
        async with aclosing(replayed(self._recording.exchanges, speed=self._speed)) as events:
            async for event in events:
                self._builder.add(event)
                self._publisher.add(event)

    async def _end(self) -> None:
        await asyncio.wait((self._playing,))
        self._stop_watching()
        if not self._playing.cancelled() and (error := self._playing.exception()) is not None:
            logger.error("A replay failed in the playground itself", exc_info=error)
        try:
            self._publisher.close()
            await self._tell_end()
        except ChatUnknown:
            logger.info("The chat of a replay was deleted; it ends with it")
        except Exception:
            logger.exception("A replay could not be told to its end")
        self.ended = True
        self.log.end()
        asyncio.get_running_loop().call_later(_KEEP_LOG_S, self._let_go)

    async def _tell_end(self) -> None:
        recording, services = self._recording, self._services
        owner, chat, entry = recording.owner, recording.chat, recording.entry
        outcome = turn_outcome(entry, services.prices)
        if len(recording.exchanges) > 1 or self._builder.turn().parts != entry.turn.parts:
            outcome["parts"] = await asyncio.to_thread(turn_parts, entry, services.rendering.whole)
        page = await services.store.page(owner, chat, limit=_COUNTED)
        limit = services.context_limit()
        outcome["context"] = await of_chat(services.store, owner, chat, page, limit)
        outcome["chat_cost"] = services.prices.cost(await services.store.totals(owner, chat))
        outcome["chat_calls"] = calls_view(await services.store.call_counts(owner, chat))
        self.log.append("turn_end", turn=entry.id, **outcome)

    def _let_go(self) -> None:
        self._services.runs.forget_replay(self._recording.owner, self)

    def _audience_changed(self, listeners: int) -> None:
        self._stop_watching()
        if not listeners and not self.ended:
            loop = asyncio.get_running_loop()
            self._grace_timer = loop.call_later(self._grace_s, self.end)

    def _stop_watching(self) -> None:
        if self._grace_timer is not None:
            self._grace_timer.cancel()
            self._grace_timer = None


def _shown(base: Sequence[TurnPart]) -> list[Before]:
    """What an answer held before the first request of which there is a record."""
    shown: list[Before] = []
    for part in base:
        if isinstance(part, Reasoning):
            shown.append(Before(ReasoningDelta(part.text), 0.0, None, True))
        elif isinstance(part, Text):
            shown.append(Before(ContentDelta(part.text), 0.0, None, True))
    return shown
