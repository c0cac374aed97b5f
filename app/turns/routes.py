"""The HTTP routes of chats and runs, which the page, scripts and tests share.

Owner checks come first in every route: what is somebody else's does not exist.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from starlette.responses import JSONResponse, StreamingResponse

from app.chat.messages import Attachment
from app.chat.request import Options
from app.media import MediaUnknown
from app.turns.chats import Chat, UserEntry
from app.turns.errors import Refusal
from app.turns.media_routes import MediaDesk
from app.turns.options import MAX_BODY, NewTurn, TurnOptions
from app.turns.run import Run, RunServices
from app.turns.views import chat_summary, chat_view, turn_source, user_view
from app.turns.visitors import RateLimit, owner, visitor_address

Owner: TypeAlias = Annotated[str, Depends(owner)]
ChatId: TypeAlias = Annotated[
    str, Path(pattern=r"^[A-Za-z0-9_-]{8,64}$", description="Made by the page, at random.")
]
OwnId: TypeAlias = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$")]

_NO_CHAT = Refusal(404, "no_chat", "There is no such chat.", "Begin a new one.")
_NO_RUN = Refusal(404, "no_run", "There is no such run.", "Open its chat again.")


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


def turn_routes(
    services: RunServices, media: MediaDesk, policy: TurnPolicy, limit: RateLimit | None
) -> APIRouter:
    """The routes under `/api`; `limit` counts the turns that a visitor starts."""
    router = APIRouter(prefix="/api", tags=["chats and runs"])
    chats = services.chats

    def find_chat(me: str, chat_id: str) -> Chat:
        chat = chats.get(me, chat_id)
        if chat is None:
            raise _NO_CHAT
        return chat

    @router.get("/chats")
    async def list_chats(me: Owner) -> dict[str, Any]:
        """The owner's chats, the newest first."""
        return {"chats": [chat_summary(chat) for chat in chats.of(me)]}

    @router.get("/chats/{chat_id}")
    async def get_chat(me: Owner, chat_id: ChatId) -> JSONResponse:
        """A chat with its messages, and the run that is going on, if any."""
        chat = find_chat(me, chat_id)
        return JSONResponse(chat_view(chat, services.rendering.whole, media.address))

    @router.get("/chats/{chat_id}/turns/{turn_id}")
    async def get_turn(me: Owner, chat_id: ChatId, turn_id: OwnId) -> dict[str, Any]:
        """An ended turn in the model's own words, Markdown unrendered."""
        entry = find_chat(me, chat_id).find_turn(turn_id)
        if entry is None:
            raise Refusal(404, "no_turn", "There is no such turn.", "Open its chat again.")
        return turn_source(entry)

    @router.post("/chats/{chat_id}/turns", status_code=201, max_body_size=MAX_BODY)
    async def start_turn(
        me: Owner, chat_id: ChatId, body: NewTurn, request: Request
    ) -> dict[str, Any]:
        """Starts the answer to a new message, or once more to the last; it runs on its own."""
        visitor = visitor_address(request) if policy.public else me
        chat = chats.get(me, chat_id)
        if chat is not None and chat.running:
            raise Refusal(
                409, "busy", "This chat is still answering.", "Wait for its end, or stop it."
            )
        if body.retry and (chat is None or not chat.entries):
            raise Refusal(409, "nothing_to_retry", "There is no message to answer again.")
        attachments = await _attachments(media, me, body)
        if limit is not None:
            limit.take(visitor)
        chat = chats.open(me, chat_id)
        if chat.running:
            raise Refusal(409, "busy", "This chat is still answering.", "Wait, or stop it.")
        message = _begin(chat, body, attachments)
        chat.run = Run(
            chat,
            policy.options(body.options),
            services,
            visitor=visitor,
            headers=_fault_headers(request, policy),
        )
        chats.touch(chat)
        return {
            "run": chat.run.id,
            "turn": chat.run.turn_id,
            "message": user_view(message, media.address) if message else None,
        }

    @router.get("/runs/{run_id}/events")
    async def listen(
        me: Owner, run_id: OwnId, after: Annotated[int, Query(ge=-1)] = -1
    ) -> StreamingResponse:
        """The run's events after number `after`, as NDJSON, until its end."""
        run = _find_run(services, me, run_id)
        return StreamingResponse(
            run.log.lines(after),
            media_type="application/x-ndjson",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    @router.delete("/runs/{run_id}", status_code=204)
    async def stop(me: Owner, run_id: OwnId) -> Response:
        """Stops a run; what came is kept. One that has ended stays as it is."""
        await _find_run(services, me, run_id).stop()
        return Response(status_code=204)

    return router


def _find_run(services: RunServices, me: str, run_id: str) -> Run:
    run = services.chats.find_run(me, run_id)
    if run is None:
        raise _NO_RUN
    return run


async def _attachments(media: MediaDesk, me: str, body: NewTurn) -> tuple[Attachment, ...]:
    """The new message's pictures and clips. Raises Refusal where one is unknown, or two alike."""
    found: list[Attachment] = []
    for content_hash in body.attachments:
        try:
            found.append(await media.find(me, content_hash))
        except MediaUnknown:
            raise Refusal(
                404, "no_media", "An attachment is no longer kept.", "Attach it again."
            ) from None
    kinds = [attachment.kind for attachment in found]
    if len(set(kinds)) < len(kinds):
        raise Refusal(
            422,
            "too_many_media",
            "A message takes one image and one video.",
            "Take one of the two away.",
        )
    return tuple(found)


def _begin(chat: Chat, body: NewTurn, attachments: tuple[Attachment, ...]) -> UserEntry | None:
    """Puts the message into the chat; for a retry takes the last answer out instead."""
    if body.retry:
        chat.drop_last_turn()
        return None
    message = UserEntry(secrets.token_urlsafe(12), body.text, attachments)
    chat.entries.append(message)
    return message


def _fault_headers(request: Request, policy: TurnPolicy) -> dict[str, str]:
    """A fault asked of the simulator, taken from this machine only."""
    fault = request.headers.get("x-simulate")
    host = request.client.host if request.client else ""
    if not (policy.simulated and fault and host in ("127.0.0.1", "::1")):
        return {}
    return {"X-Simulate": fault}
