from __future__ import annotations

import pytest

from app.chat.notice_texts import MESSAGES, REMEDIES, Sentence, code_of, remedy


def test_a_sentence_is_its_text_with_its_values_in_place() -> None:
    sentence = Sentence("too_many_calls", {"made": "40", "kept": "32"})
    assert str(sentence) == "The model made 40 calls; the first 32 are kept."


def test_a_value_is_taken_as_it_is() -> None:
    assert str(Sentence("unreachable", {"message": "{message} {}"})) == "{message} {}"


def test_a_sentence_without_its_values_or_its_text_is_a_mistake_of_ours() -> None:
    with pytest.raises(KeyError):
        str(Sentence("too_many_calls", {"made": "40"}))
    with pytest.raises(KeyError):
        str(Sentence("no_such_key"))


def test_a_case_has_a_remedy_of_its_own_or_that_of_its_code() -> None:
    assert remedy("stopped.nothing") != remedy("stopped")
    assert remedy("empty_reply.why") == remedy("empty_reply")


def test_every_message_has_a_remedy_and_every_remedy_a_message() -> None:
    alone = {key for key in MESSAGES if key != "kept"}  # it follows another sentence
    for key in alone:
        assert remedy(key).endswith(".")
    assert set(REMEDIES) <= alone | {code_of(key) for key in alone}
