"""One run: a turn, and while rules answer its calls, the turns that follow.

The server runs it, not the page: a reload or a lost network loses nothing. Each turn is kept when
it ends, and so are the results of its calls, before the next one begins. Once nobody has listened
for a grace period the run stops.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Final

from app.chat.entries import ResultsEntry, TurnEntry
from app.chat.messages import Conversation
from app.chat.request import Options
from app.store.chats import ChatUnknown
from app.tools.mocks import Answer, Mocks
from app.tools.run import MAX_STEPS
from app.turns.log import EventLog
from app.turns.one_turn import OneTurn, Question
from app.turns.pending import PendingCall, answered_by_rules, given_by_rules, pending_calls
from app.turns.services import RunServices

KEEP_LOG_S: Final = 600.0
"""Seconds for which the log of an ended run can be listened to, for a page that was offline."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Loop:
    """What answers calls. `auto`: the rules alone, for `max_steps` turns of a run at most."""

    rules: Mocks = field(default_factory=Mocks)
    auto: bool = False
    max_steps: int = MAX_STEPS


def answering_results(options: Options) -> Options:
    """The options of a turn that answers results of calls, and no message.

    A choice that forces a call holds for a message: sent again with each result it would have the
    model call for ever. The model then chooses.
    """
    is_forced = options.tool_choice not in (None, "auto", "none")
    return replace(options, tool_choice="auto") if is_forced else options


class Run:
    """The answer to a message of a chat, or to results of its calls, under way.

    `turn_id` is the turn that runs, or comes next; `base` the one that it goes on with. All that
    the log tells up to and with its event number `after` stands in the chat by then.
    """

    def __init__(
        self,
        question: Question,
        services: RunServices,
        *,
        visitor: str,
        headers: Mapping[str, str],
        loop: Loop | None = None,
    ) -> None:
        self.id = secrets.token_urlsafe(12)
        self.base = question.base
        self.turn_id = question.base.id if question.base else secrets.token_urlsafe(12)
        self.after = -1
        self.ended = False
        self.log = EventLog(self._audience_changed)
        self._owner, self._chat = question.owner, question.chat
        self._services = services
        self._visitor = visitor
        self._loop = loop or Loop()
        self._grace_timer: asyncio.TimerHandle | None = None
        self._paused = False
        self._stopped = False
        self._waited_for: asyncio.Task[None] | None = None
        first = self._turn(question, headers)
        self._going = asyncio.create_task(self._go(first), name=f"run {self.id}")
        services.runs.add(self._owner, self._chat, self)
        self._watch_audience()

    async def stop(self) -> None:
        """Hangs up on the model server; what came is kept. Returns when the run has ended."""
        self._interrupt()
        await self.wait()

    async def wait(self) -> None:
        """Until the run has ended, however it ends."""
        await asyncio.wait((self._going,))

    def _turn(self, question: Question, headers: Mapping[str, str]) -> OneTurn:
        return OneTurn(
            self.turn_id,
            question,
            self._services,
            self.log,
            visitor=self._visitor,
            headers=headers,
            paused=self._pause,
        )

    async def _go(self, first: OneTurn) -> None:
        try:
            await self._steps(first)
        except Exception:  # whatever it is, the run must end and its chat go on
            logger.exception("A run failed in the playground itself")
        self._stop_watching()
        self.ended = True
        self.log.end()
        asyncio.get_running_loop().call_later(KEEP_LOG_S, self._let_go)

    async def _steps(self, turn: OneTurn) -> None:
        for number in count(1):
            entry, kept = await turn.end(await self._interruptible(turn.answer()))
            pending: tuple[PendingCall, ...] = ()
            if kept == "kept" and entry.turn.tool_calls:
                pending = await asyncio.to_thread(pending_calls, entry, self._loop.rules)
            answers = answered_by_rules(pending) if self._loop.auto else None
            is_last = number >= self._loop.max_steps
            results = None
            if answers is not None and not is_last and not self._stopped:
                results = await self._results(turn.id, pending, answers)
            if answers is None or results is None:
                limit = self._loop.max_steps if answers is not None and is_last else None
                await self._keep_limit(entry, limit)
                views = [call.view() for call in pending]
                await turn.tell_end(entry, pending=views, limit=limit)
                return
            await turn.tell_end(entry)
            delay_s = max(answer.delay_s for answer in answers)
            self._tell_results(turn.id, results, pending, delay_s)
            self.turn_id, self.base = secrets.token_urlsafe(12), None
            self.after = self.log.count - 1
            await self._wait_for_tools(delay_s)
            if self._stopped:
                return
            self.log.settle()
            turn = self._turn(_following(turn.question, entry, results), {})

    async def _keep_limit(self, entry: TurnEntry, limit: int | None) -> None:
        """Whoever opens the chat later is asked to go on too."""
        if limit is None:
            return
        entry = replace(entry, step_limit=limit)
        try:
            await self._services.store.replace(self._owner, self._chat, entry)
        except ChatUnknown:
            return  # deleted meanwhile
        except Exception:
            logger.exception("That a run ended at its limit could not be stored")

    async def _results(
        self, turn_id: str, pending: tuple[PendingCall, ...], answers: tuple[Answer, ...]
    ) -> ResultsEntry | None:
        """Keeps what the calls of a turn got; None where the store cannot: nothing may follow."""
        given = given_by_rules(pending, answers)
        results = ResultsEntry(secrets.token_urlsafe(12), given)
        try:
            await self._services.store.add(self._owner, self._chat, results, turn_id)
        except ChatUnknown:
            return None  # deleted meanwhile
        except Exception:
            logger.exception("The results of calls could not be stored; the run ends before them")
            return None
        return results

    def _tell_results(
        self,
        turn_id: str,
        entry: ResultsEntry,
        pending: tuple[PendingCall, ...],
        delay_s: float,
    ) -> None:
        told = [
            {
                "id": each.id,
                "name": each.call.name,
                "content": result.content,
                "answered_by": result.answered_by,
            }
            for each, result in zip(pending, entry.results, strict=True)
        ]
        self.log.append("results", turn=turn_id, id=entry.id, results=told, delay_s=delay_s)

    async def _wait_for_tools(self, delay_s: float) -> None:
        """As long as the rules say that the tools take."""
        if not delay_s:
            return
        message = f"The tools take {delay_s:g} s, as their rules say."
        self.log.append(
            "waiting", replaces="state", reason="tool", message=message, seconds=delay_s
        )
        await self._interruptible(asyncio.sleep(delay_s))
        self.log.drop("state")

    async def _interruptible(self, doing: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Has it done, in a task that a stop cancels; returns the task when it is over."""
        task = self._waited_for = asyncio.create_task(doing, name=f"step of run {self.id}")
        self._watch_audience()
        if self._stopped:
            task.cancel()
        await asyncio.wait((task,))
        self._waited_for = None
        self._stop_watching()
        return task

    def _interrupt(self) -> None:
        self._stopped = True
        if self._waited_for is not None:
            self._waited_for.cancel()

    def _let_go(self) -> None:
        self._services.runs.forget(self._owner, self._chat, self)

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
        self._grace_timer = loop.call_later(self._services.grace_s, self._interrupt)

    def _stop_watching(self) -> None:
        if self._grace_timer is not None:
            self._grace_timer.cancel()
            self._grace_timer = None


def _following(question: Question, entry: TurnEntry, results: ResultsEntry) -> Question:
    """What the next turn answers: all that was said so far, the last turn's results at its end."""
    said = question.conversation.messages[: -1 if question.base else None]
    return replace(
        question,
        parent=results.id,
        conversation=Conversation((*said, entry.turn.message(), results.message())),
        options=replace(answering_results(question.options), continue_last=False),
        base=None,
    )
