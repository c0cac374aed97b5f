"""The HTTP routes that show what was really sent for an answer, and what came on the wire."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from starlette.responses import PlainTextResponse

from app.chat.entries import conversation_of
from app.chat.exchange import Exchange, digest
from app.chat.history import Repair
from app.chat.messages import Attachment, Conversation, Message
from app.export import curl_code, elided, python_code
from app.store.chats import ChatStore, ChatUnknown
from app.turns.attachments import PreparedRequest, prepare_request
from app.turns.errors import Refusal, refusals
from app.turns.exchange_views import phases, tokens_a_chunk, wire_events
from app.turns.media_routes import MediaDesk
from app.turns.visitors import ChatId, Owner, OwnId

_NO_MESSAGE = Refusal(404, "no_message", "There is no such message.", "Open its chat again.")
_NOT_RECORDED = Refusal(404, "not_recorded", "No such request was recorded for this answer.")

Number = Annotated[int, Path(ge=0, le=10_000, description="Which request of the answer, from 0.")]


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where requests go, before `/chat/completions`, and the variable that holds the key."""

    base_url: str
    key_variable: str | None


@dataclass(frozen=True, slots=True)
class _Sent:
    """A recorded request, built anew."""

    exchange: Exchange
    prepared: PreparedRequest

    @property
    def is_exact(self) -> bool:
        return digest(self.prepared.request.body) == self.exchange.digest


def exchange_routes(
    store: ChatStore, desk: MediaDesk, address: Callable[[], ServerAddress]
) -> APIRouter:
    """The routes under an answer's address; `address` is asked once the app has started."""
    router = APIRouter(
        prefix="/api/chats/{chat_id}/turns/{turn_id}/exchanges", tags=["requests as sent"]
    )
    missing = refusals(_NO_MESSAGE, _NOT_RECORDED)

    async def find(me: str, chat: str, turn: str) -> tuple[Exchange, ...]:
        try:
            return await store.exchanges(me, chat, turn)
        except ChatUnknown:
            raise _NO_MESSAGE from None

    async def find_one(me: str, chat: str, turn: str, number: int) -> Exchange:
        found = await find(me, chat, turn)
        if number >= len(found):
            raise _NOT_RECORDED
        return found[number]

    async def rebuilt(me: str, chat: str, turn: str, exchange: Exchange) -> _Sent:
        node = await store.node(me, chat, turn)
        if node is None:
            raise _NO_MESSAGE
        path = await store.path_to(me, chat, node.parent)
        conversation = conversation_of([above.entry for above in path])
        if exchange.base:
            base = Message("assistant", exchange.base)
            conversation = Conversation((*conversation.messages, base))

        async def load(attachment: Attachment) -> str | None:
            return await desk.load(me, attachment)

        return _Sent(exchange, await prepare_request(conversation, exchange.options, load))

    async def whole_body(me: str, chat: str, turn: str, number: int) -> dict[str, Any]:
        exchange = await find_one(me, chat, turn, number)
        return (await rebuilt(me, chat, turn, exchange)).prepared.whole.body

    @router.get("", responses=refusals(_NO_MESSAGE))
    async def list_exchanges(me: Owner, chat_id: ChatId, turn_id: OwnId) -> dict[str, Any]:
        """What was sent for an answer, oldest first, with what its seconds went on.

        One gone on with has several. None: it was worded by hand, or found after a crash. Pictures
        and clips are shortened.
        """
        url = f"{address().base_url.rstrip('/')}/chat/completions"
        views = []
        for number, exchange in enumerate(await find(me, chat_id, turn_id)):
            sent = await rebuilt(me, chat_id, turn_id, exchange)
            view = await asyncio.to_thread(_exchange_view, sent)
            views.append({"number": number, "address": url, **view})
        return {"exchanges": views}

    @router.get("/{number}/wire", responses=missing)
    async def read_wire(
        me: Owner,
        chat_id: ChatId,
        turn_id: OwnId,
        number: Number,
        after: Annotated[int, Query(ge=-1)] = -1,
        limit: Annotated[int, Query(ge=1, le=1000)] = 200,
    ) -> dict[str, Any]:
        """The events of the stream after number `after`, as they came: seconds and data."""
        exchange = await find_one(me, chat_id, turn_id, number)
        events = await asyncio.to_thread(lambda: wire_events(exchange.reads))
        first = after + 1
        shown = [event.view(n) for n, event in enumerate(events[first : first + limit], first)]
        return {"events": shown, "more": len(events) > first + limit}

    @router.get("/{number}/request", responses=missing)
    async def read_request(
        me: Owner, chat_id: ChatId, turn_id: OwnId, number: Number
    ) -> dict[str, Any]:
        """The request's body whole, with its pictures and clips."""
        return await whole_body(me, chat_id, turn_id, number)

    @router.get("/{number}/python", response_class=PlainTextResponse, responses=missing)
    async def read_python(
        me: Owner, chat_id: ChatId, turn_id: OwnId, number: Number
    ) -> PlainTextResponse:
        """The same request as Python, which runs as it stands."""
        return await code(python_code, await whole_body(me, chat_id, turn_id, number))

    @router.get("/{number}/curl", response_class=PlainTextResponse, responses=missing)
    async def read_curl(
        me: Owner, chat_id: ChatId, turn_id: OwnId, number: Number
    ) -> PlainTextResponse:
        """The same request as cURL, which runs as it stands."""
        return await code(curl_code, await whole_body(me, chat_id, turn_id, number))

    async def code(write: Callable[..., str], body: dict[str, Any]) -> PlainTextResponse:
        server = address()
        text = await asyncio.to_thread(
            write, body, base_url=server.base_url, key_variable=server.key_variable
        )
        return PlainTextResponse(text, headers={"Cache-Control": "no-store"})

    return router


def _exchange_view(sent: _Sent) -> dict[str, Any]:
    exchange, request = sent.exchange, sent.prepared.request
    reads = exchange.reads
    events = wire_events(reads)
    return {
        "request": elided(sent.prepared.whole.body),
        "is_exact": sent.is_exact,
        "repairs": [_repair_view(repair) for repair in request.repairs],
        "wire_events": len(events),
        "is_cut": exchange.is_cut,
        "phases": [phase.view() for phase in phases(reads)],
        "chunks": tokens_a_chunk(events),
    }


def _repair_view(repair: Repair) -> dict[str, Any]:
    """A repair in English, and as key and values for a page in another language."""
    sentence = repair.sentence
    view: dict[str, Any] = {"code": repair.code, "message": repair.message}
    return view | ({"key": sentence.key, "values": dict(sentence.values)} if sentence else {})
