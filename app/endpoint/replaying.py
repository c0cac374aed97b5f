"""Answers that were recorded, given out again as a stream of events: no server is asked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence

from app.chat.events import Event, Failed, Finished, Started
from app.chat.exchange import Exchange
from app.endpoint.answer import AnswerReader


async def replayed(
    exchanges: Sequence[Exchange],
    *,
    speed: float = 1.0,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> AsyncGenerator[Event, None]:
    """The events of recorded answers, each read as when it came live, at its time over `speed`.

    Of several exchanges (an answer that was gone on with) one follows the other, and how all but
    the last ended is left out. `speed` math.inf leaves out the waits, but lets other tasks run.
    Whether a body broke off is not recorded: no Failed is made of its end. Closing the generator
    ends the replay. `sleep` and `clock` are in seconds.
    """
    yield Started(200)
    for number, exchange in enumerate(exchanges, start=1):
        unwanted = () if number == len(exchanges) else (Finished, Failed)
        # Every event stream was labelled so, and what is none shows in its first character.
        reader = AnswerReader("text/event-stream")
        began = clock()
        # Those of a long answer take a while to unpack, and others are being answered.
        for read in await asyncio.to_thread(getattr, exchange, "reads"):
            await sleep(max(0.0, began + read.at_s / speed - clock()))
            for event in reader.feed(read.data):
                if not isinstance(event, unwanted):
                    yield event
        for event in reader.end(broken=True):
            if not isinstance(event, unwanted):
                yield event
