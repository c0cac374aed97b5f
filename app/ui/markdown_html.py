"""The Markdown parser of answers and the HTML it writes: CommonMark, tables, strikethrough, maths.

Nothing of an answer is taken as HTML, no picture is loaded from elsewhere, and code and tables get
the shells that the page's style sheet and copy button count on.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping, Sequence
from functools import cache
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import unescapeAll
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline, autolink, image
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from app.ui.highlighting import highlight
from app.ui.maths import maths_html
from app.ui.maths_rules import enable_maths
from app.ui.tables import table_rule

MAX_NESTING = 40
TABLE_OPENING = '<div class="table" role="group" aria-label="Table" tabindex="0">'
_LINK = re.compile(r"(?:https?://|mailto:)[^/\\]", re.IGNORECASE)


class AnswerMarkdown(MarkdownIt):
    """markdown-it with only those links that leave for the web or for mail."""

    def validateLink(self, url: str) -> bool:  # noqa: N802 - markdown-it's name
        """Refuse every other scheme and relative addresses; the source is then shown as text."""
        return _LINK.match(url) is not None


class AnswerHtml(RendererHTML):
    """Render rules, named for the tokens they show."""

    def fence(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: MutableMapping[str, Any],
    ) -> str:
        """A code block with its language over it."""
        token = tokens[idx]
        language = code_language(token.info)
        open_from = env.get("open_from")
        if open_from is not None and is_growing(token, open_from):
            code = escape(token.content, quote=False)
        else:
            code = highlight(token.content, language.lower())
        return code_shell(language, code) + "\n"

    def code_block(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: MutableMapping[str, Any],
    ) -> str:
        """Indented code, which names no language."""
        return code_shell("", escape(tokens[idx].content, quote=False)) + "\n"

    def image(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: MutableMapping[str, Any],
    ) -> str:
        """A link in place of a picture: loading it would tell its host what the answer says."""
        token = tokens[idx]
        address = str(token.attrGet("src") or "")
        text = escape(self.renderInlineAsText(token.children, options, env).strip() or address)
        if token.meta.get("in_link"):
            return text
        title = token.attrGet("title")
        attribute = f' title="{escape(str(title))}"' if title else ""
        return f'<a href="{escape(address)}"{attribute}>{text}</a>'

    def table_open(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: MutableMapping[str, Any],
    ) -> str:
        """A table inside what scrolls when it is wider than the page."""
        return TABLE_OPENING + self.renderToken(tokens, idx, options, env)

    def table_close(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: MutableMapping[str, Any],
    ) -> str:
        """The end of `table_open`."""
        return "</table></div>\n"

    def math_inline(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: MutableMapping[str, Any],
    ) -> str:
        """A formula in a line."""
        return maths_html(tokens[idx].content, display=False)

    def math_display(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: MutableMapping[str, Any],
    ) -> str:
        """A displayed formula inside a paragraph, where no div may stand."""
        return f'<span class="math">{maths_html(tokens[idx].content, display=True)}</span>'

    def math_block(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: MutableMapping[str, Any],
    ) -> str:
        """A displayed formula of its own."""
        return f'<div class="math">{maths_html(tokens[idx].content, display=True)}</div>\n'

    def definition(
        self,
        tokens: Sequence[Token],
        idx: int,
        options: OptionsDict,
        env: MutableMapping[str, Any],
    ) -> str:
        """A link definition shows nothing."""
        return ""


@cache
def parser() -> MarkdownIt:
    """The one parser of the process; it holds no text between calls."""
    md = AnswerMarkdown(
        "commonmark",
        {
            "html": False,
            "inline_definitions": True,
            "maxNesting": MAX_NESTING,
            "xhtmlOut": False,
        },
        renderer_cls=AnswerHtml,
    )
    md.enable(["table", "strikethrough"]).disable(["html_block", "html_inline"])
    md.block.ruler.at("table", table_rule, {"alt": ["paragraph", "reference"]})
    md.inline.ruler.at("image", _image_rule)
    md.inline.ruler.at("autolink", _autolink_rule)
    enable_maths(md)
    return md


def code_language(info: str) -> str:
    """The language a fence names: the first word after its marks."""
    words = unescapeAll(info).split(maxsplit=1)
    return words[0] if words else ""


def code_shell(language: str, code: str) -> str:
    """A code block of the page around escaped or highlighted code."""
    return (
        '<div class="code"><div class="code-head">'
        f'<span class="code-lang">{escape(language)}</span></div>'
        f'<pre dir="ltr"><code>{code}</code></pre></div>'
    )


def is_growing(token: Token, complete: int) -> bool:
    """Whether a fence has no end yet in a text of which `complete` lines have come whole."""
    _, end = token.map or (0, 0)
    return end > complete or (end == complete and not is_closed(token))


def is_closed(token: Token) -> bool:
    """Whether a fence ends in a closing line: one of its lines is then neither opening nor code."""
    start, end = token.map or (0, 0)
    ended = not token.content or token.content.endswith("\n")
    return ended and token.content.count("\n") == end - start - 2


def _image_rule(state: StateInline, silent: bool) -> bool:
    count = len(state.tokens)
    matched = image(state, silent)
    if matched and state.linkLevel:
        for token in state.tokens[count:]:
            token.meta["in_link"] = True
    return matched


def _autolink_rule(state: StateInline, silent: bool) -> bool:
    # A link in a link would break the HTML apart; there an address in angle brackets is text.
    return not (state.linkLevel and not silent) and autolink(state, silent)
