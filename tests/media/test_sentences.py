from __future__ import annotations

import pytest

from app.media import MediaLimits, MediaRefused, prepare
from app.media.sentences import REFUSALS, MediaSentence


async def test_a_refusal_knows_what_its_sentence_is_made_of() -> None:
    with pytest.raises(MediaRefused) as refused:
        await prepare(b"", "a.png", MediaLimits())
    sentence = refused.value.sentence
    assert str(refused.value) == sentence == "“a.png” is empty: choose the file again."
    assert (sentence.key, sentence.values) == ("empty", {"file": "“a.png”"})


def test_a_note_is_a_sentence_with_its_values() -> None:
    note = MediaSentence.note("shrunk", before="8 x 8", after="4 x 4")
    assert note == "It was shrunk from 8 x 8 to 4 x 4 pixels."
    assert (note.key, note.values) == ("shrunk", {"before": "8 x 8", "after": "4 x 4"})


def test_a_sentence_that_is_not_in_the_table_is_a_mistake_of_ours() -> None:
    with pytest.raises(KeyError):
        MediaSentence.refusal("no_such_key", file="“a.png”")
    with pytest.raises(KeyError):
        MediaSentence.refusal("empty")


@pytest.mark.parametrize("sentence", REFUSALS.values())
def test_a_refusal_says_what_is_wrong_and_then_what_to_do(sentence: str) -> None:
    wrong, _, remedy = sentence.partition(": ")
    assert wrong.startswith("{file} ")
    assert remedy.endswith(".")
