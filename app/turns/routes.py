"""The HTTP routes of runs, which the page, scripts and tests share: start a turn, listen, stop.

Owner checks come first in every route: what is somebody else's does not exist.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from starlette.responses import StreamingResponse

from app.chat.entries import Entry, Node, ResultsEntry, TurnEntry, UserEntry, conversation_of
from app.chat.files import TextFile
from app.chat.messages import Attachment
from app.chat.request import Options
from app.store.chats import ChatStore, ChatUnknown
from app.store.media import MediaUnknown
from app.tools.mocks import Mocks
from app.turns.chat_views import results_node_view, user_view
from app.turns.errors import Refusal, refusals
from app.turns.limits import VisitorLimits
from app.turns.media_routes import MediaDesk
from app.turns.one_turn import Question
from app.turns.options import MAX_BODY, NewTurn, TurnOptions
from app.turns.pending import cancelled, pending_calls
from app.turns.replay import Replay
from app.turns.run import Run, answering_results
from app.turns.runs import ChatBusy
from app.turns.services import RunServices
from app.turns.tool_options import ToolLoop
from app.turns.turn_views import can_continue
from app.turns.visitors import ChatId, Owner, OwnId, visitor_of

BUSY = Refusal(409, "busy", "This chat is still answering.", "Wait for its end, or stop it.")
_NO_RUN = Refusal(404, "no_run", "There is no such run.", "Open its chat again.")
_NO_MESSAGE = Refusal(404, "no_message", "There is no such message.", "Open its chat again.")
_NOTHING_TO_RETRY = Refusal(409, "nothing_to_retry", "There is no message to answer again.")
_CANNOT_CONTINUE = Refusal(
    409,
    "cannot_continue",
    "There is no answer to go on with.",
    "Send a message, or retry the last one.",
)
_CALLS_PENDING = Refusal(
    409,
    "calls_pending",
    "Calls of the last answer wait for their results.",
    "Answer them, or send the message with cancel_calls: the model is told that they were not "
    "executed.",
)
_NO_MEDIA = Refusal(404, "no_media", "An attachment is no longer kept.", "Attach it again.")


@dataclass(frozen=True, slots=True)
class TurnPolicy:
    """What the owner of the server has decided about every turn.

    `simulated` lets a request from this machine ask the simulator for a fault (`X-Simulate`).
    """

    model: str
    token_cap: int | None
    send_reasoning: bool
    break_control_tokens: bool
    simulated: bool
    public: bool

    def options(self, asked: TurnOptions) -> Options:
        """A visitor's options within this policy."""
        return asked.for_request(
            model=self.model,
            token_cap=self.token_cap,
            send_reasoning=self.send_reasoning,
            break_control_tokens=self.break_control_tokens,
        )


@dataclass(frozen=True, slots=True)
class _Begun:
    """What a run is about to answer: the path to it, a new message if there is one, a base.

    `results` are those of calls that were cancelled for the message.
    """

    path: tuple[Entry, ...]
    parent: str
    message: UserEntry | None = None
    base: TurnEntry | None = None
    results: Node | None = None


def turn_routes(
    services: RunServices, media: MediaDesk, policy: TurnPolicy, limits: VisitorLimits
) -> APIRouter:
    """The routes under `/api`; `limits` are for the turns that a visitor starts."""
    router = APIRouter(prefix="/api", tags=["runs"])

    @router.post(
        "/chats/{chat_id}/turns",
        status_code=201,
        max_body_size=MAX_BODY,
        responses=refusals(
            BUSY, _NO_MESSAGE, _NO_MEDIA, _NOTHING_TO_RETRY, _CANNOT_CONTINUE, _CALLS_PENDING
        ),
    )
    async def start_turn(
        me: Owner, chat_id: ChatId, body: NewTurn, request: Request
    ) -> dict[str, Any]:
        """Starts an answer, which then runs on its own. The chat need not be there before.

        Answers `run`, to be listened to; `turn`, the id of the answer; `message`, as kept;
        `replaces`, the turn that it goes on with; and `results`, where calls were cancelled. With
        `loop.auto` the run goes on by itself while rules answer the model's calls.
        """
        visitor = visitor_of(request) if policy.public else me
        try:
            with services.runs.reserve(me, chat_id):
                attachments = await _attachments(media, me, body)
                begun = await _begin(
                    services.store, me, chat_id, body, attachments, limits, visitor
                )
                options = _options(policy, body, begun.path)
                question = Question(
                    me, chat_id, begun.parent, conversation_of(begun.path), options, begun.base
                )
                run = begin_run(question, services, policy, me, request, body.loop)
        except ChatBusy:
            raise BUSY from None
        except ChatUnknown:
            raise _NO_MESSAGE from None
        return {
            "run": run.id,
            "turn": run.turn_id,
            "message": user_view(begun.message, media.address) if begun.message else None,
            "replaces": begun.base.id if begun.base else None,
            "results": results_node_view(begun.results) if begun.results else None,
        }

    @router.get(
        "/runs/{run_id}/events",
        response_class=StreamingResponse,
        responses={
            200: {
                "description": "NDJSON: one event a line.",
                "content": {"application/x-ndjson": {}},
            },
            **refusals(_NO_RUN),
        },
    )
    async def listen(
        me: Owner, run_id: OwnId, after: Annotated[int, Query(ge=-1)] = -1
    ) -> StreamingResponse:
        """The run's events after number `after`, as NDJSON, until its end.

        Anybody of the owner may listen, at any time and again: what still counts comes first.
        """
        run = _find_run(services, me, run_id)
        return StreamingResponse(
            run.log.lines(after),
            media_type="application/x-ndjson",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    @router.delete("/runs/{run_id}", status_code=204, responses=refusals(_NO_RUN))
    async def stop(me: Owner, run_id: OwnId) -> Response:
        """Stops a run; what came is kept. One that has ended stays as it is."""
        await _find_run(services, me, run_id).stop()
        return Response(status_code=204)

    return router


def _find_run(services: RunServices, me: str, run_id: str) -> Run | Replay:
    run = services.runs.find(me, run_id)
    if run is None:
        raise _NO_RUN
    return run


async def _begin(
    store: ChatStore,
    me: str,
    chat_id: str,
    body: NewTurn,
    attachments: tuple[Attachment, ...],
    limits: VisitorLimits,
    visitor: str,
) -> _Begun:
    """Finds what is to be answered, and puts a new message into the chat."""
    if body.has_message:
        return await _new_message(store, me, chat_id, body, attachments, limits, visitor)
    begun = await (
        _cut_answer(store, me, chat_id) if body.go_on else _again(store, me, chat_id, body.retry)
    )
    await limits.turn(visitor, me)
    if begun.base is None:
        await store.end_at(me, chat_id, begun.parent)  # whoever reloads meets the new answer alone
    return begun


async def _new_message(
    store: ChatStore,
    me: str,
    chat_id: str,
    body: NewTurn,
    attachments: tuple[Attachment, ...],
    limits: VisitorLimits,
    visitor: str,
) -> _Begun:
    """Puts the message into the chat; calls that stand open before it were not executed."""
    parent = await _parent(store, me, chat_id, body)
    path = tuple(node.entry for node in await store.path_to(me, chat_id, parent))
    # Another wording of a message stays where it is: its calls are part of what was sent.
    pending = pending_calls(path[-1], Mocks()) if path and body.edit is None else ()
    if pending and not body.cancel_calls:
        raise _CALLS_PENDING
    await limits.turn(visitor, me)
    await store.open(me, chat_id)
    results = None
    if pending:
        entry = cancelled(secrets.token_urlsafe(12), pending)
        results = await store.add(me, chat_id, entry, parent)
        path, parent = (*path, entry), entry.id
    files = tuple(TextFile(file.name, file.text) for file in body.files)
    message = UserEntry(secrets.token_urlsafe(12), body.text, attachments, files)
    await store.add(me, chat_id, message, parent)
    return _Begun((*path, message), message.id, message, results=results)


def _options(policy: TurnPolicy, body: NewTurn, path: tuple[Entry, ...]) -> Options:
    """The options of the turn that comes next on the path."""
    options = replace(policy.options(body.options), continue_last=body.go_on)
    answered = next((each for each in reversed(path) if not isinstance(each, TurnEntry)), None)
    return answering_results(options) if isinstance(answered, ResultsEntry) else options


async def _parent(store: ChatStore, me: str, chat_id: str, body: NewTurn) -> str | None:
    """The entry that the new message follows."""
    if body.edit is not None:
        old = await store.node(me, chat_id, body.edit)
        if old is None or not isinstance(old.entry, UserEntry):
            raise _NO_MESSAGE
        return old.parent
    if body.after is not None:
        return body.after
    if await store.find(me, chat_id) is None:
        return None
    last = (await store.page(me, chat_id, limit=1)).nodes
    return last[0].entry.id if last else None


async def _again(store: ChatStore, me: str, chat_id: str, wanted: bool | str) -> _Begun:
    """The message, or the results, to answer again: the named ones, those that the named turn
    answered, or the last of the chat.
    """
    if isinstance(wanted, str):
        path = await store.path_to(me, chat_id, wanted)
    else:
        known = await store.find(me, chat_id) is not None
        path = (await store.page(me, chat_id)).nodes if known else ()
    entries = tuple(node.entry for node in path)
    if entries and isinstance(entries[-1], TurnEntry):
        entries = entries[:-1]
    if not entries:
        raise _NOTHING_TO_RETRY
    return _Begun(entries, entries[-1].id)


async def _cut_answer(store: ChatStore, me: str, chat_id: str) -> _Begun:
    """The last answer of the chat, which can be gone on with."""
    known = await store.find(me, chat_id) is not None
    path = (await store.page(me, chat_id)).nodes if known else ()
    last = path[-1] if path else None
    if last is None or not isinstance(last.entry, TurnEntry) or not can_continue(last.entry):
        raise _CANNOT_CONTINUE
    entries = tuple(node.entry for node in path)
    return _Begun(entries, last.parent or "", base=last.entry)


async def _attachments(media: MediaDesk, me: str, body: NewTurn) -> tuple[Attachment, ...]:
    """The new message's pictures and clips. Raises Refusal where one is unknown, or two alike."""
    found: list[Attachment] = []
    for content_hash in body.attachments:
        try:
            found.append(await media.find(me, content_hash))
        except MediaUnknown:
            raise _NO_MEDIA from None
    kinds = [attachment.kind for attachment in found]
    if len(set(kinds)) < len(kinds):
        raise Refusal(
            422,
            "too_many_media",
            "A message takes one image and one video.",
            "Take one of the two away.",
        )
    return tuple(found)


def begin_run(
    question: Question,
    services: RunServices,
    policy: TurnPolicy,
    me: str,
    request: Request,
    loop: ToolLoop,
) -> Run:
    """The run that a request of the owner `me` asks for."""
    return Run(
        question,
        services,
        visitor=visitor_of(request) if policy.public else me,
        headers=_fault_headers(request, policy),
        loop=loop.loop(),
    )


def _fault_headers(request: Request, policy: TurnPolicy) -> dict[str, str]:
    """A fault asked of the simulator, taken from this machine only."""
    fault = request.headers.get("x-simulate")
    host = request.client.host if request.client else ""
    if not (policy.simulated and fault and host in ("127.0.0.1", "::1")):
        return {}
    return {"X-Simulate": fault}
