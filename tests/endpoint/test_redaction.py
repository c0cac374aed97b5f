"""The key of a server, kept out of what an answer holds."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from app.endpoint.redaction import Redactor

KEY = "test-key-not-real"


def told(pieces: list[bytes], key: str = KEY) -> bytes:
    answer = Redactor(SecretStr(key)).of_answer()
    return b"".join([*map(answer.take, pieces), answer.rest()])


@given(st.lists(st.integers(0, 60)), st.integers(1, 3))
def test_a_key_is_taken_out_wherever_the_bytes_are_cut(cuts: list[int], times: int) -> None:
    whole = b"data: test-" + f"Bearer {KEY} or test-key-no".encode() * times
    ends = sorted({min(cut, len(whole)) for cut in cuts} | {0, len(whole)})
    pieces = [whole[begin:end] for begin, end in pairwise(ends)]
    assert told(pieces) == whole.replace(KEY.encode(), b"[API key]")


def test_what_may_be_the_beginning_of_the_key_waits_for_the_next_piece() -> None:
    answer = Redactor(SecretStr(KEY)).of_answer()
    assert answer.take(b"the test-key") == b"the "
    assert answer.take(b"board") == b"test-keyboard"
    assert answer.rest() == b""


def test_without_a_secret_nothing_is_held_back() -> None:
    answer = Redactor(None).of_answer()
    assert answer.take(b"none of it") == b"none of it"
    short = Redactor(SecretStr("none")).of_answer()
    assert short.take(b"none of it") == b"none of it"
