"""What one visitor may take of a server that is open to the public: each limit says when to return.

Running turns are limited by the slots; all else is here. The sums of a day are in the database.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

from app.chat.events import (
    ContentDelta,
    Event,
    Failed,
    ReasoningDelta,
    Started,
    ToolCallDelta,
    Usage,
)
from app.chat.request import Request
from app.store.database import StoreError
from app.store.usage import UsageStore
from app.turns.errors import Refusal
from app.turns.tokens import estimate_tokens, token_count
from app.turns.visitors import RateLimit

logger = logging.getLogger(__name__)

_MEGABYTE: Final = 1_000_000

SENTENCES: Final[Mapping[str, str]] = {
    "tokens_used_up": "You have used the {most} tokens that one visitor has for a day: come back "
    "in {wait}, at 00:00 UTC.",
    "uploads_used_up": "With this file you would have uploaded more than {most} today: come back "
    "in {wait}, at 00:00 UTC.",
    "storage_full": "Your chats, pictures and clips take all of the {most} that are kept for one "
    "visitor.",
}
"""What is said where a limit is reached, by the code of the refusal."""


@dataclass(frozen=True, slots=True)
class LimitFigures:
    """The most of each for one visitor; None is no limit.

    `tokens_per_day` are of prompts and answers together, days those of UTC. `stored_bytes` are an
    owner's: text, pictures and clips.
    """

    turns_per_minute: int | None = None
    tokens_per_day: int | None = None
    upload_bytes_per_day: int | None = None
    stored_bytes: int | None = None


class VisitorLimits:
    """Asked before anything is done for a visitor, and told what it took.

    A visitor is whom `visitor_of` names, or an owner where visitors are no strangers.
    """

    def __init__(self, usage: UsageStore, figures: LimitFigures) -> None:
        self._usage = usage
        self._figures = figures
        most = figures.turns_per_minute
        self._turns = None if most is None else RateLimit(most, "turns")
        self._uploads = None if most is None else RateLimit(most, "uploads")

    async def turn(self, visitor: str, owner: str | None = None) -> None:
        """Before a turn begins; `owner` has the chat that it will be kept in, if it has one.

        Raises Refusal 429, or 507 where the owner keeps too much.
        """
        if (refusal := await self._tokens_used_up(visitor)) is not None:
            raise refusal
        if owner is not None:
            await self.room(owner)
        if self._turns is not None:
            self._turns.take(visitor)

    async def upload(self, visitor: str, owner: str, size: int) -> None:
        """Before an upload of so many bytes is looked at; it counts, whatever comes of it.

        Raises Refusal 429, or 507 where the owner keeps too much.
        """
        await self.room(owner, size)
        if self._uploads is not None:
            self._uploads.take(visitor)
        most = self._figures.upload_bytes_per_day
        if most is None:
            return
        # Counted first: of several at once the sum must not pass.
        if (await self._usage.add(visitor, upload_bytes=size)).upload_bytes <= most:
            return
        await self._usage.add(visitor, upload_bytes=-size)
        raise self._come_back("uploads_used_up", _megabytes(most))

    async def room(self, owner: str, more: int = 0) -> None:
        """Before `more` bytes are kept for an owner. Raises Refusal 507 (RFC 4918, 11.5)."""
        most = self._figures.stored_bytes
        if most is None or await self._usage.kept_bytes(owner) + more <= most:
            return
        remedy = "Delete chats that you no longer need, then try again at once."
        raise _refusal(507, "storage_full", remedy, most=_megabytes(most))

    async def metered(
        self, visitor: str, request: Request, events: AsyncGenerator[Event, None]
    ) -> AsyncGenerator[Event, None]:
        """The events of a turn, whose tokens are counted as it ends, however it ends.

        Where none are left by now, as turns were running or in line, it fails unsent.
        """
        if self._figures.tokens_per_day is None:
            async with aclosing(events):
                async for event in events:
                    yield event
            return
        if (refusal := await self._tokens_used_up(visitor)) is not None:
            await events.aclose()
            yield Failed("used_up", None, refusal.message)
            return
        meter = _Meter(request)
        try:
            async with aclosing(events):
                async for event in events:
                    meter.take(event)
                    yield event
        finally:
            await self._spend(visitor, meter.tokens)

    async def _spend(self, visitor: str, tokens: int) -> None:
        try:
            if tokens:
                await self._usage.add(visitor, tokens=tokens)
        except StoreError:
            logger.exception("The tokens of a visitor could not be counted")

    async def _tokens_used_up(self, visitor: str) -> Refusal | None:
        most = self._figures.tokens_per_day
        if most is None or (await self._usage.today(visitor)).tokens < most:
            return None
        return self._come_back("tokens_used_up", f"{most:,}")

    def _come_back(self, code: str, most: str) -> Refusal:
        """The refusal until the next day begins."""
        left = self._usage.seconds_left
        hours, minutes = divmod(-(-left // 60), 60)
        wait = f"{hours} h {minutes} min" if hours else f"{minutes} min"
        return _refusal(429, code, retry_after_s=left, most=most, wait=wait)


class _Meter:
    """The tokens of one request: as the server counts, else as its text and what came suggest."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._usage: Usage | None = None
        self._sent = False
        self._came = 0

    def take(self, event: Event) -> None:
        """One more event."""
        match event:
            case Started():
                self._sent = True
            case Usage():
                self._usage = event
            case ReasoningDelta(text) | ContentDelta(text):
                self._came += estimate_tokens(text)
            case ToolCallDelta(arguments=text):
                self._came += estimate_tokens(text)

    @property
    def tokens(self) -> int:
        """So far; nothing for a request that no server took."""
        values = self._usage.values if self._usage else {}
        prompt = token_count(values.get("prompt_tokens"))
        completion = token_count(values.get("completion_tokens"))
        if prompt is None:
            prompt = _estimated(self._request) if self._sent or self._came else 0
        return prompt + (self._came if completion is None else completion)


def _estimated(request: Request) -> int:
    """About the tokens of a prompt: of its text, whatever its pictures and clips are encoded as."""
    messages = request.body.get("messages", ())
    text = json.dumps([_without_media(message) for message in messages], ensure_ascii=False)
    tools = json.dumps(request.body.get("tools", ()), ensure_ascii=False)
    return estimate_tokens(text) + estimate_tokens(tools)


def _without_media(message: dict[str, object]) -> dict[str, object]:
    content = message.get("content")
    if not isinstance(content, list):
        return message
    return message | {"content": [part for part in content if part.get("type") == "text"]}


def _refusal(
    status: int, code: str, remedy: str = "", *, retry_after_s: int | None = None, **values: str
) -> Refusal:
    sentence = SENTENCES[code].format(**values)
    key = f"limits.{code}"
    return Refusal(
        status, code, sentence, remedy, key=key, values=values, retry_after_s=retry_after_s
    )


def _megabytes(size: int) -> str:
    return f"{size / _MEGABYTE:g} MB"
