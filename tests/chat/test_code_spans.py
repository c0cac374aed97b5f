from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.chat.code_spans import TagFinder, tags_outside_code

TAG = "</think>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a</think>b", [1]),
        ("`</think>`", []),
        ("``a ` </think>``", []),
        ("an unclosed ` and </think>", [18]),
        ("an unclosed ` here\n\n</think>", [20]),
        ("```\n</think>\n```\n</think>", [17]),
        ("```inline``` and </think>", [17]),
        ("~~~\n</think>\n```\n</think>", []),
        ("````\n```\n</think>\n````\n", []),
        ("- ```\n  </think>\n  ```\n", []),
        ("</think></think>", [0, 8]),
        ("</thinking></think", []),
    ],
)
def test_tags_in_code_are_text(text: str, expected: list[int]) -> None:
    assert tags_outside_code(text, TAG) == expected


pieces = st.sampled_from(
    [
        "`",
        "``",
        "```",
        "~~~",
        "\n",
        "\n\n",
        " ",
        "a",
        "word",
        "</think>",
        "</th",
        "ink>",
        "- ",
        "1.",
    ]
)


@given(st.lists(pieces, max_size=30), st.data())
def test_any_way_of_cutting_finds_the_same_tags(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    whole = tags_outside_code(text, TAG)
    finder, found, rest = TagFinder(TAG), [], text
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        found += finder.feed(rest[:size])
        rest = rest[size:]
        assert all(at < finder.settled for at in found)
    found += finder.finish()
    assert found == whole
