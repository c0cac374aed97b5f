"""A chat as a document: what it holds, and that nothing said in it breaks it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from app.chat.entries import Entry, GivenResult, Node, ResultsEntry, TurnEntry, UserEntry
from app.chat.files import TextFile
from app.chat.messages import Attachment, Reasoning, Text, ToolCall
from app.chat.notices import Notice
from app.chat.turn import Turn, TurnPart
from app.export import chat_markdown


def document(*entries: Entry, title: str = "A chat") -> str:
    nodes = [Node(entry, None, (entry.id,), 1_800_000_000.0) for entry in entries]
    return chat_markdown(title, nodes, model="GLM-5.3-Flash")


def answered(*parts: TurnPart, **rest: Any) -> TurnEntry:
    return TurnEntry("a", Turn(parts, "stop"), (), (), rest.pop("stats", {}), **rest)


def headings(text: str) -> list[str]:
    """The headings that a reader of Markdown finds outside of all other blocks."""
    tokens = MarkdownIt("commonmark").parse(text)
    return [
        f"{token.markup} {following.content}"
        for token, following in pairwise(tokens)
        if token.type == "heading_open" and token.level == 0
    ]


def test_a_chat_reads_from_top_to_bottom() -> None:
    asked = UserEntry(
        "m",
        "What is *this*?",
        (
            Attachment("a" * 64, "image", 1234, "cat_1.png", "image/png", 40, 30),
            Attachment("b" * 64, "video", 5_000_000, "", "video/mp4", 640, 480, 2.5),
        ),
        (TextFile("notes.py", "x = 1"),),
    )
    stats = {
        "prompt_tokens": 1200,
        "reasoning_tokens": 34,
        "answer_tokens": 5,
        "first_token_s": 0.61,
        "total_s": 4.2,
        "estimated": False,
    }
    answer = TurnEntry(
        "a",
        Turn((Reasoning("Hm.\nA cat."), Text("A **cat**."), ToolCall("c_1", "look", '{"at": 1}'))),
        (Notice("stopped", "Stopped.", "Retry."),),
        (),
        stats,
        effort="low",
        edited=True,
    )
    assert document(asked, answer, title="About a cat") == (
        """\
# About a cat

## You

**Picture** cat\\_1.png (1,234 bytes, 40 x 30 pixels)

**Clip** (5,000,000 bytes, 640 x 480 pixels, 2.5 s)

notes.py:
```python
x = 1
```

What is *this*?

## GLM-5.3-Flash

<details>
<summary>Reasoning</summary>

```text
Hm.
A cat.
```

</details>

A **cat**.

Call of **look** (c\\_1):

```json
{"at": 1}
```

> **Stopped.** Retry.

<sub>effort low · 1,200 prompt tokens · 34 reasoning tokens · 5 answer tokens \
· first token after 0.61 s · 4.20 s in all · edited by hand</sub>
"""
    )


def test_what_is_not_known_is_not_said() -> None:
    stats = {"prompt_tokens": None, "first_token_s": None, "answer_tokens": 7, "estimated": True}
    assert document(answered(Text("Hi"), stats=stats)).endswith(
        "\n<sub>default effort · about 7 answer tokens</sub>\n"
    )


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("```py\nx = 1", "```"),
        ("~~~~\nx\n~~~\n\n", "~~~~"),
        (" ````\n```", "````"),
        ("Hi\n\n<!-- note", "-->"),
        ("<?php", "?>"),
        ("<![CDATA[ x", "]]>"),
        ("<!DOCTYPE", ">"),
        ("<PRE>\n\nx", "</pre>"),
        ("<script>\n\nx", "</pre>"),
    ],
)
def test_a_block_that_was_left_open_is_closed(text: str, end: str) -> None:
    stripped = text.strip("\n")
    for entry in (UserEntry("m", text), answered(Text(text))):
        following = UserEntry("n", "What follows")
        shown = document(entry, following)
        assert f"\n\n{stripped}\n{end}\n\n" in shown
        assert headings(shown)[-1] == "## You"


@pytest.mark.parametrize(
    "text",
    ["# Heading\n\ntext", "- a\n  ```\n  x", "> ```\n> x", "```\nx\n```", "<div>\n\nx", "    x"],
)
def test_an_answer_stands_as_it_was_written(text: str) -> None:
    assert f"\n\n{text}\n\n<sub>" in document(answered(Text(text)))


@given(st.text(st.sampled_from("`~<>!-?[]/# \nab\t|*_&\\")))
def test_nothing_that_is_said_swallows_what_follows(text: str) -> None:
    said = (Reasoning(text), Text(text), ToolCall(text, text, text))
    notice = Notice("code", text, text)
    turn = TurnEntry("a", Turn(said, "stop"), (notice,), (), {}, effort=text)
    picture = Attachment("a" * 64, "image", 1, text)
    file = TextFile("a.txt", text)
    shown = document(UserEntry("m", text, (picture,), (file,)), turn, UserEntry("n", "x"))
    found = headings(shown)
    assert found.count("## You") >= 2
    assert "## GLM-5.3-Flash" in found
    assert found[-1] == "## You"


@pytest.mark.parametrize("title", ["# one *two* <b>three</b>\n\n## four", "[a](b)", "`x`"])
def test_a_title_is_plain_text_on_one_line(title: str) -> None:
    heading = MarkdownIt("commonmark").parse(document(title=title))[1].children or []
    assert {token.type for token in heading} == {"text"}
    assert "".join(token.content for token in heading) == " ".join(title.split())


def test_results_of_calls_stand_in_fences_with_what_answered_them() -> None:
    given = (
        GivenResult("call_1", '{"celsius": 21}', "rule 2"),
        GivenResult("", "# No heading\n```\n<b>", "hand"),
    )
    text = document(answered(ToolCall("call_1", "f", "{}")), ResultsEntry("r", given))
    assert headings(text) == ["# A chat", "## GLM-5.3-Flash", "## Results of the calls"]
    assert 'Result of call\\_1 (rule 2):\n\n```text\n{"celsius": 21}\n```' in text
    assert "Result (hand):\n\n````text\n# No heading\n```\n<b>\n````" in text
