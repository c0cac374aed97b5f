"""True recordings: a message asked of a server, its answer, and the bytes in which that came."""

from __future__ import annotations

from contextlib import aclosing

from app.chat.entries import UserEntry, conversation_of
from app.chat.events import Waiting
from app.chat.exchange import Exchange, build_unfilled, digest
from app.chat.request import Options
from app.chat.turn import TurnBuilder
from app.chat.wire_record import WireRecorder
from app.endpoint import Endpoint, EndpointSettings
from app.export.case import Case, CaseEntry, CaseTurn
from app.tools.toolset import ToolSet


async def recorded(base_url: str, text: str, options: Options) -> Case:
    """The chat of one message and its answer, as the page would have kept it."""
    message = UserEntry("u1", text)
    request = build_unfilled(conversation_of([message]), options)
    builder, recorder = TurnBuilder(), WireRecorder()
    at_s = iter(range(10**9))
    settings = EndpointSettings(base_url, backoff_s=0.001)
    async with Endpoint(settings) as endpoint:
        events = endpoint.stream(
            request, on_bytes=lambda data: recorder.take(next(at_s) / 1000, data)
        )
        async with aclosing(events):
            async for event in events:
                if isinstance(event, Waiting):
                    recorder = WireRecorder()
                builder.add(event)
    exchange = Exchange(options, digest(request.body), wire=recorder.packed())
    answer = CaseTurn("t1", builder.turn(), effort=options.effort)
    return Case(
        entries=(CaseEntry(message, None), CaseEntry(answer, "u1", exchanges=(exchange,))),
        leaf="t1",
        options=options,
        tool_set=ToolSet(tuple(map(dict, options.tools))),
    )
