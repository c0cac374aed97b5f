"""The server that is verified, and what was asked of it so far."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any, TypeVar

from app.chat.events import ContentDelta, Event, ReasoningDelta, ToolCallDelta
from app.chat.messages import Conversation, Message
from app.chat.request import Options, Request, build
from app.chat.turn import Turn, TurnBuilder
from app.endpoint import Endpoint
from deploy.bodies import MOST_BYTES, BodyTooLargeError
from deploy.verify.outcomes import DifferenceError, SkippedError
from deploy.verify.promises import Promises
from deploy.verify.wire import Wire

_Value = TypeVar("_Value")


class Subject:
    """What the checks ask: the wire where it is judged itself, else turns as the page makes them.

    `wants_key`: whether the server is one that must refuse who has no key.
    """

    def __init__(
        self, promises: Promises, wire: Wire, endpoint: Endpoint, *, wants_key: bool
    ) -> None:
        self.promises = promises
        self.wire = wire
        self.wants_key = wants_key
        self._endpoint = endpoint
        self._known: dict[str, Any] = {}

    def body(self, text: str, *, max_tokens: int, **fields: Any) -> dict[str, Any]:
        """A chat-completions body with one message; it asks for little thought."""
        return {
            "model": self.promises.model,
            "messages": [{"role": "user", "content": text}],
            "reasoning_effort": "low",
            "max_tokens": max_tokens,
            **fields,
        }

    async def once(self, name: str, ask: Callable[[], Awaitable[_Value]]) -> _Value:
        """What several checks look at, asked for once, be it a difference."""
        if name not in self._known:
            try:
                self._known[name] = await ask()
            except (DifferenceError, SkippedError) as ending:
                self._known[name] = ending
        value: _Value = self._known[name]
        if isinstance(value, DifferenceError | SkippedError):
            raise value
        return value

    async def turn(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        urls: Mapping[str, str] | None = None,
        **options: Any,
    ) -> Turn:
        """A turn as the page makes it, its media under their `urls` by hash.

        Raises DifferenceError where it does not come to its end, or is far too large.
        """
        chosen = Options(self.promises.model, effort="low", max_tokens=max_tokens, **options)
        found = urls or {}
        request = build(
            Conversation(tuple(messages)), chosen, lambda attachment: found[attachment.hash]
        )
        return await self._ended(request)

    async def _ended(self, request: Request) -> Turn:
        builder = TurnBuilder()
        size = 0
        async with aclosing(self._endpoint.stream(request)) as events:
            async for event in events:
                builder.add(event)
                size += _characters(event)
                if size > MOST_BYTES:
                    raise DifferenceError(str(BodyTooLargeError()))
        turn = builder.turn()
        if turn.failure is not None:
            status = f"HTTP {turn.failure.status}: " if turn.failure.status else ""
            raise DifferenceError(f"{status}{turn.failure.message}")
        if not turn.complete:
            raise DifferenceError("the answer ended without a finish_reason")
        return turn


def _characters(event: Event) -> int:
    """How much an event adds to what is kept of an answer."""
    if isinstance(event, ReasoningDelta | ContentDelta):
        return len(event.text)
    return len(event.name) + len(event.arguments) if isinstance(event, ToolCallDelta) else 0
