from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from app.chat.entries import UserEntry
from app.chat.files import TextFile, fenced
from app.chat.messages import Attachment, Text


def test_a_file_is_a_fenced_block_under_its_name() -> None:
    assert fenced(TextFile("notes.csv", "a,b\n1,2\n")) == "notes.csv:\n```csv\na,b\n1,2\n```"


def test_a_file_without_a_last_line_break_gets_one() -> None:
    assert fenced(TextFile("x.unknown", "text")) == "x.unknown:\n```\ntext\n```"


@pytest.mark.parametrize("inside", ["```", "````", "  ```py\nprint()\n  ```", "`````"])
def test_nothing_in_a_file_closes_its_fence(inside: str) -> None:
    (paragraph, _, _, fence) = MarkdownIt().parse(fenced(TextFile("a.md", inside)))
    assert paragraph.type == "paragraph_open"
    assert fence.content == inside + "\n"


@given(st.text(alphabet="`a \n~", max_size=40))
def test_any_text_comes_out_of_its_fence_as_it_went_in(text: str) -> None:
    whole = text if text.endswith("\n") else text + "\n"
    fences = [t for t in MarkdownIt().parse(fenced(TextFile("a.md", text))) if t.type == "fence"]
    assert [fence.content for fence in fences] == [whole]


def test_a_message_holds_media_then_files_then_words() -> None:
    picture = Attachment("a" * 64, "image", 3)
    said = UserEntry("m", "Sum it up", (picture,), (TextFile("a.json", "{}"), TextFile("b", "x")))
    assert said.message().parts == (
        picture,
        Text("a.json:\n```json\n{}\n```\n\nb:\n```\nx\n```\n\nSum it up"),
    )


def test_a_chat_is_named_by_its_first_words_else_by_what_was_attached() -> None:
    assert UserEntry("m", "  Hello\n\nthere ").title == "Hello there"
    assert UserEntry("m", "", files=(TextFile("a.json", "{}"),)).title == "a.json"
    assert len(UserEntry("m", "word " * 1000).title) == 60
