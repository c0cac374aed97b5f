"""Markdown of answers to HTML: what readers see."""

from __future__ import annotations

import pytest

from app.ui import markdown
from app.ui.markdown import render_blocks


def test_one_block_for_each_at_the_top() -> None:
    assert render_blocks("# Title\n\nSome **bold** text\n\n> quote\n\n---\n") == [
        '<h1 dir="auto">Title</h1>',
        '<p dir="auto">Some <strong>bold</strong> text</p>',
        '<blockquote dir="auto">\n<p>quote</p>\n</blockquote>',
        "<hr>",
    ]


@pytest.mark.parametrize("text", ["", "\n\n", "[a]: http://e.x\n"])
def test_nothing_to_show_is_no_block(text: str) -> None:
    assert render_blocks(text) == []


def test_code_has_its_language_and_colours() -> None:
    [block] = render_blocks("```python\nx = 1\n```\n")
    assert block == (
        '<div class="code"><div class="code-head"><span class="code-lang">python</span></div>'
        '<pre dir="ltr"><code><span class="n">x</span> <span class="o">=</span> '
        '<span class="mi">1</span>\n</code></pre></div>'
    )


def test_indented_code_has_the_same_shell() -> None:
    [block] = render_blocks("    a < b\n")
    assert '<span class="code-lang"></span>' in block
    assert "<code>a &lt; b\n</code>" in block


def test_a_list_keeps_its_first_number() -> None:
    assert render_blocks("3. a\n4. b\n") == [
        '<ol dir="auto" start="3">\n<li>a</li>\n<li>b</li>\n</ol>'
    ]


def test_a_table_can_be_scrolled_by_keyboard_and_aligns_its_cells() -> None:
    [block] = render_blocks("|a|b|\n|-|-:|\n|1|2|\n")
    assert block.startswith(
        '<div class="table" role="group" aria-label="Table" tabindex="0"><table dir="auto">'
    )
    assert '<td style="text-align:right">2</td>' in block


@pytest.mark.parametrize("delimited", ["$x^2$", "\\(x^2\\)"])
def test_maths_in_a_line(delimited: str) -> None:
    formula = "<math><msup><mi>x</mi><mn>2</mn></msup></math>"
    assert render_blocks(f"So {delimited}.") == [f'<p dir="auto">So {formula}.</p>']


@pytest.mark.parametrize(
    "text",
    [
        "$$x$$",
        "$$\nx\n$$",
        "\\[x\\]",
        "\\[\nx\n\\]",
        "  $$ x $$",
    ],
)
def test_maths_of_its_own(text: str) -> None:
    formula = '<div class="math"><math display="block"><mi>x</mi></math></div>'
    assert render_blocks(text) == [formula]
    assert render_blocks(f"Then\n{text}\nends") == [
        '<p dir="auto">Then</p>',
        formula,
        '<p dir="auto">ends</p>',
    ]


def test_lines_of_maths_are_not_read_as_lists_or_headings() -> None:
    blocks = render_blocks("where\n\\[\na\n- b\n=\n+ c\n\\]\n")
    assert len(blocks) == 2
    assert blocks[1].startswith('<div class="math"><math')


def test_displayed_maths_may_stand_in_a_paragraph_and_in_a_list() -> None:
    assert '<span class="math"><math display="block">' in render_blocks("a \\[x\\] b")[0]
    assert '<div class="math"><math' in render_blocks("- $$\n  x\n  $$\n")[0]


def test_an_ordinal_may_follow_maths() -> None:
    assert render_blocks("the $n$th") == ['<p dir="auto">the <math><mi>n</mi></math>th</p>']


@pytest.mark.parametrize(
    "text",
    [
        "$5 and $6",
        "US$5 or A$6",
        "$20-$30",
        "**$4**",
        "$1,243,787 \u00d7 8% = $102,347. **$4**",
        "$HOME/$USER",
        "from $5 to 10$",
        "`$5` and `$6`",
        "costs $5 and `a$`",
        "$$ and $$$",
        "\\$x\\$",
        "a $ b $ c",
        "$",
        "$$",
    ],
)
def test_money_and_variables_are_not_maths(text: str) -> None:
    assert "<math" not in "".join(render_blocks(text))


@pytest.mark.parametrize("source", ["\\frac{", "\\unknown", "{" * 200 + "}" * 200, "(" * 60])
def test_maths_that_cannot_be_read_shows_its_source(source: str) -> None:
    [block] = render_blocks(f"$${source}$$")
    assert block == f'<div class="math"><code class="math-source">{source}</code></div>'


def test_a_picture_is_a_link_named_by_its_text_or_address() -> None:
    link = '<a href="https://e.x/p.png?leak=1" target="_blank" rel="noopener noreferrer nofollow">'
    assert render_blocks("![alt](https://e.x/p.png?leak=1)") == [f'<p dir="auto">{link}alt</a></p>']
    assert render_blocks("![](https://e.x/p.png?leak=1)") == [
        f'<p dir="auto">{link}https://e.x/p.png?leak=1</a></p>'
    ]


@pytest.mark.parametrize("text", ["[![b](http://c.d)](http://e.f)", "[b <http://c.d>](http://e.f)"])
def test_a_link_holds_no_other_link(text: str) -> None:
    assert render_blocks(text)[0].count("<a ") == 1


@pytest.mark.parametrize(
    "text",
    ["<restate your message here>", "<style>p{}</style>", "<think>a</think>", "a <b>b</b> <br/>"],
)
def test_html_is_text(text: str) -> None:
    shown = text.replace("<", "&lt;").replace(">", "&gt;")
    assert render_blocks(text) == [f'<p dir="auto">{shown}</p>']


@pytest.mark.parametrize("address", ["/login", "README.md", "//evil/x", "#part", "ftp://a.b/c"])
def test_a_link_that_may_not_be_followed_shows_its_source(address: str) -> None:
    assert render_blocks(f"[a]({address})") == [f'<p dir="auto">[a]({address})</p>']


@pytest.mark.parametrize(
    "text",
    [
        ">" * 300 + " deep words",
        "- " * 300 + "deep words",
        "- " * 300 + "words\n\nand deep words",
        "*" * 500 + "deep words" + "*" * 500,
        "1. first\n2. " + "*" * 500 + "deep words" + "*" * 500,
        "|a|\n|-|\n|" + "*" * 500 + "deep words" + "*" * 500 + "|",
        "deep words **and** more " * 5000,
    ],
)
def test_what_nests_too_deeply_or_is_too_long_is_shown_as_text(text: str) -> None:
    shown = "".join(render_blocks(text))
    assert "deep words" in shown
    assert "<pre" in shown


def test_a_block_that_cannot_be_rendered_is_shown_as_text(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a fault of the parser's")

    monkeypatch.setattr(markdown, "inline", fail)
    assert render_blocks("a <b>\n\n- c\n") == [
        '<pre dir="auto"><code>a &lt;b&gt;\n</code></pre>',
        '<ul dir="auto">\n<li><pre dir="auto"><code>- c\n</code></pre></li>\n</ul>',
    ]
    assert "could not be rendered" in caplog.text


def test_a_text_that_cannot_be_read_is_shown_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a fault of the parser's")

    monkeypatch.setattr(markdown.parser().block, "tokenize", fail)
    assert render_blocks("# a\n\nb\n") == ['<pre dir="auto"><code># a\n\nb\n</code></pre>']


def test_characters_that_no_page_can_hold_are_replaced() -> None:
    assert render_blocks("a\0b\ud800c") == ['<p dir="auto">a\ufffdb\ufffdc</p>']
