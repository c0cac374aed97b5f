"""Records the example case. Run it by hand after the form of case files changed:

    .venv/bin/python assets/examples/record.py

It asks the simulator two things and writes what came, with its times, to chat.case.json beside
itself: a true recording, of a server that has no model.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from app.chat.entries import UserEntry
from app.chat.exchange import Exchange, build_unfilled, digest
from app.chat.messages import Conversation
from app.chat.request import Options
from app.chat.turn import TurnBuilder
from app.chat.wire_record import WireRecorder
from app.endpoint import Endpoint, EndpointSettings
from app.export.case import Case, CaseEntry, CaseTurn
from app.export.case_writing import write_case
from app.simulator import SimulatorSettings
from app.simulator.embedded import running_simulator
from app.tools.toolset import ToolSet

FILE = Path(__file__).parent / "chat.case.json"
QUESTIONS = ("How many r's are in strawberry?", "What is the weather in Paris?")
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather of a place.",
        "parameters": {
            "type": "object",
            "properties": {"location": {"type": "string"}},
            "required": ["location"],
        },
    },
}
OPTIONS = Options("simulator", effort="low", tools=(WEATHER,))


async def answer(
    endpoint: Endpoint, conversation: Conversation, turn_id: str
) -> tuple[CaseTurn, Exchange]:
    """The answer to a conversation, and the bytes that it came as."""
    request = build_unfilled(conversation, OPTIONS)
    builder, recorder, began = TurnBuilder(), WireRecorder(), time.monotonic()
    events = endpoint.stream(
        request, on_bytes=lambda data: recorder.take(time.monotonic() - began, data)
    )
    async with aclosing(events):
        async for event in events:
            builder.add(event)
    exchange = Exchange(OPTIONS, digest(request.body), wire=recorder.packed())
    return CaseTurn(turn_id, builder.turn(), effort=OPTIONS.effort), exchange


async def chat(questions: Sequence[str]) -> Case:
    """The questions, one after the other, and their answers."""
    case = Case("An example", options=OPTIONS, tool_set=ToolSet((WEATHER,)))
    conversation = Conversation()
    settings = SimulatorSettings(tokens_per_second=60, model=OPTIONS.model)
    async with running_simulator(settings) as url, Endpoint(EndpointSettings(url)) as endpoint:
        for number, question in enumerate(questions, start=1):
            message = UserEntry(f"u{number}", question)
            asked_at = round(time.time())
            conversation = conversation.with_message(message.message())
            said, exchange = await answer(endpoint, conversation, f"t{number}")
            conversation = conversation.with_message(said.turn.message())
            entries = (
                CaseEntry(message, case.leaf, asked_at),
                CaseEntry(said, message.id, round(time.time()), exchanges=(exchange,)),
            )
            case = replace(case, entries=(*case.entries, *entries), leaf=said.id)
    return case


if __name__ == "__main__":
    FILE.write_bytes(write_case(asyncio.run(chat(QUESTIONS)), exported=datetime.now(UTC)))
