from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.chat.events import ContentDelta, ContentWasReasoning, Failed, Finished, ReasoningDelta
from app.chat.messages import Reasoning, Text, ToolCall
from app.chat.stream import ChunkReader, read_error
from app.chat.turn import Turn, TurnBuilder


def chunk(finish: str | None = None, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def turn_of(*chunks: Any) -> Turn:
    reader, builder = ChunkReader(), TurnBuilder()
    for one in chunks:
        for event in reader.read(one):
            builder.add(event)
    for event in reader.end():
        builder.add(event)
    return builder.turn()


def test_an_answer_without_a_thought_streams_as_it_comes() -> None:
    assert ChunkReader().read(chunk(content="Hello")) == [ContentDelta("Hello")]


def test_text_is_held_back_only_while_it_may_be_a_tag() -> None:
    reader = ChunkReader()
    assert reader.read(chunk(content="thought</th")) == [ContentDelta("thought")]
    assert reader.read(chunk(content="ink>answer")) == [
        ContentWasReasoning(7),
        ContentDelta("answer"),
    ]


@pytest.mark.parametrize(
    ("content", "reasoning", "answer"),
    [
        ("It is simple.</think>The answer is 4.", "It is simple.", "The answer is 4."),
        ("<think>It is simple.</think>The answer.", "It is simple.", "The answer."),
        ("\n<think>\nSimple.\n</think>\n\nFour.", "\nSimple.\n", "\n\nFour."),
        ("</think>The answer.", "", "The answer."),
        ("\n</think>The answer.", "", "The answer."),
        ("<think></think>The answer.", "", "The answer."),
        ("The tag `</think>` closes a thought.", "", "The tag `</think>` closes a thought."),
        ("```\n</think>\n```", "", "```\n</think>\n```"),
        ("one</think>two</think>three", "one", "two</think>three"),
        ("<think>never closed", "", "<think>never closed"),
        ("a < b and </thin", "", "a < b and </thin"),
        ("It`s easy.</think>Four.", "It`s easy.", "Four."),
    ],
)
def test_a_thought_in_the_answer_is_split_off(content: str, reasoning: str, answer: str) -> None:
    turn = turn_of(chunk(content=content), chunk("stop"))
    assert (turn.reasoning, turn.content) == (reasoning, answer)
    assert turn.thought_split is bool(reasoning)


def test_after_reasoning_a_closing_tag_is_text_but_a_stray_one_at_the_start_is_dropped() -> None:
    stray = turn_of(chunk(reasoning="hm"), chunk(content="\n</thi"), chunk(content="nk>Four."))
    assert (stray.reasoning, stray.content) == ("hm", "Four.")
    text = turn_of(chunk(reasoning="hm"), chunk(content="Four.</think>Five."))
    assert (text.reasoning, text.content) == ("hm", "Four.</think>Five.")


def test_parts_keep_the_order_in_which_they_came() -> None:
    turn = turn_of(
        chunk(reasoning="a"),
        chunk(content="b"),
        chunk(reasoning="c"),
        chunk(content="d"),
        chunk("stop"),
    )
    assert turn.parts == (Reasoning("a"), Text("b"), Reasoning("c"), Text("d"))


def test_one_delta_may_hold_everything() -> None:
    call = {"index": 0, "id": "t0", "function": {"name": "f", "arguments": "{}"}}
    turn = turn_of(chunk("tool_calls", reasoning="r", content="c", tool_calls=[call]))
    assert turn.parts == (Reasoning("r"), Text("c"), ToolCall("t0", "f", "{}"))
    assert turn.complete


def test_a_whole_completion_reads_like_one_chunk() -> None:
    message = {"role": "assistant", "content": "Hi", "reasoning": "hm", "tool_calls": []}
    body = {
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"completion_tokens": 3},
    }
    turn = turn_of(body)
    assert (turn.reasoning, turn.content, turn.complete) == ("hm", "Hi", True)
    assert turn.usage == {"completion_tokens": 3}


@pytest.mark.parametrize(
    "odd",
    [
        {},
        {"choices": None},
        {"choices": []},
        {"choices": [None]},
        {"choices": [{"delta": None}]},
        {"choices": [{"delta": {"content": None, "reasoning": None, "tool_calls": None}}]},
        {"choices": [{"delta": {"content": 7, "reasoning": ["x"], "tool_calls": [None, 3]}}]},
        {"choices": [{"index": 1, "delta": {"content": "another choice"}}]},
        {"usage": None},
        {"error": None},
    ],
)
def test_chunks_that_say_nothing_bring_nothing(odd: Any) -> None:
    assert ChunkReader().read(odd) == []


@pytest.mark.parametrize("odd", [None, [], "text", 3])
def test_what_is_no_object_is_an_error(odd: Any) -> None:
    (failed,) = ChunkReader().read(odd)
    assert isinstance(failed, Failed)
    assert failed.kind == "server_error"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"error": {"message": "queue full", "code": 503}}, "queue full"),
        ({"error": "Unauthorized"}, "Unauthorized"),
        ({"error": {"type": "odd"}}, '{"type": "odd"}'),
        ({"detail": "Not Found"}, "Not Found"),
        ({"detail": [{"msg": "bad"}]}, '[{"msg": "bad"}]'),
        ({"message": "overloaded"}, "overloaded"),
        ({"object": "error", "message": "old vLLM", "code": 400}, "old vLLM"),
    ],
)
def test_every_shape_of_an_error_keeps_the_servers_words(
    body: dict[str, Any], message: str
) -> None:
    failed = read_error(body)
    assert failed is not None
    assert failed.message == message


def test_an_error_event_ends_the_turn_and_keeps_what_came() -> None:
    turn = turn_of(chunk(content="Half</th"), {"error": {"message": "no", "code": 503}})
    assert turn.content == "Half</th"
    assert turn.failure == Failed("server_error", 503, "no")
    assert not turn.complete


def test_text_may_come_with_the_finish_reason() -> None:
    events = ChunkReader().read(chunk("length", content="end"))
    assert events == [ContentDelta("end"), Finished("length")]


def test_both_names_of_reasoning_count_once() -> None:
    both = ChunkReader().read(chunk(reasoning="C", reasoning_content="C"))
    assert both == [ReasoningDelta("C")]


fields = st.lists(
    st.tuples(
        st.sampled_from(["reasoning", "content"]),
        st.text("ab`~\n</think> ", min_size=1, max_size=12)
        | st.sampled_from(["</think>", "<think>", "`</think>`", "```\n", "\n\n"]),
    ),
    max_size=8,
)


@settings(max_examples=300)
@given(fields, st.data())
def test_any_way_of_cutting_deltas_gives_the_same_turn(
    deltas: list[tuple[str, str]], data: st.DataObject
) -> None:
    merged: list[tuple[str, str]] = []
    for name, text in deltas:
        if merged and merged[-1][0] == name:
            merged[-1] = (name, merged[-1][1] + text)
        else:
            merged.append((name, text))
    whole = turn_of(*(chunk(**{name: text}) for name, text in merged), chunk("stop"))
    cut: list[dict[str, Any]] = []
    for name, text in merged:
        rest = text
        while rest:
            size = data.draw(st.integers(1, len(rest)))
            cut.append(chunk(**{name: rest[:size]}))
            rest = rest[size:]
    assert turn_of(*cut, chunk("stop")).parts == whole.parts


CASES = sorted((Path(__file__).parent / "data" / "streams").glob("*.json"))


@given(st.sampled_from(CASES), st.data())
def test_the_text_of_every_case_survives_any_cutting(case: Path, data: st.DataObject) -> None:
    """The chunks of each recorded case, their texts cut further, add up to the same turn."""
    chunks = _chunks(json.loads(case.read_text()))
    whole = turn_of(*chunks)
    cut: list[dict[str, Any]] = []
    for one in chunks:
        cut += _cut(one, data)
    again = turn_of(*cut)
    assert (again.reasoning, again.content) == (whole.reasoning, whole.content)
    assert again.tool_calls == whole.tool_calls
    assert again.finish_reason == whole.finish_reason


def _chunks(case: dict[str, Any]) -> list[dict[str, Any]]:
    text = "".join(part.get("text", "") for part in case["responses"][-1]["parts"])
    lines = (line.removeprefix("data: ") for line in text.splitlines() if line[:6] == "data: ")
    return [json.loads(line) for line in lines if line != "[DONE]"]


def _cut(one: dict[str, Any], data: st.DataObject) -> list[dict[str, Any]]:
    choices = one.get("choices") or [{}]
    delta = choices[0].get("delta", {})
    text = delta.get("content") or ""
    if set(delta) != {"content"} or len(text) < 2:
        return [one]
    at = data.draw(st.integers(1, len(text) - 1))
    last = {**choices[0], "delta": {"content": text[at:]}}
    return [chunk(content=text[:at]), {**one, "choices": [last]}]
