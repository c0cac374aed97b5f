"""What every run needs of the rest of the app."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from app.chat.events import Event
from app.chat.messages import Attachment
from app.chat.notices import ArgumentChecker
from app.chat.request import Request
from app.store.chats import ChatStore
from app.store.journal import Journals
from app.turns.limits import VisitorLimits
from app.turns.prices import Prices
from app.turns.rendering import Rendering
from app.turns.runs import Runs
from app.turns.slots import Slots

EventStream: TypeAlias = Callable[
    [Request, Mapping[str, str], Callable[[bytes], None]], AsyncGenerator[Event, None]
]
"""Asks the model server: a request and extra headers in, events out; closing it hangs up.

The function given to it gets the bytes of the answer, as they come.
"""

MediaLoader: TypeAlias = Callable[[str, Attachment], Awaitable[str | None]]
"""Gives an owner's attachment as a data URL, or None where it is no longer kept."""


@dataclass(frozen=True, slots=True)
class RunServices:
    """The parts of the app, as a run uses them. `grace_s` is in seconds.

    Without `limits` the tokens of turns are not counted.
    """

    stream: EventStream
    load_media: MediaLoader
    checker: Callable[[Sequence[Mapping[str, Any]]], ArgumentChecker]
    rendering: Rendering
    slots: Slots
    runs: Runs
    store: ChatStore
    journals: Journals
    prices: Prices
    context_limit: Callable[[], int]
    grace_s: float
    limits: VisitorLimits | None = None
