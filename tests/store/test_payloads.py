from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.chat.entries import (
    AnswerCheck,
    CallCheck,
    GivenResult,
    ResultsEntry,
    TurnEntry,
    UserEntry,
)
from app.chat.events import Failed
from app.chat.files import TextFile
from app.chat.messages import Attachment, Reasoning, Text, ToolCall
from app.chat.notices import Notice, Problem
from app.chat.turn import Timings, Turn
from app.store.database import StoreError
from app.store.payloads import kind_of, read_payload, write_payload
from app.store.texts import folded, snippet
from tests.store.entries import answered, picture, said

WHOLE = TurnEntry(
    id="a1",
    turn=Turn(
        parts=(
            Reasoning("Hm.\n\n"),
            Text("**Да** — 好"),
            ToolCall("call_1", "get_weather", '{"city": "Par'),
            Reasoning("again"),
        ),
        finish_reason="length",
        stop_reason=151336,
        usage={
            "prompt_tokens": 12,
            "prompt_tokens_details": {"cached_tokens": None},
            "large": 10**30,
            "list": [1.5, {"deep": True}],
        },
        failure=Failed("cut_short", None, "broke off", "req-1"),
        stopped=True,
        thought_split=True,
        dropped_calls=3,
        request_id="req-1",
        timings=Timings(0.1, 0.2, 0.3, None, 4.5, (0.5, 1.5, 2.0, 0.25)),
    ),
    notices=(Notice("cut_short", "The stream broke off.", "Retry."),),
    checks=(CallCheck(True, (Problem("$.city", "is cut"),)), CallCheck(False)),
    stats={"total_s": 4.5, "reasoning_tokens": 5, "finish_reason": None},
    tokens=((5, True), (3, False), (None, True), (1, True)),
    effort="max",
    edited=True,
    answer_check=AnswerCheck(True, (Problem("$.city", "is missing"),)),
)

MESSAGE = UserEntry(
    "m1",
    "Was ist das?\r\n\t«…» 🦊",
    (
        picture("a"),
        Attachment("b" * 64, "video", 9, "clip.mp4", "video/mp4", 640, 480, 12.5),
    ),
    (TextFile("data.csv", "1;2\n"), TextFile("empty.txt", "")),
)


RESULTS = ResultsEntry(
    "r1",
    (
        GivenResult("call_1", '{"celsius": 21}', "rule 2"),
        GivenResult("", "", "hand"),
        GivenResult("call_1", "好 🦊\n", "cancelled"),
    ),
)


@pytest.mark.parametrize(
    "entry", [WHOLE, MESSAGE, RESULTS, ResultsEntry("r", ()), answered("a"), said("m", "")]
)
def test_an_entry_comes_back_as_it_was(entry):
    assert read_payload(entry.id, kind_of(entry), write_payload(entry)) == entry


@given(st.text())
def test_any_text_comes_back(text):
    assert read_payload("m", "user", write_payload(said("m", text))) == said("m", text)


def test_half_a_character_becomes_one_that_can_be_kept():
    broken = said("m", "a\ud83d \ud83e\udd8a")
    assert read_payload("m", "user", write_payload(broken)) == said("m", "a\ufffd 🦊")


def test_what_a_newer_version_adds_is_passed_over_and_what_an_older_lacks_is_its_default():
    payload = json.loads(write_payload(WHOLE))
    payload["later"] = payload["turn"]["later"] = payload["turn"]["parts"][0]["later"] = {"x": 1}
    payload["notices"][0]["later"] = 1
    assert read_payload("a1", "turn", json.dumps(payload)) == WHOLE
    del payload["edited"], payload["turn"]["dropped_calls"], payload["effort"]
    read = read_payload("a1", "turn", json.dumps(payload))
    assert (read.edited, read.turn.dropped_calls, read.effort) == (False, 0, None)


@pytest.mark.parametrize(
    "payload",
    [
        "",
        "[]",
        "{}",
        '{"id": 5, "text": ""}',
        '{"id": "m", "turn": {"parts": [{"is": "song", "text": ""}]}}',
        '{"id": "m", "turn": {"parts": [{}]}}',
        '{"id": "m", "turn": []}',
        "[" * 100_000,
    ],
)
@pytest.mark.parametrize("kind", ["user", "turn"])
def test_a_payload_that_is_none_names_its_node(kind, payload):
    with pytest.raises(StoreError, match=r"m17 .*cannot be read"):
        read_payload("m17", kind, payload)


@given(st.text())
def test_folding_keeps_each_character_at_its_place(text):
    assert len(folded(text)) == len(text)
    assert folded(folded(text)) == folded(text)


@given(before=st.text(max_size=40), after=st.text(max_size=200), begins=st.booleans())
def test_a_snippet_is_one_line_of_bounded_length(before, after, begins):
    line = snippet(before + after, len(before), begins=begins)
    assert len(line) <= 122
    assert " ".join(line.split()) == line.strip()
