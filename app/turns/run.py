"""One run: it waits for a slot, asks the model server, tells its log, and ends in its chat.

The server runs it, not the page: a reload or a lost network loses nothing. What comes is written
to a journal as it comes, so that not even a killed process loses it. Once nobody has listened for
a grace period the run stops.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from app.chat.entries import TurnEntry
from app.chat.events import ContentDelta, Event, Failed, ReasoningDelta, Waiting
from app.chat.exchange import Exchange, digest
from app.chat.history import Repair
from app.chat.messages import Attachment, Conversation, Reasoning, Text
from app.chat.notices import ArgumentChecker, Notice
from app.chat.request import Options, Request
from app.chat.turn import Turn, TurnBuilder
from app.chat.wire_record import WireRecorder
from app.store.chats import ChatStore, ChatUnknown
from app.store.journal import Journals
from app.turns.attachments import prepare_request
from app.turns.context import after_turn
from app.turns.ended import check_call, ended_turn
from app.turns.log import EventLog
from app.turns.prices import Prices
from app.turns.publisher import Before, Publisher
from app.turns.rendering import Rendering
from app.turns.runs import Runs
from app.turns.slots import Slots
from app.turns.turn_views import turn_outcome, turn_parts

KEEP_LOG_S = 600.0
"""Seconds for which the log of an ended run can be listened to, for a page that was offline."""

logger = logging.getLogger(__name__)

EventStream: TypeAlias = Callable[
    [Request, Mapping[str, str], Callable[[bytes], None]], AsyncGenerator[Event, None]
]
"""Asks the model server: a request and extra headers in, events out; closing it hangs up.

The function given to it gets the bytes of the answer, as they come.
"""

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
    runs: Runs
    store: ChatStore
    journals: Journals
    prices: Prices
    context_limit: Callable[[], int]
    grace_s: float


@dataclass(frozen=True, slots=True)
class Question:
    """What a run answers: a chat's conversation, up to and with the message `parent`.

    `base` is the cut turn that the run goes on with, if it does; its message then ends the
    conversation.
    """

    owner: str
    chat: str
    parent: str
    conversation: Conversation
    options: Options
    base: TurnEntry | None = None


class Run:
    """The answer to a message of a chat, under way."""

    def __init__(
        self,
        question: Question,
        services: RunServices,
        *,
        visitor: str,
        headers: Mapping[str, str],
    ) -> None:
        self.id = secrets.token_urlsafe(12)
        self.base = question.base
        self.turn_id = question.base.id if question.base else secrets.token_urlsafe(12)
        self.ended = False
        self.log = EventLog(self._audience_changed)
        self._question = question
        self._services = services
        self._visitor = visitor
        self._headers = headers
        self._checker = services.checker(question.options.tools)
        self._publisher = Publisher(
            self.log,
            self.turn_id,
            services.rendering,
            lambda call: check_call(self._checker, call),
            begins_with=_shown(question.base),
        )
        self._builder = TurnBuilder()
        self._began = time.monotonic()
        self._journal = services.journals.begin(_header(question, self.turn_id))
        self._repairs: tuple[Repair, ...] = ()
        self._digest: str | None = None
        self._recorder = WireRecorder()
        self._grace_timer: asyncio.TimerHandle | None = None
        self._paused = False
        self._answering = asyncio.create_task(self._answer(), name=f"answer {self.id}")
        self._ending = asyncio.create_task(self._end(), name=f"run {self.id}")
        services.runs.add(question.owner, question.chat, self)
        self._watch_audience()

    async def stop(self) -> None:
        """Hangs up on the model server; what came is kept. Returns when the run has ended."""
        self._answering.cancel()
        await self.wait()

    async def wait(self) -> None:
        """Until the run has ended, however it ends."""
        await asyncio.wait((self._ending,))

    async def _answer(self) -> None:
        services = self._services
        self._pause(True)
        async with services.slots.hold(self._visitor, self._tell_line):
            self._pause(False)
            self._builder = TurnBuilder()
            self._began = time.monotonic()
            built = await self._request()
            async with aclosing(services.stream(built, self._headers, self._record)) as events:
                async for event in events:
                    self._take(event)

    async def _request(self) -> Request:
        question = self._question

        async def load(attachment: Attachment) -> str | None:
            return await self._services.load_media(question.owner, attachment)

        prepared = await prepare_request(question.conversation, question.options, load)
        self._repairs = prepared.request.repairs
        self._digest = digest(prepared.request.body)
        return prepared.whole

    def _record(self, data: bytes) -> None:
        self._recorder.take(time.monotonic() - self._began, data)

    def _take(self, event: Event) -> None:
        waking = isinstance(event, Waiting) and event.reason == "waking"
        if waking is not self._paused:
            self._pause(waking)
        if isinstance(event, Waiting):
            self._recorder = WireRecorder()  # what comes from now on answers another try
        self._journal.write(event, time.monotonic() - self._began)
        self._builder.add(event)
        self._publisher.add(event)

    def _tell_line(self, before: int) -> None:
        line = "you are next" if before == 0 else f"{before} before you"
        self._publisher.wait("slot", message=f"All slots are busy; {line}.", before=before)

    async def _end(self) -> None:
        await asyncio.wait((self._answering,))
        self._stop_watching()
        if self._answering.cancelled():
            self._builder.stop()
        elif (error := self._answering.exception()) is not None:
            logger.error("A run failed in the playground itself", exc_info=error)
            self._builder.add(_own_fault(error))
        try:
            self._publisher.close()
            entry = self._entry(self._builder.turn())
        except Exception as error:  # whatever it is, the run must end and its chat go on
            logger.exception("A turn could not be told to its end")
            entry = self._entry(Turn(failure=_own_fault(error)))
        kept = await self._keep(entry)
        if not kept:
            entry = replace(entry, notices=(*entry.notices, Notice.of("not_kept")))
        self._journal.close(delete=kept)
        await self._tell_end(entry)
        self.ended = True
        self.log.end()
        asyncio.get_running_loop().call_later(KEEP_LOG_S, self._let_go)

    def _entry(self, turn: Turn) -> TurnEntry:
        tokens = self._publisher.tokens
        return ended_turn(
            self.turn_id,
            turn,
            tokens[len(tokens) - len(turn.parts) :],
            checker=self._checker,
            repairs=self._repairs,
            effort=self._question.options.effort,
            base=self.base,
        )

    def _exchange(self) -> Exchange | None:
        """What is kept of the request and its answer; None where none was sent."""
        if self._digest is None:
            return None
        return Exchange(
            options=self._question.options,
            digest=self._digest,
            base=self.base.turn.parts if self.base else (),
            wire=self._recorder.packed(),
            is_cut=self._recorder.is_cut,
        )

    async def _keep(self, entry: TurnEntry) -> bool:
        """Puts the turn into its chat; False where the store cannot, and the journal must stay."""
        question, store = self._question, self._services.store
        owner, chat = question.owner, question.chat
        try:
            exchange = self._exchange()
            if self.base is None:
                await store.add(owner, chat, entry, question.parent, exchange=exchange)
            else:
                await store.replace(owner, chat, entry, exchange)
        except ChatUnknown:
            return True  # deleted meanwhile, and meant to be gone
        except Exception:
            logger.exception("A turn could not be stored; its journal is kept")
            return False
        return True

    async def _tell_end(self, entry: TurnEntry) -> None:
        services, question = self._services, self._question
        outcome = turn_outcome(entry, services.prices)
        if self.base is not None and _was_moved(self._builder.turn()):
            outcome["parts"] = turn_parts(entry, services.rendering.whole)
        outcome["context"] = after_turn(entry, question.conversation, services.context_limit())
        outcome["chat_cost"] = await self._chat_cost()
        self.log.append("turn_end", turn=self.turn_id, **outcome)

    async def _chat_cost(self) -> float | None:
        try:
            totals = await self._services.store.totals(self._question.owner, self._question.chat)
        except Exception:
            logger.exception("The cost of a chat could not be added up")
            return None
        return self._services.prices.cost(totals)

    def _let_go(self) -> None:
        self._services.runs.forget(self._question.owner, self._question.chat, self)

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
        self._grace_timer = loop.call_later(self._services.grace_s, self._answering.cancel)

    def _stop_watching(self) -> None:
        if self._grace_timer is not None:
            self._grace_timer.cancel()
            self._grace_timer = None


def _shown(base: TurnEntry | None) -> list[Before]:
    """What brings a cut turn onto the page again, up to the seam."""
    if base is None:
        return []
    turn = base.turn
    shown: list[Before] = []
    for at, part in enumerate(turn.parts):
        figures = (turn.timings.part_seconds[at], *base.tokens[at])
        if isinstance(part, Reasoning):
            shown.append(Before(ReasoningDelta(part.text), *figures))
        elif isinstance(part, Text):
            is_last = at == len(turn.parts) - 1
            text = part.text.rstrip() if is_last else part.text
            shown.append(Before(ContentDelta(text), *figures))
    return shown


def _was_moved(more: Turn) -> bool:
    """Whether a continuation's parts were shown as something else than they turned out to be."""
    return more.thought_split or bool(more.parts and not (more.content or more.tool_calls))


def _header(question: Question, turn_id: str) -> dict[str, Any]:
    """What it takes to put a turn into its chat when this process is no more."""
    base = question.base
    return {
        "owner": question.owner,
        "chat": question.chat,
        "parent": question.parent,
        "turn": turn_id,
        "effort": question.options.effort,
        "tools": list(question.options.tools),
        "continues": None if base is None else len(base.turn.content) + len(base.turn.reasoning),
    }


def _own_fault(error: BaseException) -> Failed:
    """A fault of this program, without its text, which may hold what nobody should see."""
    return Failed("server_error", None, f"The playground itself failed: {type(error).__name__}.")
