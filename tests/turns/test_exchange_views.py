from __future__ import annotations

import json
from random import Random

from app.chat.wire_record import Read, WireRecorder, unpacked
from app.turns.exchange_views import Phase, phases, tokens_a_chunk, wire_events


def chunk(delta: dict[str, str], tokens: int | None = None) -> bytes:
    usage = None if tokens is None else {"completion_tokens": tokens}
    choice = {"index": 0, "delta": delta, "finish_reason": None}
    return b"data: " + json.dumps({"choices": [choice], "usage": usage}).encode() + b"\n\n"


ANSWER = (
    Read(0.5, chunk({"role": "assistant", "content": ""}, 0)),
    Read(1.0, chunk({"reasoning": "Two"}, 1)),
    Read(2.0, chunk({"reasoning": " and two"}, 4)),
    Read(3.0, chunk({"content": "Four"}, 5) + chunk({"content": "."}, 6)),
    Read(4.0, b"data: [DONE]\n\n"),
)


def test_what_was_recorded_comes_back_piece_by_piece() -> None:
    recorder = WireRecorder()
    for read in ANSWER:
        recorder.take(read.at_s, read.data)
    assert unpacked(recorder.packed()) == ANSWER


def test_an_answer_too_long_to_be_kept_ends_where_the_room_does() -> None:
    recorder, noise = WireRecorder(most_bytes=50_000), Random(1)
    pieces = [noise.randbytes(1_000) for _ in range(100)]
    for at, piece in enumerate(pieces):
        recorder.take(float(at), piece)
    kept = unpacked(recorder.packed())
    assert recorder.is_cut
    assert 0 < len(kept) < len(pieces)
    assert [read.data for read in kept] == pieces[: len(kept)]


def test_however_few_bytes_they_are_only_so_many_reads_are_kept() -> None:
    recorder = WireRecorder()
    for _ in range(300_001):
        recorder.take(0.0, b"a")
    kept = unpacked(recorder.packed())
    assert recorder.is_cut
    assert len(kept) == 300_000


def test_an_event_has_the_time_at_which_it_was_whole() -> None:
    first, second = b'data: {"a"', b': 1}\n\ndata: {"b": 2}\n\n'
    events = wire_events([Read(1.0, first), Read(2.5, second)])
    assert [(event.at_s, event.data) for event in events] == [
        (2.5, b'{"a": 1}'),
        (2.5, b'{"b": 2}'),
    ]


def test_an_event_cut_by_the_end_of_the_stream_is_shown() -> None:
    assert [event.data for event in wire_events([Read(1.0, b'data: {"a"')])] == [b'{"a"']


def test_a_body_that_is_no_stream_of_events_is_shown_as_it_came() -> None:
    assert [event.data for event in wire_events([Read(1.0, b'{"error": "busy"}')])] == [
        b'{"error": "busy"}'
    ]


def test_the_seconds_of_an_answer_are_told_apart_by_what_came_in_them() -> None:
    assert phases(ANSWER) == [
        Phase("waiting", 0.0, 1.0),
        Phase("reasoning", 1.0, 3.0),
        Phase("answer", 3.0, 4.0),
    ]


def test_an_answer_of_which_nothing_came_has_no_phases() -> None:
    assert phases([]) == []


def test_chunks_are_counted_by_the_tokens_that_they_brought() -> None:
    assert tokens_a_chunk(wire_events(ANSWER)) == {
        "chunks": 4,
        "tokens": 6,
        "by_tokens": [(1, 3), (3, 1)],
    }


def test_without_a_running_count_nothing_is_said_of_chunks() -> None:
    at_the_end = [Read(1.0, chunk({"content": "Four"})), Read(2.0, chunk({}, 6))]
    assert tokens_a_chunk(wire_events(at_the_end)) is None
