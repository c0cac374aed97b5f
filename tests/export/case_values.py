"""Cases of every kind, as a file holds them: what is written comes back as the same value."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from app.chat.entries import Feedback, GivenResult, ResultsEntry, UserEntry
from app.chat.events import Failed
from app.chat.exchange import Exchange
from app.chat.files import TextFile
from app.chat.messages import Attachment, Reasoning, Text, ToolCall
from app.chat.request import Options
from app.chat.setup import ToolSetup
from app.chat.turn import Timings, Turn
from app.chat.wire_record import Read, WireRecorder
from app.export.case import Case, CaseEntry, CaseMedia, CaseTurn
from app.tools.mocks import Ask, Failure, Generate, Mock, Result
from app.tools.toolset import ToolSet

PIXEL = b"not a picture; bytes that nobody opens here"
PICTURE = Attachment(
    hashlib.sha256(PIXEL).hexdigest(), "image", len(PIXEL), "pixel.png", "image/png", 1, 1
)
MEDIA = {"kind": "image", "mime": "image/png", "base64": base64.b64encode(PIXEL).decode()}
"""The picture as a file states it."""

GONE = Attachment("0" * 64, "video", 12_345, "clip.mp4", "video/mp4", 640, 360, 2.5)
WEATHER = {
    "type": "function",
    "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {}}},
}


def packed(reads: Iterable[Read]) -> bytes:
    """A wire of these reads."""
    recorder, is_empty = WireRecorder(), True
    for read in reads:
        recorder.take(read.at_s, read.data)
        is_empty = False
    return b"" if is_empty else recorder.packed()


texts = st.text(max_size=40)
words = st.text(min_size=1, max_size=20)
seconds = st.floats(0, 1e6)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(-1e300, 1e300) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
parts = st.lists(
    st.builds(Reasoning, texts) | st.builds(Text, texts) | st.builds(ToolCall, texts, words, texts),
    max_size=4,
).map(tuple)
bases = st.lists(st.builds(Reasoning, words) | st.builds(Text, words), max_size=2).map(tuple)
failures = st.builds(
    Failed,
    st.sampled_from(
        ["server_error", "unreachable", "timed_out", "too_large", "cut_short", "used_up"]
    ),
    st.none() | st.integers(100, 599),
    texts,
    st.none() | words,
)


@st.composite
def turns(draw: st.DrawFn) -> Turn:
    said = draw(parts)
    timings = Timings(
        first_byte_s=draw(st.none() | seconds),
        first_reasoning_s=draw(st.none() | seconds),
        first_content_s=draw(st.none() | seconds),
        first_call_s=draw(st.none() | seconds),
        total_s=draw(seconds),
        part_seconds=tuple(draw(seconds) for _ in said),
    )
    return Turn(
        parts=said,
        finish_reason=draw(st.none() | words),
        stop_reason=draw(st.none() | words | st.integers(0, 2**40)),
        usage=draw(st.none() | st.dictionaries(words, json_values, max_size=3)),
        failure=draw(st.none() | failures),
        stopped=draw(st.booleans()),
        thought_split=draw(st.booleans()),
        dropped_calls=draw(st.integers(0, 99)),
        request_id=draw(st.none() | words),
        timings=timings,
    )


wires = st.lists(st.tuples(st.integers(0, 10**9), st.binary(max_size=20))).map(
    lambda reads: packed(Read(at / 1_000_000, data) for at, data in sorted(reads))
)
options = st.builds(
    Options,
    model=words,
    effort=st.sampled_from([None, "low", "high", "max"]),
    system=texts,
    temperature=st.none() | st.floats(0, 2),
    top_p=st.none() | st.floats(0.01, 1),
    max_tokens=st.none() | st.integers(1, 10**6),
    seed=st.none() | st.integers(-(2**63), 2**63 - 1),
    stop=st.lists(words, max_size=3).map(tuple),
    tools=st.sampled_from([(), (WEATHER,)]),
    tool_choice=st.sampled_from([None, "auto", {"type": "function"}]),
    parallel_tool_calls=st.none() | st.booleans(),
    response_schema=st.none() | st.just({"type": "object"}),
    send_reasoning=st.booleans(),
    break_control_tokens=st.booleans(),
)


@st.composite
def exchanges(draw: st.DrawFn) -> Exchange:
    base = draw(bases)
    asked = replace(draw(options), stream=draw(st.booleans()), continue_last=bool(base))
    return Exchange(asked, draw(st.just("") | st.just("d" * 64)), base, draw(wires), False)


mocks = st.builds(
    Mock,
    tool=st.sampled_from(["*", "get_weather"]),
    outcome=st.builds(Result, json_values)
    | st.builds(Failure, words)
    | st.just(Ask())
    | st.just(Generate()),
    when=st.dictionaries(words, json_values, max_size=2),
    delay_s=st.floats(0, 600),
)


results = st.builds(
    GivenResult,
    texts,
    texts,
    st.sampled_from(["hand", "generated", "error", "cancelled", "rule 1", "rule 1000"]),
)
setups = st.builds(
    ToolSetup,
    tools=texts | st.just("[{ half"),
    off=st.lists(words, max_size=2).map(tuple),
    choice=st.sampled_from(
        [None, "auto", "none", "required", {"type": "function", "function": {"name": "f"}}]
    ),
    parallel=st.none() | st.booleans(),
    rules=texts | st.just("[]"),
    auto=st.booleans(),
    max_steps=st.integers(1, 64),
    answer_schema=texts,
)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Chats with versions: each answer follows any message before it, and messages any entry."""
    entries: list[CaseEntry] = []
    messages: list[str] = []
    answers: list[str] = []
    for number in range(draw(st.integers(0, 6))):
        own_id, created = f"n{number}", draw(st.none() | st.floats(0, 1e10))
        if answers and draw(st.booleans()):
            given = tuple(draw(st.lists(results, max_size=3)))
            parent = draw(st.sampled_from(answers))
            entries.append(CaseEntry(ResultsEntry(own_id, given), parent, created))
            messages.append(own_id)
        elif messages and draw(st.booleans()):
            turn = draw(turns())
            counts = st.tuples(st.none() | st.integers(0, 10**6), st.booleans())
            said = CaseTurn(
                own_id,
                turn,
                draw(st.sampled_from([(), tuple(draw(counts) for _ in turn.parts)])),
                draw(st.sampled_from([None, "low", "high", "max"])),
                draw(st.booleans()),
            )
            feedback = draw(st.none() | st.just(Feedback("dislike", "no")))
            sent = tuple(draw(st.lists(exchanges(), max_size=2)))
            parent = draw(st.sampled_from(messages))
            entries.append(CaseEntry(said, parent, created, feedback, sent))
            answers.append(own_id)
        else:
            message = UserEntry(
                own_id,
                draw(texts),
                tuple(draw(st.lists(st.sampled_from([PICTURE, GONE]), max_size=2))),
                (TextFile("notes.md", draw(texts)),),
            )
            before = st.sampled_from([entry.said.id for entry in entries] or [None])
            entries.append(CaseEntry(message, draw(st.none() | before), created))
            messages.append(own_id)
    asked = draw(st.none() | options)
    tools = asked.tools if asked else ()
    return Case(
        title=draw(st.none() | words),
        entries=tuple(entries),
        leaf=draw(st.sampled_from([entry.said.id for entry in entries])) if entries else None,
        options=asked,
        tool_set=ToolSet(
            tuple(map(dict, tools)),
            {"get_weather": {"type": "object"}} if tools else {},
            tuple(draw(st.lists(mocks, max_size=3))),
        ),
        media={PICTURE.hash: CaseMedia(PICTURE, PIXEL)},
        setup=draw(st.none() | setups),
    )
