"""The HTTP routes of a person's account: who has signed in, and the chats that come along."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from app.store.chats import ChatStore
from app.turns.account import can_sign_in, signed_in
from app.turns.errors import refusals
from app.turns.routes import BUSY
from app.turns.runs import Runs
from app.turns.visitors import Owner, token_owner


def account_routes(store: ChatStore, runs: Runs) -> APIRouter:
    """The routes under `/api/account`."""
    router = APIRouter(prefix="/api/account", tags=["account"])

    @router.get("")
    async def account(_me: Owner, request: Request) -> dict[str, Any]:
        """Who has signed in, if anybody; and whether one can."""
        user = signed_in(request)
        return {"name": user.name if user else None, "can_sign_in": can_sign_in()}

    @router.post("/adopt", status_code=204, responses=refusals(BUSY))
    async def adopt(
        me: Owner, browser: Annotated[str, Depends(token_owner)], request: Request
    ) -> Response:
        """Moves the chats of this browser to the person who has signed in with it."""
        if signed_in(request) is not None and browser != me:
            if runs.any_running(browser):  # it would end in a chat that is no longer there
                raise BUSY
            await store.adopt(browser, me)
        return Response(status_code=204)

    return router
