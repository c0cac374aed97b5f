"""One run: it waits for a slot, asks the model server, tells its log, and ends in its chat.

The server runs it, not the page: a reload or a lost network loses nothing. Once nobody has
listened for a grace period it stops.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, TypeAlias

from app.chat import request
from app.chat.events import Event, Failed, Waiting
from app.chat.history import Repair
from app.chat.messages import Attachment, ToolCall
from app.chat.notices import ArgumentChecker, notices
from app.chat.request import Options, Request
from app.chat.turn import Turn, TurnBuilder
from app.turns.attachments import with_media
from app.turns.chats import CallCheck, Chat, ChatBook, PartTokens, TurnEntry
from app.turns.log import EventLog
from app.turns.publisher import Publisher
from app.turns.rendering import Rendering
from app.turns.slots import Slots
from app.turns.views import turn_outcome, turn_stats

KEEP_LOG_S = 600.0
"""Seconds for which the log of an ended run can be listened to, for a page that was offline."""

logger = logging.getLogger(__name__)

EventStream: TypeAlias = Callable[[Request, Mapping[str, str]], AsyncGenerator[Event, None]]
"""Asks the model server: a request and extra headers in, events out; closing it hangs up."""

MediaLoader: TypeAlias = Callable[[str, Attachment], Awaitable[str | None]]
"""Gives an owner's attachment as a data URL, or None where it is no longer kept."""


@dataclass(frozen=True, slots=True)
class RunServices:
    """What every run needs of the rest of the app. `grace_s` is in seconds."""

    stream: EventStream
    load_media: MediaLoader
    checker: Callable[[Sequence[Mapping[str, Any]]], ArgumentChecker]
    rendering: Rendering
    slots: Slots
    chats: ChatBook
    grace_s: float


class Run:
    """The answer to the last message of a chat, under way."""

    def __init__(
        self,
        chat: Chat,
        options: Options,
        services: RunServices,
        *,
        visitor: str,
        headers: Mapping[str, str],
    ) -> None:
        self.id = secrets.token_urlsafe(12)
        self.turn_id = secrets.token_urlsafe(12)
        self.ended = False
        self.log = EventLog(self._audience_changed)
        self._chat = chat
        self._options = options
        self._services = services
        self._visitor = visitor
        self._headers = headers
        self._checker = services.checker(options.tools)
        self._publisher = Publisher(self.log, self.turn_id, services.rendering, self._check)
        self._builder = TurnBuilder()
        self._repairs: tuple[Repair, ...] = ()
        self._grace_timer: asyncio.TimerHandle | None = None
        self._paused = False
        self._task = asyncio.create_task(self._answer(), name=f"run {self.id}")
        self._task.add_done_callback(self._finish)
        self._watch_audience()

    async def stop(self) -> None:
        """Hangs up on the model server; what came is kept. Returns when the run has ended."""
        self._task.cancel()
        await asyncio.wait((self._task,))

    async def wait(self) -> None:
        """Until the run has ended, however it ends."""
        await asyncio.wait((self._task,))

    async def _answer(self) -> None:
        services = self._services
        self._pause(True)
        async with services.slots.hold(self._visitor, self._tell_line):
            self._pause(False)
            self._builder = TurnBuilder()
            built = await self._request()
            async with aclosing(services.stream(built, self._headers)) as events:
                async for event in events:
                    self._take(event)

    async def _request(self) -> Request:
        owner = self._chat.owner

        async def load(attachment: Attachment) -> str | None:
            return await self._services.load_media(owner, attachment)

        conversation, urls, gone = await with_media(self._chat.conversation(), load)
        built = request.build(conversation, self._options, lambda media: urls[media.hash])
        self._repairs = (*gone, *built.repairs)
        return built

    def _take(self, event: Event) -> None:
        waking = isinstance(event, Waiting) and event.reason == "waking"
        if waking is not self._paused:
            self._pause(waking)
        self._builder.add(event)
        self._publisher.add(event)

    def _tell_line(self, before: int) -> None:
        line = "you are next" if before == 0 else f"{before} before you"
        self._publisher.wait("slot", message=f"All slots are busy; {line}.")

    def _check(self, call: ToolCall) -> CallCheck:
        declared = self._checker.declared(call.name)
        return CallCheck(declared, tuple(self._checker.problems(call.name, call.arguments)))

    def _finish(self, task: asyncio.Task[None]) -> None:
        self._stop_watching()
        if task.cancelled():
            self._builder.stop()
        elif (error := task.exception()) is not None:
            logger.error("A run failed in the playground itself", exc_info=error)
            self._builder.add(_own_fault(error))
        try:
            self._publisher.close()
            entry = self._entry(self._builder.turn(), self._publisher.tokens)
        except Exception as error:  # whatever it is, the run must end and its chat go on
            logger.exception("A turn could not be told to its end")
            entry = self._entry(Turn(failure=_own_fault(error)), ())
        self._chat.entries.append(entry)
        self._services.chats.touch(self._chat)
        self.ended = True
        self.log.append("turn_end", turn=self.turn_id, **turn_outcome(entry))
        self.log.end()
        asyncio.get_running_loop().call_later(KEEP_LOG_S, self._let_go)

    def _entry(self, turn: Turn, tokens: PartTokens) -> TurnEntry:
        return TurnEntry(
            id=self.turn_id,
            turn=turn,
            notices=notices(turn, self._checker, self._repairs),
            checks=tuple(self._check(call) for call in turn.tool_calls),
            stats=turn_stats(turn, tokens),
            tokens=tokens,
        )

    def _let_go(self) -> None:
        if self._chat.run is self:
            self._chat.run = None

    def _audience_changed(self, listeners: int) -> None:
        if listeners:
            self._stop_watching()
        else:
            self._watch_audience()

    def _pause(self, paused: bool) -> None:
        self._paused = paused
        self._watch_audience()

    def _watch_audience(self) -> None:
        """The grace period runs while nobody listens, but not in a line or a wake."""
        self._stop_watching()
        if self.ended or self._paused or self.log.listeners:
            return
        loop = asyncio.get_running_loop()
        self._grace_timer = loop.call_later(self._services.grace_s, self._task.cancel)

    def _stop_watching(self) -> None:
        if self._grace_timer is not None:
            self._grace_timer.cancel()
            self._grace_timer = None


def _own_fault(error: BaseException) -> Failed:
    """A fault of this program, without its text, which may hold what nobody should see."""
    return Failed("server_error", None, f"The playground itself failed: {type(error).__name__}.")
