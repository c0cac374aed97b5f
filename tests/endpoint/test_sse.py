"""The event decoder: the standard's rules, and the same events however the bytes are cut."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.endpoint.sse import EventDecoder, EventTooLargeError


def decode(*chunks: bytes) -> list[bytes]:
    decoder = EventDecoder()
    events = [event for chunk in chunks for event in decoder.decode(chunk)]
    return events + decoder.flush()


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_every_line_end_of_the_standard(end: bytes) -> None:
    assert decode(b"data: one" + end * 2 + b"data: two" + end * 2) == [b"one", b"two"]


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data:{}\n\n", [b"{}"]),
        (b"data:  two spaces\n\n", [b" two spaces"]),
        (b": a comment\n\ndata: x\n\n", [b"x"]),
        (b"data: x\n: a comment inside\ndata: y\n\n", [b"x\ny"]),
        (b"event: error\nid: 7\nretry: 10\ndata: x\n\n", [b"x"]),
        (b"data: a\ndata\ndata: b\n\n", [b"a\n\nb"]),
        (b"data: x: y\n\n", [b"x: y"]),
        (b"database: x\n\n", []),
        (b"\xef\xbb\xbfdata: x\n\n", [b"x"]),
        (b"data: \xef\xbb\xbf\n\n", [b"\xef\xbb\xbf"]),
        (b"\n\n\ndata: x\n\n\n\n", [b"x"]),
        (b"data:\n\ndata: \n\ndata:  \n\n", []),
        (b"", []),
    ],
)
def test_fields(stream: bytes, events: list[bytes]) -> None:
    assert decode(stream) == events


def test_an_event_is_given_with_its_blank_line_not_with_the_byte_after_it() -> None:
    decoder = EventDecoder()

    assert decoder.decode(b"data: x\r\n") == []
    assert decoder.decode(b"\r") == [b"x"]
    assert decoder.decode(b"\ndata: y\r\r") == [b"y"]


def test_a_last_event_without_its_blank_line_comes_with_the_flush() -> None:
    decoder = EventDecoder()

    assert decoder.decode(b"data: [DONE]") == []
    assert decoder.flush() == [b"[DONE]"]
    assert decoder.flush() == []


@pytest.mark.parametrize(
    "chunks",
    [
        [b"data: " + b"x" * 101 + b"\n\n"],
        [b"data: ", *[b"x"] * 95],
        [b"data: x\n"] * 101,
        [b"data: " + b"x" * 60 + b"\n", b"data: " + b"x" * 60],
    ],
)
def test_an_event_beyond_the_limit_is_refused(chunks: list[bytes]) -> None:
    decoder = EventDecoder(max_event_bytes=100)
    for chunk in chunks[:-1]:
        assert decoder.decode(chunk) == []

    with pytest.raises(EventTooLargeError, match="larger than 100 bytes"):
        decoder.decode(chunks[-1])


def test_the_limit_is_for_one_event_not_for_all() -> None:
    decoder = EventDecoder(max_event_bytes=100)

    for _ in range(20):
        assert decoder.decode(b"data: " + b"x" * 40) == []
        assert decoder.decode(b"x" * 40 + b"\n\n") == [b"x" * 80]


lines = st.one_of(
    st.sampled_from(["", "", "data", "data:", ": ping", "event: error", "data: [DONE]", "dat"]),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n")).map(
        lambda text: f"data: {text}"
    ),
)
streams = st.builds(
    lambda mark, pairs: (mark + "".join(line + end for line, end in pairs)).encode(),
    st.sampled_from(["", "\ufeff"]),
    st.lists(st.tuples(lines, st.sampled_from(["\n", "\r\n", "\r", "\n\n", "\r\n\r\n"]))),
)


@st.composite
def cut_streams(draw: st.DrawFn) -> tuple[bytes, list[bytes]]:
    stream = draw(streams)
    cuts = sorted(draw(st.lists(st.integers(0, len(stream)))))
    return stream, [stream[a:b] for a, b in pairwise([0, *cuts, len(stream)])]


@given(cut_streams())
def test_any_way_of_cutting_the_bytes_gives_the_same_events(
    case: tuple[bytes, list[bytes]],
) -> None:
    stream, chunks = case

    assert decode(*chunks) == decode(stream)


@given(cut_streams())
def test_events_are_those_of_a_plain_reading_of_the_standard(
    case: tuple[bytes, list[bytes]],
) -> None:
    stream, chunks = case
    text = stream.decode().removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    expected, data = [], []
    for line in [*text.split("\n"), ""]:
        name, _, value = line.partition(":")
        if not line:
            event = "\n".join(data)
            if event.encode() and not event.encode().isspace():
                expected.append(event.encode())
            data = []
        elif name == "data":
            data.append(value.removeprefix(" "))

    assert decode(*chunks) == expected


@given(st.lists(st.dictionaries(st.text(), st.text())), st.integers(1, 7))
def test_json_survives(values: list[dict[str, str]], size: int) -> None:
    stream = b"".join(
        b"data: " + json.dumps(value, ensure_ascii=False).encode("utf-8", "replace") + b"\n\n"
        for value in values
    )
    chunks = [stream[at : at + size] for at in range(0, len(stream), size)]

    decoded = [json.loads(event) for event in decode(*chunks)]

    assert len(decoded) == len(values)
    assert decode(*chunks) == decode(stream)
