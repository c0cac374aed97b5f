"""What the body of a 200 is taken for, without a socket."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.chat.events import ContentDelta, Event, Failed, Finished, ReasoningDelta, Usage
from app.endpoint.answer import AnswerReader
from tests.loopback import DONE, chunk, event

WHOLE = {
    "object": "chat.completion",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "reasoning": "Hm.", "content": "Hi"},
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5},
}
ERROR = {"error": {"message": "queue full", "type": "ServiceUnavailableError", "code": 503}}


def read(
    *pieces: bytes, content_type: str = "text/event-stream", broken: bool = False
) -> list[Event]:
    reader = AnswerReader(content_type, "request-1")
    events = [event for piece in pieces for event in reader.feed(piece)]
    return events + reader.end(broken=broken)


def failure(events: list[Event]) -> Failed:
    assert isinstance(events[-1], Failed)
    assert not any(isinstance(event, Failed) for event in events[:-1])
    return events[-1]


def test_a_stream_of_chunks() -> None:
    events = read(chunk(content="Hi"), chunk("stop"), DONE)

    assert events == [ContentDelta("Hi"), Finished("stop")]


def test_nothing_counts_after_the_end_mark() -> None:
    assert read(chunk("stop"), DONE, chunk(content="more")) == [Finished("stop")]


@pytest.mark.parametrize("content_type", ["application/json", "text/event-stream", ""])
def test_one_json_object_is_a_whole_answer_whatever_its_label(content_type: str) -> None:
    body = json.dumps(WHOLE).encode()

    events = read(body[:50], body[50:], content_type=content_type)

    assert events[:2] == [ReasoningDelta("Hm."), ContentDelta("Hi")]
    assert Finished("stop") in events
    assert Usage(WHOLE["usage"]) in events


def test_an_error_for_a_body_is_an_error() -> None:
    assert read(json.dumps(ERROR).encode()) == [
        Failed("server_error", 503, "queue full", "request-1")
    ]


def test_what_came_before_an_error_is_kept_and_nothing_follows_it() -> None:
    events = read(chunk(content="Half"), event(ERROR), chunk(content="more"), DONE)

    assert events == [ContentDelta("Half"), Failed("server_error", 503, "queue full", "request-1")]


def test_an_event_that_is_not_json_is_an_error_that_quotes_it() -> None:
    events = read(chunk(content="Half"), b"data: upstream died\n\n", chunk(content="more"))

    assert events[0] == ContentDelta("Half")
    assert failure(events).kind == "server_error"
    assert "upstream died" in failure(events).message


@pytest.mark.parametrize(
    ("body", "content_type", "quoted"),
    [
        (b"<!doctype html><title>Sign in</title>", "text/html", "Sign in"),
        (b"<html>Sign in</html>", "text/event-stream", "Sign in"),
        (b"no healthy upstream", "text/plain", "no healthy upstream"),
        (b"{half an object", "application/json", "half an object"),
        (b'{"status": "ok"}', "application/json", '"status"'),
        (b"[1]", "application/json", "1"),
    ],
)
def test_anything_else_is_an_error_that_says_what_came(
    body: bytes, content_type: str, quoted: str
) -> None:
    assert failure(read(body, content_type=content_type)).kind == "server_error"
    assert quoted in failure(read(body, content_type=content_type)).message


def test_a_page_without_end_is_not_read_to_its_end() -> None:
    reader = AnswerReader("text/html")

    events = [event for _ in range(5) for event in reader.feed(b"<p>" + b"x" * 2000)]

    assert len(events) == 1
    assert reader.ended


def test_an_event_larger_than_any_chunk_is_an_error() -> None:
    reader = AnswerReader("text/event-stream")
    events = reader.feed(b"data: ")
    while not events:
        events = reader.feed(b"x" * 1_000_000)

    assert "larger than" in failure(events).message


@pytest.mark.parametrize("body", [b"", DONE, b": ping\n\n"])
def test_a_stream_without_an_answer_just_ends(body: bytes) -> None:
    assert read(body) == []


def test_a_last_event_without_its_blank_line_counts_if_it_is_whole() -> None:
    last = chunk("stop").rstrip()

    assert read(chunk(content="Hi"), last) == [ContentDelta("Hi"), Finished("stop")]
    assert read(chunk(content="Hi"), last[:-1]) == [ContentDelta("Hi")]


@pytest.mark.parametrize("body", [b'{"choices": [', b"<html>", b"no heal", b"data: {"])
def test_of_a_body_that_broke_off_what_is_unreadable_is_no_failure(body: bytes) -> None:
    assert read(body, content_type="text/plain", broken=True) == []


BODIES = [
    b"\xef\xbb\xbf" + chunk(content="é🌍") + b": ping\n\n" + chunk("stop") + DONE,
    b"\xef\xbb\xbf\r\n " + json.dumps(WHOLE, ensure_ascii=False).encode(),
    b"  " + json.dumps(ERROR).encode(),
    b"\n<html>no</html>",
    b"no healthy upstream",
]


@given(st.sampled_from(BODIES), st.lists(st.integers(0, 1000)))
def test_any_way_of_cutting_a_body_gives_the_same_events(body: bytes, cuts: list[int]) -> None:
    points = sorted(min(cut, len(body)) for cut in cuts)
    pieces = [body[a:b] for a, b in pairwise([0, *points, len(body)])]

    assert read(*pieces, content_type="") == read(body, content_type="")
