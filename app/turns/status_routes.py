"""The HTTP routes about the model server: its state, and the tokens of a draft."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Request

from app.endpoint import Endpoint
from app.turns.options import MAX_BODY, Draft
from app.turns.slots import Slots
from app.turns.tokens import estimate_tokens
from app.turns.visitors import Owner, RateLimit, visitor_of

_ASKED_AGAIN_S = 0.2
"""How old a state may be for someone who has just asked for it, in seconds."""

_COUNTED_CHARACTERS = 400_000
"""The longest text that is sent to be counted; of a longer one nobody needs to know each token."""


class ServerStatus:
    """What is known of the model server. Asking never wakes it.

    `endpoint` gives the connection once the app runs; `kind` and `label` say what it leads to;
    `context_tokens` is the context where the server does not tell it.
    """

    def __init__(
        self,
        endpoint: Callable[[], Endpoint],
        slots: Slots,
        *,
        kind: str,
        label: str,
        context_tokens: int,
    ) -> None:
        self._endpoint = endpoint
        self._slots = slots
        self._kind = kind
        self._label = label
        self._context_tokens = context_tokens

    def context_limit(self) -> int:
        """Tokens of the model's context."""
        return self._context_tokens

    async def view(self, max_age_s: float | None = None) -> dict[str, Any]:
        """The state as the page shows it; `max_age_s` is how old it may be, if not as usual."""
        known = await self._endpoint().state(max_age_s)
        self._context_tokens = known.context_tokens or self._context_tokens
        state: str = known.state
        if state == "ready":
            if self._kind == "simulator":
                state = "simulator"
            elif self._slots.waiting:
                state = "busy"
        return {
            "kind": self._kind,
            "label": self._label,
            "state": state,
            "message": known.message,
            "request_id": known.request_id,
            "since_s": known.since_s,
            "billed": known.billed,
            "running": self._slots.running,
            "slots": self._slots.total,
            "waiting": self._slots.waiting,
            "context_tokens": self._context_tokens,
        }

    async def tokens(self, text: str) -> dict[str, Any]:
        """How many tokens a text is: as the server counts where it answers, else estimated."""
        if not text:
            return {"tokens": 0, "estimated": False}
        counted = None
        if len(text) <= _COUNTED_CHARACTERS:
            counted = await self._endpoint().count_tokens(text)
        if counted is None:
            return {"tokens": estimate_tokens(text), "estimated": True}
        return {"tokens": counted, "estimated": False}


def status_routes(status: ServerStatus, limit: RateLimit | None) -> APIRouter:
    """The routes under `/api`; `limit` counts the texts whose tokens a visitor asks for."""
    router = APIRouter(prefix="/api", tags=["model server"])

    @router.get("/status")
    async def get_status(_me: Owner, again: bool = False) -> dict[str, Any]:
        """The state of the model server, a few seconds old at most; asking never wakes it.

        `again`: a person asks, and wants it new.
        """
        return await status.view(_ASKED_AGAIN_S if again else None)

    @router.post("/tokens", max_body_size=MAX_BODY)
    async def count(_me: Owner, body: Draft, request: Request) -> dict[str, Any]:
        """The tokens of a text, such as a message that is being written.

        Answers `tokens`, and whether they are `estimated`, as no server could be asked.
        """
        if limit is not None:
            limit.take(visitor_of(request))
        return await status.tokens(body.text)

    return router
