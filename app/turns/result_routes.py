"""The HTTP routes of calls that wait: results by hand or by rule, suggestions, repairs.

Tools are never executed: what a call gets is a text that a person or a rule gives.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse

from app.chat.entries import GivenResult, Node, ResultsEntry, TurnEntry, conversation_of
from app.store.chats import ChatStore, ChatUnknown
from app.tools.mocks import Mocks
from app.turns.chat_views import MediaAddress, node_view, results_node_view
from app.turns.ended import repaired_turn
from app.turns.errors import Refusal, refusals
from app.turns.limits import VisitorLimits
from app.turns.loop_bodies import CallRepair, CallResult, CallResults, Suggested
from app.turns.one_turn import Question
from app.turns.options import MAX_BODY
from app.turns.pending import (
    PendingCall,
    answered_by_rules,
    cancelled,
    given_by_rules,
    pending_calls,
)
from app.turns.routes import BUSY, TurnPolicy, begin_run
from app.turns.run import answering_results
from app.turns.runs import ChatBusy
from app.turns.services import RunServices
from app.turns.visitors import ChatId, Owner, visitor_of

_NO_CHAT = Refusal(404, "no_chat", "There is no such chat.", "Begin a new one.")
_NO_CALL = Refusal(404, "no_call", "There is no such call in the turn.", "Open its chat again.")
_STALE = Refusal(
    409,
    "stale_turn",
    "The turn is no longer the last of its chat, or all of its calls are answered.",
    "Open the chat again.",
)
_UNANSWERED = Refusal(
    422, "calls_unanswered", "Some calls are left without a result.", "Answer all of them together."
)
_UNKNOWN = Refusal(
    422,
    "call_unknown",
    "A result is for no call of the turn.",
    "Open the chat again.",
)
_NO_RULE = Refusal(
    422, "no_rule", "No rule answers some of the calls.", "Answer by hand, or add a rule."
)


def result_routes(
    services: RunServices, address: MediaAddress, policy: TurnPolicy, limits: VisitorLimits
) -> APIRouter:
    """The routes under `/api/chats/{chat}`; `limits` are for the turns that a visitor starts."""
    router = APIRouter(prefix="/api/chats/{chat_id}", tags=["calls"])
    store, runs = services.store, services.runs

    @router.post(
        "/results",
        status_code=201,
        max_body_size=MAX_BODY,
        responses=refusals(BUSY, _NO_CHAT, _STALE, _UNANSWERED, _UNKNOWN, _NO_RULE),
    )
    async def answer_calls(
        me: Owner, chat_id: ChatId, body: CallResults, request: Request
    ) -> dict[str, Any]:
        """Answers all pending calls of the chat's last turn, and starts the turn that follows.

        Answers as the start of a turn does, and `results`, as kept. With `by_rules` the delays of
        rules are not waited for; with `cancel` no turn follows, and `run` and `turn` are null.
        """
        visitor = visitor_of(request) if policy.public else me
        try:
            with runs.reserve(me, chat_id):
                path = (await store.page(me, chat_id)).nodes
                turn, pending = await _last_turn(path, body)
                results = await _results(body, pending)
                if body.cancel:
                    await limits.room(me)
                else:
                    await limits.turn(visitor, me)
                kept = await store.add(me, chat_id, results, turn.id)
                run = None
                if not body.cancel:
                    said = conversation_of([*(node.entry for node in path), results])
                    options = answering_results(policy.options(body.options))
                    question = Question(me, chat_id, results.id, said, options)
                    run = begin_run(question, services, policy, me, request, body.loop)
        except ChatBusy:
            raise BUSY from None
        except ChatUnknown:
            raise _NO_CHAT from None
        return {
            "run": run.id if run else None,
            "turn": run.turn_id if run else None,
            "message": None,
            "replaces": None,
            "results": results_node_view(kept),
        }

    @router.post("/suggestions", max_body_size=MAX_BODY, responses=refusals(_NO_CHAT))
    async def suggest(me: Owner, chat_id: ChatId, body: Suggested) -> dict[str, Any]:
        """What could answer the pending calls: the first rule that fits, else a sample.

        Answers `turn`, null where nothing is pending, and `pending`: of each call its `id`, `name`,
        `suggestion` (`content`, `answered_by`) or null, and `why` it waits.
        """
        try:
            last = (await store.page(me, chat_id, limit=1)).nodes
        except ChatUnknown:
            raise _NO_CHAT from None
        is_running = runs.running(me, chat_id) is not None
        entry = last[0].entry if last and not is_running else None
        pending = await asyncio.to_thread(pending_calls, entry, body.loop.loop().rules)
        return {
            "turn": entry.id if entry is not None and pending else None,
            "pending": [call.view() for call in pending],
        }

    @router.post(
        "/calls",
        status_code=201,
        max_body_size=MAX_BODY,
        responses=refusals(BUSY, _NO_CHAT, _NO_CALL, _STALE),
    )
    async def repair_call(me: Owner, chat_id: ChatId, body: CallRepair) -> JSONResponse:
        """A new version of the last turn, with a person's arguments of one of its calls.

        They are checked like the model's. Answers the turn as its chat has it, and its `pending`
        calls, without suggestions.
        """
        await limits.room(me)
        try:
            with runs.reserve(me, chat_id):
                path = (await store.page(me, chat_id, limit=1)).nodes
                turn, pending = await _last_turn(path, body)
                position = next((n for n, c in enumerate(pending) if c.id == body.call_id), None)
                if position is None:
                    raise _NO_CALL
                checker = services.checker(await _tools(store, me, chat_id, path[-1], body.tools))
                new_id = secrets.token_urlsafe(12)
                entry = repaired_turn(new_id, turn, position, body.arguments, checker)
                kept = await store.add(me, chat_id, entry, path[-1].parent)
        except ChatBusy:
            raise BUSY from None
        except ChatUnknown:
            raise _NO_CHAT from None
        view = node_view(kept, services.rendering.whole, address, services.prices)
        waiting = [call.view() for call in pending_calls(entry, Mocks())]
        return JSONResponse({**view, "pending": waiting}, 201)

    return router


async def _last_turn(
    path: Sequence[Node], body: CallResults | CallRepair
) -> tuple[TurnEntry, tuple[PendingCall, ...]]:
    """The turn that a body speaks of, which must be the path's end, and its calls."""
    entry = path[-1].entry if path else None
    rules = body.loop.loop().rules if isinstance(body, CallResults) else Mocks()
    pending = await asyncio.to_thread(pending_calls, entry, rules)
    if not isinstance(entry, TurnEntry) or entry.id != body.turn or not pending:
        raise _STALE
    return entry, pending


async def _results(body: CallResults, pending: Sequence[PendingCall]) -> ResultsEntry:
    """The results that a body asks for. Raises Refusal where a call is left without one."""
    entry_id = secrets.token_urlsafe(12)
    if body.cancel:
        return cancelled(entry_id, pending)
    if not body.by_rules:
        return ResultsEntry(entry_id, _by_hand(body.results, pending))
    answers = answered_by_rules(pending)
    if answers is None:
        left = _named(call for call in pending if call.answer is None)
        raise Refusal(422, "no_rule", f"No rule answers {left}.", _NO_RULE.remedy)
    return ResultsEntry(entry_id, given_by_rules(pending, answers))


def _by_hand(
    results: Sequence[CallResult], pending: Sequence[PendingCall]
) -> tuple[GivenResult, ...]:
    """The results in call order."""
    by_id = {result.call_id: result for result in results}
    known = {call.id for call in pending}
    for call_id in by_id:
        if call_id not in known:
            message = f"The turn made no call {call_id!r}."
            raise Refusal(422, "call_unknown", message, _UNKNOWN.remedy)
    left = [call for call in pending if call.id not in by_id]
    if left:
        message = f"No result was sent for {_named(left)}."
        raise Refusal(422, "calls_unanswered", message, _UNANSWERED.remedy)
    return tuple(call.given(by_id[call.id].content, by_id[call.id].answered_by) for call in pending)


def _named(calls: Iterable[PendingCall]) -> str:
    return ", ".join(f"{call.id!r} ({call.call.name})" for call in calls)


async def _tools(
    store: ChatStore, me: str, chat_id: str, node: Node, otherwise: Sequence[Mapping[str, Any]]
) -> Sequence[Mapping[str, Any]]:
    """The tools that the turn's request declared; of one that was mended before, its last version's
    that has a request.
    """
    at = node.versions.index(node.entry.id)
    for version in reversed(node.versions[: at + 1]):
        exchanges = await store.exchanges(me, chat_id, version)
        if exchanges:
            return exchanges[-1].options.tools
    return otherwise
