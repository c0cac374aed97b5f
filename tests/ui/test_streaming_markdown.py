"""Streamed Markdown: whatever the text and however it is cut, the page ends as a full rendering."""

from __future__ import annotations

import re
from html import escape

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from app.ui.markdown import normalise, render_blocks
from app.ui.streaming_markdown import (
    Block,
    Change,
    CodeText,
    Item,
    StreamingMarkdown,
    Truncate,
)

ITEM = re.compile(r"<(ul|ol|table)>(?:<tbody>)?(.*?)(?:</tbody>)?</\1>", re.DOTALL)


class Page:
    """The blocks of one answer as the browser holds them, changed as the browser does it."""

    def __init__(self) -> None:
        self.blocks: list[str] = []

    def apply(self, changes: list[Change]) -> None:
        for change in changes:
            match change:
                case Block(index, html):
                    assert index <= len(self.blocks)
                    self.blocks[index : index + 1] = [html]
                case CodeText(index, text):
                    before, after = self.blocks[index].split("</code></pre>")
                    self.blocks[index] = f"{before}{escape(text, quote=False)}</code></pre>{after}"
                case Item(index, item, html):
                    self.set_item(index, item, html)
                case Truncate(blocks):
                    assert blocks < len(self.blocks)
                    del self.blocks[blocks:]

    def set_item(self, index: int, item: int, html: str) -> None:
        found = ITEM.fullmatch(html)
        assert found
        block = self.blocks[index]
        opening, closing = (
            ("<tbody>\n", "</tbody>")
            if found[1] == "table"
            else (block[: block.index("\n") + 1], f"</{found[1]}>")
        )
        head, body = block.split(opening, 1)
        body, tail = body[: body.rindex(closing)], body[body.rindex(closing) :]
        items = split_items(body)
        assert item <= len(items)
        items[item : item + 1] = [found[2] + "\n"]
        self.blocks[index] = head + opening + "".join(items) + tail


def split_items(body: str) -> list[str]:
    """The items of a list, or rows of a table, at the top level of its HTML."""
    items, depth, start = [], 0, 0
    for tag in re.finditer(r"<(/?)(?:li|tr)\b[^>]*>", body):
        depth += -1 if tag[1] else 1
        if depth == 0:
            items.append(body[start : tag.end()] + "\n")
            start = tag.end() + 1
    assert start == len(body)
    return items


def stream(pieces: list[str]) -> list[str]:
    markdown, page = StreamingMarkdown(), Page()
    for piece in pieces:
        markdown.append(piece)
        page.apply(markdown.changes())
    page.apply(markdown.changes(final=True))
    return page.blocks


def sent(*pieces: str) -> list[list[Change]]:
    """The changes after each piece, and at the end."""
    markdown = StreamingMarkdown()
    steps = []
    for piece in pieces:
        markdown.append(piece)
        steps.append(markdown.changes())
    return [*steps, markdown.changes(final=True)]


AWKWARD = [
    *("- a", "- ", "-", "* b", "+ c", "1. x", "2) y", "10. z", "- > q", "  - n", "- [foo]"),
    *("\n", "\n\n", "  \n", "\r\n", "\r", " ", "   ", "    ", "\t", "\\", "\0", "\ud800"),
    *("```", "```py", "~~~", "````", "- ```", "  ```", "> ```", "    code"),
    *("|a|b|", "|-|-|", "--|--", "|1|2|", "|", "x | y", "|[foo]|2|\n"),
    *("# h", "===", "---", "***", "- - -", "> ", ">", "para", "text **b** ", "*i*", "`c`"),
    *("$x$", "$$", "$", "\\[", "\\]", "\\(", "\\)", "> $$", "x $$ y", "$5 and $6"),
    *("[foo]", "[bar][foo]", "[foo]: http://e.x", "[bar]: <http://b>", "[bar]:", '"t"'),
    *("![i](http://x)", '[l](http://y "t")', "[foo]: /u", "<b>", "&amp;", "é", "שלום"),
    *("- a\n- b\n", "- a\n\n- b\n", "1. a\n\n   p\n2. b\n", "|a|b|\n|-|-|\n", "$$\nx\n$$\n"),
    *(
        "```py\nx=1\n```\n",
        "\\[\ny\n\\]\n",
        "[foo]: http://x.y\n\n",
        "- x\n\n  [foo]: http://i.j\n",
    ),
]
PIECES = st.lists(
    st.one_of(
        st.sampled_from(AWKWARD),
        st.text(alphabet="-*+123.)`~|#>[]():!$\\ \n\ta<&_=", max_size=12),
        st.text(max_size=8),
    ),
    max_size=24,
)


def cut(text: str, sizes: list[int]) -> list[str]:
    """The text in pieces of these sizes, taken round and round."""
    pieces, start, turn = [], 0, 0
    while start < len(text):
        size = sizes[turn % len(sizes)]
        pieces.append(text[start : start + size])
        start, turn = start + size, turn + 1
    return pieces


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(PIECES, st.lists(st.integers(1, 12), min_size=1, max_size=6))
@example(["- a\n- b\n\n-", "--\n"], [1])
@example(["$$\n# x\n", "$$\n"], [1])
@example(["[foo]\n\n- [foo]\n- x\n\n  [foo]: http://e.x\n- y\n"], [2])
def test_ends_as_the_full_rendering_however_it_is_cut(pieces: list[str], sizes: list[int]) -> None:
    text = "".join(pieces)
    assert stream(cut(text, sizes)) == render_blocks(text)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(PIECES, st.lists(st.integers(1, 12), min_size=1, max_size=6))
def test_shows_the_text_so_far_at_each_step(pieces: list[str], sizes: list[int]) -> None:
    text = normalise("".join(pieces).replace("`", "'").replace("~", "-").replace("]:", "]"))
    markdown, page, so_far = StreamingMarkdown(), Page(), ""
    for piece in cut(text, sizes):
        markdown.append(piece)
        page.apply(markdown.changes())
        so_far += piece
        without_last_line = so_far[: so_far.rfind("\n") + 1]
        assert page.blocks in (render_blocks(so_far), render_blocks(without_last_line))


@pytest.mark.parametrize(
    ("line", "times"),
    [
        ("- item **x** and `y`\n", 400),
        ("- loose [foo]\n\n", 300),
        ("1. head\n   - sub\n   - sub\n", 200),
        ("> quoted *words*\n", 500),
        ("words **bold** without an end ", 500),
        ("|1|`x`|\n", 500),
        ("    indented\n", 400),
        ("- one\n\n  paragraph\n\n", 200),
        ("[foo]: http://a.b\n", 200),
        ("$$ a\n", 500),
    ],
)
def test_a_block_of_any_length_ends_as_the_full_rendering(line: str, times: int) -> None:
    text = "|a|b|\n|-|-|\n" * line.startswith("|") + line * times + "\n[foo]: http://e.x\n"
    assert stream(cut(text, [100])) == render_blocks(text)


def test_many_empty_cells_end_a_table_where_the_full_rendering_ends_it() -> None:
    header = "|" + "a|" * 40 + "\n|" + "-|" * 40 + "\n"
    text = header + "|x|\n" * 200
    assert len(render_blocks(text)) == 2
    assert stream(cut(text, [200])) == render_blocks(text)


def test_a_table_that_is_shown_as_text_grows_as_text() -> None:
    text = "|" + "*" * 200 + "a" + "*" * 200 + "|\n|-|\n" + "|x|\n" * 9
    assert stream(cut(text, [7])) == render_blocks(text)


def test_a_finished_block_is_sent_once() -> None:
    steps = sent("# One\n\nTwo\n\n", "Three", " more")
    assert steps[0] == [
        Block(0, '<h1 dir="auto">One</h1>'),
        Block(1, '<p dir="auto">Two</p>'),
    ]
    assert [change.index for step in steps[1:] for change in step] == [2, 2]  # type: ignore[union-attr]


def test_nothing_is_sent_without_new_text() -> None:
    assert sent("Hello", "", "")[1:] == [[], [], []]


def test_an_open_fence_grows_by_whole_lines_and_is_highlighted_when_it_closes() -> None:
    steps = sent("```py\nx = ", "1\ny", " = 2\n", "``", "`\n")
    shell = (
        '<div class="code"><div class="code-head"><span class="code-lang">py</span></div>'
        '<pre dir="ltr"><code></code></pre></div>'
    )
    assert steps[:4] == [[Block(0, shell)], [CodeText(0, "x = 1\n")], [CodeText(0, "y = 2\n")], []]
    [closed] = steps[4]
    assert isinstance(closed, Block)
    assert '<span class="n">x</span>' in closed.html
    assert steps[5] == []


def test_in_code_while_a_fence_is_open() -> None:
    markdown = StreamingMarkdown()
    markdown.append("```\nx\n")
    markdown.changes()
    assert markdown.in_code
    markdown.append("```\n")
    markdown.changes()
    assert not markdown.in_code


def test_an_open_list_sends_its_last_items() -> None:
    steps = sent("- a\n- b\n", "- c", "c\n- d\n")
    assert steps[1] == [Item(0, 2, "<ul><li>c</li></ul>")]
    assert steps[2] == [Item(0, 2, "<ul><li>cc</li></ul>"), Item(0, 3, "<ul><li>d</li></ul>")]


def test_an_open_table_sends_its_last_rows() -> None:
    steps = sent("|a|\n|-|\n|1|\n", "|2|\n")
    assert steps[1] == [
        Item(0, 1, "<table><tbody><tr>\n<td>2</td>\n</tr></tbody></table>"),
    ]


def test_a_list_that_becomes_loose_is_sent_again() -> None:
    [_, [change], _] = sent("- a\n- b\n", "\n- c\n")
    assert isinstance(change, Block)
    assert change.html.count("<p>") == 3


def test_only_blocks_that_a_definition_changes_are_replaced() -> None:
    steps = sent("[foo]\n\nplain\n\n[other]\n\n", "[foo]: https://e.x\n\n")
    [change] = steps[1]
    assert isinstance(change, Block)
    assert (change.index, 'href="https://e.x"' in change.html) == (0, True)


def test_a_paragraph_that_turns_out_a_definition_is_taken_back() -> None:
    assert sent("[foo]:", " https://e.x\n")[1] == [Truncate(0)]


@pytest.mark.parametrize("mark", ["-", "=", "1.", "|--|", "```", "> ", "\\["])
def test_a_last_line_that_may_become_anything_waits(mark: str) -> None:
    [first, second, _] = sent("Some text\n", mark)
    assert first == [Block(0, '<p dir="auto">Some text</p>')]
    assert second == []


def test_line_ends_may_come_apart() -> None:
    assert stream(["a\r", "\nb\r", "\r", "c\r"]) == render_blocks("a\r\nb\r\rc\r")
