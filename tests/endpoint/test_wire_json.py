"""JSON as it is sent, and as it comes."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.endpoint.wire_json import UnreadableError, decode_json, encode_body, sample

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(json_values)
def test_what_is_sent_is_the_same_value_in_utf_8(value: object) -> None:
    assert json.loads(encode_body(value).decode()) == value


def test_the_order_of_keys_is_kept() -> None:
    assert encode_body({"b": 1, "a": "é"}) == '{"b":1,"a":"é"}'.encode()


@pytest.mark.parametrize(
    ("text", "sent"), [("a\ud83d", "a\ufffd"), ("\udc00", "\ufffd"), ("\ud83d\ude00", "😀")]
)
def test_half_a_surrogate_pair_can_be_sent(text: str, sent: str) -> None:
    assert json.loads(encode_body({"content": text})) == {"content": sent}


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b'{"content": "\xf0\x9f"}', {"content": "\ufffd"}),
        (rb'{"content": "\ud83d"}', {"content": "\ufffd"}),
        (rb'{"content": "\ud83d\ude00"}', {"content": "😀"}),
        (b'{"logprob": -Infinity}', {"logprob": -math.inf}),
        (b"null", None),
    ],
)
def test_what_servers_make_of_json_is_read(data: bytes, value: object) -> None:
    assert decode_json(data) == value


@pytest.mark.parametrize("data", [b"", b"{", b"<html>", b'{"a": 1}{"b": 2}', b"[" * 100_000])
def test_anything_else_is_refused_with_its_start(data: bytes) -> None:
    with pytest.raises(UnreadableError) as caught:
        decode_json(data)

    assert str(caught.value) == sample(data)
    assert len(sample(data)) <= 301
