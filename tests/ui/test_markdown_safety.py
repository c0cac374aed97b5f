"""Nothing active gets from an answer into the page."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.ui.markdown import render_blocks
from app.ui.sanitising import ALLOWED_ATTRIBUTES, ALLOWED_TAGS, sanitise

ATTACKS = [
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<script>alert(1)</script>",
    "<style>body{display:none}</style>",
    "<iframe src=https://evil.example></iframe>",
    '<a href="javascript:alert(1)">x</a>',
    "<math><maction actiontype=statusline xlink:href=javascript:alert(1)>x</maction></math>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<!--<img src=x onerror=alert(1)>-->",
    "</code></pre><img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](javascript&colon;alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](&#x6A;avascript&#x3A;alert(1))",
    "[x](java\tscript:alert(1))",
    "[x](<java\nscript:alert(1)>)",
    "[x](\x01javascript:alert(1))",
    "[x](vbscript:msgbox(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](data:image/png;base64,AAAA)",
    "[x](file:///etc/passwd)",
    "[x](//evil.example/x)",
    "[x](/\\evil.example)",
    "[x](\\\\evil.example)",
    "[x](https:/\\evil.example)",
    "[x](https:evil.example)",
    "<javascript:alert(1)>",
    "<data:text/html,x>",
    "[x]\n\n[x]: javascript:alert(1)",
    "[x]\n\n[x]: //evil.example",
    '[x](https://a.b "\\" onmouseover=alert(1) x=\\"")',
    '[x](https://a.b" onmouseover="alert(1))',
    "![x](https://e.example/p.png?leak=abc)",
    "![x](javascript:alert(1))",
    "![x](data:image/svg+xml,<svg onload=alert(1)>)",
    '![" onerror="alert(1)](https://a.b)',
    '```"><img src=x onerror=alert(1)>\ncode\n```',
    "```html\n<img src=x onerror=alert(1)></code></pre><script>alert(1)</script>\n```",
    "    </code></pre><script>alert(1)</script>",
    "`</code><script>alert(1)</script>`",
    "$\\style{position:fixed}{x}$",
    "$\\href{javascript:alert(1)}{x}$",
    "$\\text{<img src=x onerror=alert(1)>}$",
    "$\\unknown{<img src=x onerror=alert(1)>}$",
    "$\\class{evil}{x} \\cssId{evil}{x}$",
    "$\\includegraphics{https://evil.example/x.png}$",
    "$$\\color{red;position:fixed}{x}$$",
    '$$\\begin{array}{l" onclick="alert(1)}x\\end{array}$$',
    "$$\n</math><script>alert(1)</script>\n$$",
    '|a|\n|:-:|\n|<td style="position:fixed" onclick=alert(1)>|',
    "- <li onclick=alert(1)>\n- </li></ul><script>alert(1)</script>",
    "> </blockquote><form action=https://evil.example><input name=x>",
]
URL = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
STYLE = re.compile(
    r"(?:(?:color|justify-items|padding-left|padding-right|text-align):[\w.# -]+;?)*"
)


class Inspector(HTMLParser):
    """Fails on the first tag, attribute or address that the page does not allow."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED_TAGS
        for name, value in attrs:
            assert name in ALLOWED_ATTRIBUTES.get(tag, ()) or (
                tag == "a" and (name, value) in LINK_CONSTANTS
            )
            if name == "href":
                assert URL.match(value or "")
            if name == "style":
                assert STYLE.fullmatch(value or "")

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(decl)

    def handle_pi(self, data: str) -> None:
        raise AssertionError(data)


LINK_CONSTANTS = {("target", "_blank"), ("rel", "noopener noreferrer nofollow")}


def inspect(html: str) -> None:
    inspector = Inspector()
    inspector.feed(html)
    inspector.close()


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("place", ["{}", "- {}\n- b", "> {}", "|a|b|\n|-|-|\n|{}|x|", "# {}"])
def test_an_attack_comes_out_inert(attack: str, place: str) -> None:
    for block in render_blocks(place.format(attack)):
        inspect(block)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(ATTACKS) | st.text(max_size=6), max_size=6).map("".join))
def test_attacks_in_any_mixture_come_out_inert(text: str) -> None:
    for block in render_blocks(text):
        inspect(block)


@pytest.mark.parametrize("attack", [attack for attack in ATTACKS if "<" in attack])
def test_the_sanitiser_alone_would_hold(attack: str) -> None:
    inspect(sanitise(attack))


@pytest.mark.parametrize(
    "html", ['<a href="//evil/x">a</a>', '<a href="/x">a</a>', '<a href="x:y">a</a>']
)
def test_the_sanitiser_takes_addresses_away_that_lead_elsewhere(html: str) -> None:
    assert sanitise(html) == '<a target="_blank" rel="noopener noreferrer nofollow">a</a>'


@pytest.mark.parametrize(
    "text",
    [
        ">" * 10_000,
        "> " * 10_000 + "a",
        (">" * 200 + "\n") * 50,
        "- " * 10_000 + "a",
        "1. " * 10_000 + "a",
        "".join("  " * depth + "- a\n" for depth in range(300)),
        "[" * 10_000 + "a",
        "[" * 10_000 + "a" + "]" * 10_000,
        "[a](" * 10_000,
        "![" * 10_000,
        "*" * 10_000 + "a" + "*" * 10_000,
        "*a_ " * 10_000,
        "**a " * 10_000,
        "~~a " * 10_000,
        "`" * 10_000,
        "".join("`" * size + " " for size in range(200)),
        "<" * 10_000,
        "&" * 10_000,
        "$" * 10_000,
        "$a " * 10_000,
        "\\(" * 10_000,
        "\\[\n" * 5_000,
        "$$ a\n" * 5_000,
        "$" + "{" * 10_000 + "$",
        "$" + "{" * 3_900 + "}" * 3_900 + "$",
        "$" + "\\frac{" * 1_300 + "$",
        "$" + "\\sqrt" * 1_500 + " x$",
        "$" + "(" * 4_000 + "$",
        "$" + "\\bigl)" * 400 + "$",
        "$" + "\\lfloor " * 400 + "$",
        "$" + "[\\frac]'" * 400 + "$",
        "$\\def\\a#1{" + "{" * 80 + "#1" + "}" * 80 + "}" + "\\a{" * 90 + "x" + "}" * 90 + "$",
        "$\\def\\a{\\a\\a}\\a$",
        "|" + "a|" * 256 + "\n|" + "-|" * 256 + "\n" + "|x|\n" * 300,
        "|" * 5_000 + "\n" + "|-" * 5_000,
        "[a]: http://e.x\n" * 3_000,
        "    \n" * 5_000,
        "\t" * 10_000,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_what_is_meant_to_exhaust_the_parser_does_not(text: str) -> None:
    for block in render_blocks(text):
        inspect(block)


@pytest.mark.parametrize("text", ["[" * 2_000, "![" * 2_000 + "]()" * 2_000, "> " + "[x" * 1_500])
def test_what_would_take_too_long_is_shown_as_it_was_written(text: str) -> None:
    (block,) = render_blocks(text)
    assert block.startswith("<pre")
    assert block.count("[") == text.count("[")
