"""The HTTP routes of chats: the list, a chat's pages, its versions, names, ratings, its end.

Owner checks come first in every route: what is somebody else's does not exist.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Generator
from contextlib import contextmanager
from itertools import takewhile
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from starlette.responses import JSONResponse, PlainTextResponse

from app.chat.entries import Feedback, Node, TurnEntry, UserEntry
from app.export import chat_markdown
from app.store.chats import ChatLine, ChatStore, ChatUnknown
from app.tools.mocks import Mocks
from app.turns.chat_views import calls_view, line_view, message_source, node_view, setup_view
from app.turns.context import of_chat
from app.turns.ended import edited_turn
from app.turns.errors import Refusal, refusals
from app.turns.limits import VisitorLimits
from app.turns.media_routes import MediaDesk
from app.turns.options import MAX_BODY, AnswerEdit, ChatChange, Rating, Version
from app.turns.pending import pending_calls, pending_view
from app.turns.routes import BUSY
from app.turns.run import Run
from app.turns.runs import ChatBusy
from app.turns.services import RunServices
from app.turns.setup_bodies import ChatSetup
from app.turns.turn_views import turn_source
from app.turns.visitors import ChatId, Owner, OwnId

_NO_CHAT = Refusal(404, "no_chat", "There is no such chat.", "Begin a new one.")
_NO_TURN = Refusal(404, "no_turn", "There is no such turn.", "Open its chat again.")
_NO_MESSAGE = Refusal(404, "no_message", "There is no such message.", "Open its chat again.")
_NOTHING_TO_UNDO = Refusal(409, "nothing_to_undo", "There is no message to take back.")


def chat_routes(
    services: RunServices, media: MediaDesk, limits: VisitorLimits, *, model: str
) -> APIRouter:
    """The routes under `/api/chats`; `model` is the name under which answers are exported,
    `limits` are for what is kept.
    """
    router = APIRouter(prefix="/api/chats", tags=["chats"])
    store, runs = services.store, services.runs

    def line(me: str, found: ChatLine) -> dict[str, Any]:
        return line_view(found, running=runs.running(me, found.id) is not None)

    async def find(me: str, chat_id: str) -> ChatLine:
        found = await store.find(me, chat_id)
        if found is None:
            raise _NO_CHAT
        return found

    @contextmanager
    def alone(me: str, chat_id: str) -> Generator[None]:
        try:
            with runs.reserve(me, chat_id):
                yield
        except ChatBusy:
            raise BUSY from None
        except ChatUnknown:
            raise _NO_MESSAGE from None

    @router.get("")
    async def list_chats(
        me: Owner,
        search: Annotated[str, Query(max_length=200)] = "",
        offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
        limit: Annotated[int, Query(ge=1, le=200)] = 50,
    ) -> dict[str, Any]:
        """The owner's chats: those pinned, then the newest; with `search` those that hold it.

        Answers `chats`, and whether there are `more` after these.
        """
        found, more = await store.list(me, search=search, offset=offset, limit=limit)
        return {"chats": [line(me, each) for each in found], "more": more}

    @router.get("/{chat_id}", responses=refusals(_NO_CHAT, _NO_MESSAGE))
    async def get_chat(
        me: Owner,
        chat_id: ChatId,
        before: Annotated[str | None, Query(pattern=r"^[A-Za-z0-9_-]{1,64}$")] = None,
        limit: Annotated[int, Query(ge=1, le=200)] = 40,
    ) -> JSONResponse:
        """The end of a chat, or what stands before an entry of it; and the run that goes on.

        Answers its `messages` (of users, turns with rendered answers, results of calls), whether
        there are `earlier` ones, the `run` to listen to from its number `after`, calls that are
        `pending`, what it takes of the `context`, how many `calls` the model made in it, and the
        `setup` of its tools.
        """
        found = await find(me, chat_id)
        running = _run_view(runs.running(me, chat_id))  # as it is before the chat is read
        try:
            page = await store.page(me, chat_id, before=before, limit=limit)
        except ChatUnknown:
            raise _NO_MESSAGE from None
        shown = page.nodes if running is None else _before(page.nodes, running["turn"])
        last = page.nodes[-1].entry if page.nodes and running is None else None
        pending = pending_calls(last, Mocks()) if before is None else ()

        def views() -> list[dict[str, Any]]:
            render = services.rendering.whole
            return [node_view(node, render, media.address, services.prices) for node in shown]

        content = {
            "id": found.id,
            "title": found.title,
            "pinned": found.pinned,
            # Markdown of a long page takes a while, and others are being answered.
            "messages": await asyncio.to_thread(views),
            "earlier": page.earlier,
            "run": running,
            "pending": pending_view(last, pending),
        }
        if before is None:
            limit = services.context_limit()
            content["context"] = await of_chat(store, me, chat_id, page, limit)
            content["cost"] = services.prices.cost(await store.totals(me, chat_id))
            content["calls"] = calls_view(await store.call_counts(me, chat_id))
            content["setup"] = setup_view(await store.setup(me, chat_id))
        return JSONResponse(content)

    @router.get(
        "/{chat_id}/markdown", response_class=PlainTextResponse, responses=refusals(_NO_CHAT)
    )
    async def export_markdown(me: Owner, chat_id: ChatId) -> PlainTextResponse:
        """The chat as a Markdown document: the versions that are shown, thoughts folded away."""
        found = await find(me, chat_id)
        nodes = (await store.page(me, chat_id)).nodes
        text = await asyncio.to_thread(chat_markdown, found.title or "Chat", nodes, model=model)
        return PlainTextResponse(text, media_type="text/markdown")

    @router.get("/{chat_id}/messages/{message_id}", responses=refusals(_NO_CHAT, _NO_MESSAGE))
    async def get_message(me: Owner, chat_id: ChatId, message_id: OwnId) -> dict[str, Any]:
        """A message of the owner whole, its files included."""
        node = await _node(store, me, chat_id, message_id)
        if node is None or not isinstance(node.entry, UserEntry):
            raise _NO_MESSAGE
        return message_source(node.entry, media.address)

    @router.get("/{chat_id}/turns/{turn_id}", responses=refusals(_NO_CHAT, _NO_TURN))
    async def get_turn(me: Owner, chat_id: ChatId, turn_id: OwnId) -> dict[str, Any]:
        """An ended turn in the model's own words, Markdown unrendered."""
        return turn_source((await _turn(store, me, chat_id, turn_id))[0])

    @router.patch("/{chat_id}", responses=refusals(_NO_CHAT))
    async def change_chat(me: Owner, chat_id: ChatId, body: ChatChange) -> dict[str, Any]:
        """Renames a chat, or pins it; a title of null or nothing is the first message's again."""
        await find(me, chat_id)
        if "title" in body.model_fields_set:
            await store.rename(me, chat_id, body.title or None)
        if body.pinned is not None:
            await store.pin(me, chat_id, body.pinned)
        return line(me, await find(me, chat_id))

    @router.put("/{chat_id}/setup", status_code=204, max_body_size=MAX_BODY)
    async def set_up(me: Owner, chat_id: ChatId, body: ChatSetup) -> Response:
        """Keeps what is set up for the chat's tools, in place of what was. The chat need not be
        there before.
        """
        await limits.room(me)
        await store.set_up(me, chat_id, body.setup())
        return Response(status_code=204)

    @router.delete("/{chat_id}", status_code=204, responses=refusals(_NO_CHAT, BUSY))
    async def delete_chat(me: Owner, chat_id: ChatId) -> Response:
        """Deletes a chat with its messages, and the media that no other chat of the owner uses."""
        await find(me, chat_id)
        run = runs.running(me, chat_id)
        if run is not None:
            await run.stop()
        with alone(me, chat_id):
            await media.store.clean(await store.delete(me, chat_id))
        return Response(status_code=204)

    @router.post(
        "/{chat_id}/version", status_code=204, responses=refusals(_NO_CHAT, _NO_MESSAGE, BUSY)
    )
    async def choose_version(me: Owner, chat_id: ChatId, body: Version) -> Response:
        """The chat now runs through this version of a message or an answer."""
        await find(me, chat_id)
        with alone(me, chat_id):
            await store.choose(me, chat_id, body.node)
        return Response(status_code=204)

    @router.post("/{chat_id}/undo", responses=refusals(_NO_CHAT, BUSY, _NOTHING_TO_UNDO))
    async def undo(me: Owner, chat_id: ChatId) -> dict[str, Any]:
        """Takes the last message and its answers back; they stay as a version. Answers the
        message, to be written anew."""
        await find(me, chat_id)
        with alone(me, chat_id):
            path = (await store.page(me, chat_id)).nodes
            last = next((n.entry for n in reversed(path) if isinstance(n.entry, UserEntry)), None)
            if last is None:
                raise _NOTHING_TO_UNDO
            await store.step_back(me, chat_id, last.id)
        return message_source(last, media.address)

    @router.post(
        "/{chat_id}/edits",
        status_code=201,
        max_body_size=MAX_BODY,
        responses=refusals(_NO_CHAT, _NO_TURN, BUSY),
    )
    async def edit_answer(me: Owner, chat_id: ChatId, body: AnswerEdit) -> JSONResponse:
        """A new version of an answer, in a person's wording."""
        entry, node = await _turn(store, me, chat_id, body.turn)
        await limits.room(me)
        edited = edited_turn(secrets.token_urlsafe(12), entry, body.text)
        with alone(me, chat_id):
            added = await store.add(me, chat_id, edited, node.parent)
        render = services.rendering.whole
        return JSONResponse(node_view(added, render, media.address, services.prices), 201)

    @router.put(
        "/{chat_id}/turns/{turn_id}/feedback",
        status_code=204,
        responses=refusals(_NO_CHAT, _NO_TURN),
    )
    async def rate(me: Owner, chat_id: ChatId, turn_id: OwnId, body: Rating) -> Response:
        """Likes or dislikes an answer, with a comment; a value of null takes it back."""
        await _turn(store, me, chat_id, turn_id)
        feedback = None if body.value is None else Feedback(body.value, body.comment)
        await store.rate(me, chat_id, turn_id, feedback)
        return Response(status_code=204)

    return router


def _run_view(run: Run | None) -> dict[str, Any] | None:
    """A run that goes on, for whoever listens from here; None where none does."""
    if run is None:
        return None
    return {
        "id": run.id,
        "turn": run.turn_id,
        "after": run.after,
        "replaces": run.base.id if run.base else None,
    }


def _before(nodes: tuple[Node, ...], turn_id: str) -> tuple[Node, ...]:
    """The nodes without the turn that the run tells of, and what it has put behind it since."""
    return tuple(takewhile(lambda node: node.entry.id != turn_id, nodes))


async def _node(store: ChatStore, me: str, chat_id: str, node_id: str) -> Node | None:
    if await store.find(me, chat_id) is None:
        raise _NO_CHAT
    return await store.node(me, chat_id, node_id)


async def _turn(store: ChatStore, me: str, chat_id: str, turn_id: str) -> tuple[TurnEntry, Node]:
    node = await _node(store, me, chat_id, turn_id)
    if node is None or not isinstance(node.entry, TurnEntry):
        raise _NO_TURN
    return node.entry, node
