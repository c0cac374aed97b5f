"""The HTTP route that plays a recorded answer once more."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request

from app.chat.entries import TurnEntry
from app.store.chats import ChatUnknown
from app.turns.errors import Refusal, refusals
from app.turns.options import Speed
from app.turns.replay import Recording, Replay
from app.turns.services import RunServices
from app.turns.visitors import ChatId, Owner, OwnId, RateLimit, visitor_of

_NO_TURN = Refusal(404, "no_turn", "There is no such turn.", "Open its chat again.")
_NOT_RECORDED = Refusal(404, "not_recorded", "Nothing was recorded of this answer as it came.")


def replay_routes(services: RunServices, limit: RateLimit | None, *, public: bool) -> APIRouter:
    """The route; `limit` counts a visitor's replays."""
    router = APIRouter(prefix="/api/chats/{chat_id}/turns/{turn_id}", tags=["runs"])
    store = services.store

    @router.post("/replay", status_code=201, responses=refusals(_NO_TURN, _NOT_RECORDED))
    async def start_replay(
        me: Owner, chat_id: ChatId, turn_id: OwnId, body: Speed, request: Request
    ) -> dict[str, Any]:
        """Plays a recorded answer as it came, without a server: its chat stays as it is.

        Answers `run`, to be listened to and stopped as that of a turn; `turn`, the answer's id;
        and the `seconds` that it took.
        """
        if limit is not None:
            limit.take(visitor_of(request) if public else me)
        try:
            node = await store.node(me, chat_id, turn_id)
            exchanges = await store.exchanges(me, chat_id, turn_id)
        except ChatUnknown:
            raise _NO_TURN from None
        if node is None or not isinstance(node.entry, TurnEntry):
            raise _NO_TURN
        recording = await asyncio.to_thread(Recording.of, me, chat_id, node.entry, exchanges)
        if recording is None:
            raise _NOT_RECORDED
        replay = Replay(recording, services, speed=body.speed)
        return {"run": replay.id, "turn": turn_id, "seconds": round(recording.seconds, 3)}

    return router
