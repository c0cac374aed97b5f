"""Turns that a process left unfinished when it was killed: what had come goes into their chats."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.chat.entries import TurnEntry
from app.chat.events import Event
from app.chat.notices import ArgumentChecker, Notice
from app.chat.turn import Turn, TurnBuilder
from app.store.chats import ChatStore, ChatUnknown
from app.store.journal import Journals, LeftOver
from app.turns.ended import answer_checked, ended_turn, estimated_tokens

logger = logging.getLogger(__name__)

_ENDINGS = {
    "cut_short": Notice.of("cut_short.ended"),
    "empty_reply": Notice.of("empty_reply.ended"),
}
"""What is said in place of the server's part in an end that it had no part in."""


async def recover(
    journals: Journals,
    store: ChatStore,
    checker: Callable[[Sequence[Mapping[str, Any]]], ArgumentChecker],
) -> int:
    """Puts what left-over journals hold into the store, as turns that were cut.

    Returns how many turns that were. A journal whose turn is stored already brings nothing.
    """
    recovered = 0
    for left in journals.left_over():
        try:
            recovered += await _restore(left, store, checker(left.header.get("tools") or ()))
        except ChatUnknown:
            logger.info("A journal's chat was deleted; the journal goes too")
        except Exception:
            logger.exception("A journal could not be restored; it is tried again at the next start")
            continue
        left.done()
    return recovered


async def _restore(left: LeftOver, store: ChatStore, checker: ArgumentChecker) -> bool:
    header = left.header
    owner, chat, turn_id = header["owner"], header["chat"], header["turn"]
    known = await store.node(owner, chat, turn_id)
    base = known.entry if known is not None and isinstance(known.entry, TurnEntry) else None
    if header.get("continues") is None and base is not None:
        return False
    if base is not None and _length(base.turn) != header["continues"]:
        return False
    turn = _turn_of(left.events)
    entry = ended_turn(
        turn_id,
        turn,
        estimated_tokens(turn),
        checker=checker,
        effort=header.get("effort"),
        base=base,
    )
    entry = await asyncio.to_thread(answer_checked, entry, header.get("response_schema"))
    entry = replace(entry, notices=tuple(_ENDINGS.get(n.code, n) for n in entry.notices))
    if base is None:
        await store.add(owner, chat, entry, header["parent"], belated=True)
    else:
        await store.replace(owner, chat, entry)
    return True


def _turn_of(events: Sequence[tuple[float, Event]]) -> Turn:
    """The turn that timed events add up to; the clock stands at the last of them."""
    now = 0.0
    builder = TurnBuilder(clock=lambda: now)
    for at, event in events:
        now = at
        builder.add(event)
    return builder.turn()


def _length(turn: Turn) -> int:
    return len(turn.content) + len(turn.reasoning)
