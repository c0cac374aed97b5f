"""One turn of a run: it waits for a slot, asks the model server, tells its log, and is kept.

What comes is written to a journal as it comes, so that not even a killed process loses it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from app.chat.entries import TurnEntry
from app.chat.events import ContentDelta, Event, Failed, ReasoningDelta, Waiting
from app.chat.exchange import Exchange, digest
from app.chat.history import Repair
from app.chat.messages import Attachment, Conversation, Reasoning, Text
from app.chat.notices import Notice
from app.chat.request import Options, Request
from app.chat.turn import Turn, TurnBuilder
from app.chat.wire_record import WireRecorder
from app.store.chats import ChatUnknown
from app.turns.attachments import prepare_request
from app.turns.chat_views import calls_view
from app.turns.context import after_turn
from app.turns.ended import answer_checked, check_call, ended_turn
from app.turns.log import EventLog
from app.turns.publisher import Before, Publisher
from app.turns.services import RunServices
from app.turns.turn_views import turn_outcome, turn_parts

logger = logging.getLogger(__name__)

Kept: TypeAlias = Literal["kept", "gone", "lost"]
"""In its chat; of a chat that was deleted meanwhile; in its journal alone, as the store failed."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a turn answers: a chat's conversation, up to and with the entry `parent`, which is a
    message or the results of calls.

    `base` is the cut turn that it goes on with, if it does; its message then ends the
    conversation.
    """

    owner: str
    chat: str
    parent: str
    conversation: Conversation
    options: Options
    base: TurnEntry | None = None


class OneTurn:
    """A turn under way, called `turn_id`: `answer` once, then `end`, then `tell_end`.

    `paused` is told whether the turn waits for what it has no part in: a line, a wake.
    """

    def __init__(
        self,
        turn_id: str,
        question: Question,
        services: RunServices,
        log: EventLog,
        *,
        visitor: str,
        headers: Mapping[str, str],
        paused: Callable[[bool], None],
    ) -> None:
        self.id = turn_id
        self.question = question
        self._services = services
        self._log = log
        self._visitor = visitor
        self._headers = headers
        self._tell_paused = paused
        self._paused = False
        self._checker = services.checker(question.options.tools)
        self._publisher = Publisher(
            log,
            turn_id,
            services.rendering,
            lambda call: check_call(self._checker, call),
            begins_with=_shown(question.base),
        )
        self._builder = TurnBuilder()
        self._began = time.monotonic()
        self._journal = services.journals.begin(_header(question, turn_id))
        self._repairs: tuple[Repair, ...] = ()
        self._digest: str | None = None
        self._recorder = WireRecorder()

    async def answer(self) -> None:
        """Asks in a slot, to the end of the stream. Cancelling it hangs up; what came stays."""
        services = self._services
        self._pause(True)
        async with services.slots.hold(self._visitor, self._tell_line):
            self._pause(False)
            self._builder = TurnBuilder()
            self._began = time.monotonic()
            built = await self._request()
            asked = services.stream(built, self._headers, self._record)
            if services.limits is not None:
                asked = services.limits.metered(self._visitor, built, asked)
            async with aclosing(asked) as events:
                async for event in events:
                    self._take(event)

    async def end(self, answering: asyncio.Task[None]) -> tuple[TurnEntry, Kept]:
        """Keeps what came, once the task that was `answer` is over, in whatever way."""
        if answering.cancelled():
            self._builder.stop()
        elif (error := answering.exception()) is not None:
            logger.error("A run failed in the playground itself", exc_info=error)
            self._builder.add(_own_fault(error))
        try:
            self._publisher.close()
            entry = await self._checked(self._entry(self._builder.turn()))
        except Exception as error:  # whatever it is, the run must end and its chat go on
            logger.exception("A turn could not be told to its end")
            entry = self._entry(Turn(failure=_own_fault(error)))
        kept = await self._keep(entry)
        if kept == "lost":
            entry = replace(entry, notices=(*entry.notices, Notice.of("not_kept")))
        self._journal.close(delete=kept != "lost")
        return entry, kept

    async def tell_end(self, entry: TurnEntry, **more: Any) -> None:
        """Tells the log how the turn ended; `more` are fields of the event."""
        services, question = self._services, self.question
        outcome = turn_outcome(entry, services.prices)
        if question.base is not None and _was_moved(self._builder.turn()):
            outcome["parts"] = turn_parts(entry, services.rendering.whole)
        outcome["context"] = after_turn(entry, question.conversation, services.context_limit())
        outcome["chat_cost"] = await self._chat_cost()
        outcome["chat_calls"] = await self._chat_calls()
        self._log.append("turn_end", turn=self.id, **outcome, **more)

    async def _request(self) -> Request:
        question = self.question

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

    def _pause(self, paused: bool) -> None:
        self._paused = paused
        self._tell_paused(paused)

    def _tell_line(self, before: int) -> None:
        line = "you are next" if before == 0 else f"{before} before you"
        self._publisher.wait("slot", message=f"All slots are busy; {line}.", before=before)

    def _entry(self, turn: Turn) -> TurnEntry:
        tokens = self._publisher.tokens
        return ended_turn(
            self.id,
            turn,
            tokens[len(tokens) - len(turn.parts) :],
            checker=self._checker,
            repairs=self._repairs,
            effort=self.question.options.effort,
            base=self.question.base,
        )

    async def _checked(self, entry: TurnEntry) -> TurnEntry:
        schema = self.question.options.response_schema
        return await asyncio.to_thread(answer_checked, entry, schema) if schema else entry

    def _exchange(self) -> Exchange | None:
        """What is kept of the request and its answer; None where none was sent."""
        if self._digest is None:
            return None
        base = self.question.base
        return Exchange(
            options=self.question.options,
            digest=self._digest,
            base=base.turn.parts if base else (),
            wire=self._recorder.packed(),
            is_cut=self._recorder.is_cut,
        )

    async def _keep(self, entry: TurnEntry) -> Kept:
        """Puts the turn into its chat; where the store cannot, the journal must stay."""
        question, store = self.question, self._services.store
        owner, chat = question.owner, question.chat
        try:
            exchange = self._exchange()
            if question.base is None:
                await store.add(owner, chat, entry, question.parent, exchange=exchange)
            else:
                await store.replace(owner, chat, entry, exchange)
        except ChatUnknown:
            return "gone"
        except Exception:
            logger.exception("A turn could not be stored; its journal is kept")
            return "lost"
        return "kept"

    async def _chat_cost(self) -> float | None:
        question = self.question
        try:
            totals = await self._services.store.totals(question.owner, question.chat)
        except Exception:
            logger.exception("The cost of a chat could not be added up")
            return None
        return self._services.prices.cost(totals)

    async def _chat_calls(self) -> dict[str, int] | None:
        question = self.question
        try:
            counts = await self._services.store.call_counts(question.owner, question.chat)
        except Exception:
            logger.exception("The calls of a chat could not be counted")
            return None
        return calls_view(counts)


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
        "response_schema": question.options.response_schema,
        "continues": None if base is None else len(base.turn.content) + len(base.turn.reasoning),
    }


def _own_fault(error: BaseException) -> Failed:
    """A fault of this program, without its text, which may hold what nobody should see."""
    return Failed("server_error", None, f"The playground itself failed: {type(error).__name__}.")
