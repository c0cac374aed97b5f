"""What all turns of a chat add up to, all versions of them."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.store.schema import nodes


@dataclass(frozen=True, slots=True)
class Totals:
    """What all turns of a chat took, all versions: tokens, and seconds of the server."""

    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    seconds: float
    turns: int


@dataclass(frozen=True, slots=True)
class CallCounts:
    """How many calls the model made in a chat, all versions; what a person changed is not counted.

    `unknown` are those of no declared tool, `valid` those of a declared one that nothing was wrong
    with.
    """

    calls: int = 0
    valid: int = 0
    unknown: int = 0

    @property
    def invalid(self) -> int:
        """Those of a declared tool whose arguments do not fit."""
        return self.calls - self.valid - self.unknown


async def read_totals(connection: AsyncConnection, owner: str, chat: str) -> Totals:
    """What the chat took so far; nothing where there is no such chat."""
    sums = (
        func.sum(nodes.c.prompt_tokens),
        func.sum(nodes.c.cached_tokens),
        func.sum(nodes.c.completion_tokens),
    )
    found = await connection.execute(
        select(*sums, func.sum(nodes.c.seconds), func.count()).where(
            nodes.c.owner == owner, nodes.c.chat_id == chat, nodes.c.kind == "turn"
        )
    )
    prompt, cached, completion, seconds, turns = found.one()
    return Totals(
        int(prompt or 0), int(cached or 0), int(completion or 0), float(seconds or 0), turns
    )


async def read_call_counts(connection: AsyncConnection, owner: str, chat: str) -> CallCounts:
    """The calls of the chat; none where there is no such chat. Its index alone is read."""
    found = await connection.execute(
        select(
            func.sum(nodes.c.calls), func.sum(nodes.c.valid_calls), func.sum(nodes.c.unknown_calls)
        ).where(nodes.c.owner == owner, nodes.c.chat_id == chat, nodes.c.calls.is_not(None))
    )
    return CallCounts(*(int(each or 0) for each in found.one()))
