"""How the model server is: what was last seen of it, by looking and by the turns that reach it."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from time import monotonic
from typing import Literal, TypeAlias

from app.endpoint.settings import EndpointSettings

State: TypeAlias = Literal["ready", "asleep", "waking", "unreachable", "unknown"]


@dataclass(frozen=True, slots=True)
class ServerState:
    """A model server at one moment.

    `message`: one sentence on the state, the server's own where it sent one, or nothing;
    `request_id` is that of the answer which said so. `since_s`: for how many seconds this state
    has been seen. `billed`: whether the server costs money as it is. `context_tokens`: the most
    tokens of a prompt and its answer, where the server tells.
    """

    state: State
    message: str = ""
    request_id: str | None = None
    since_s: float | None = None
    billed: bool = False
    context_tokens: int | None = None


Look: TypeAlias = Callable[[], Awaitable[ServerState | None]]
"""Asks once, for a short time, without waking anything; None where nothing was said in time."""


class StateWatch:
    """Keeps what was last seen, and looks again when it is asked for something newer.

    However many ask, one look is under way at most. Use it on one event loop.
    """

    def __init__(self, look: Look, settings: EndpointSettings) -> None:
        self._look = look
        self._settings = settings
        self._known = ServerState("unknown")
        self._since: float | None = None
        self._told_at = -math.inf
        self._looked_at = -math.inf
        self._looking: asyncio.Task[None] | None = None

    async def state(self, max_age_s: float | None = None) -> ServerState:
        """The state, `max_age_s` old at most; by default as old as the settings allow.

        A look that brings nothing leaves what was known, or unknown.
        """
        if not self._is_fresh(max_age_s):
            if self._looking is None:
                self._looking = asyncio.create_task(self._refresh(), name="server state")
            # The look is for all who ask: one of them may leave, the others go on waiting.
            await asyncio.shield(self._looking)
        since_s = None if self._since is None else monotonic() - self._since
        return replace(self._known, since_s=since_s)

    def answered(self) -> None:
        """A turn got the headers of a 200."""
        self._tell(ServerState("ready", billed=self._settings.is_baseten))

    def not_reached(self, message: str) -> None:
        """A turn got no connection."""
        self._tell(ServerState("unreachable", message))

    async def close(self) -> None:
        """Ends a look that is under way."""
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait((self._looking,))

    def _is_fresh(self, max_age_s: float | None) -> bool:
        """What turns tell counts like a look, once a look has told what only a look can."""
        if self._looked_at == -math.inf:
            return False
        if max_age_s is None:
            waking = self._known.state == "waking"
            max_age_s = self._settings.state_waking_s if waking else self._settings.state_s
        return monotonic() - max(self._looked_at, self._told_at) < max_age_s

    async def _refresh(self) -> None:
        began = monotonic()
        try:
            seen = await self._look()
        finally:
            self._looking = None
        self._looked_at = monotonic()
        if seen is None:
            return
        if self._told_at > began:
            # A turn has told something newer than what this look set out to see.
            seen = replace(self._known, context_tokens=seen.context_tokens)
        self._know(seen)

    def _tell(self, state: ServerState) -> None:
        self._told_at = monotonic()
        self._know(state)

    def _know(self, state: ServerState) -> None:
        if self._since is None or state.state != self._known.state:
            self._since = monotonic()
        context = state.context_tokens or self._known.context_tokens
        self._known = replace(state, context_tokens=context)
