"""Highlighted code: Pygments, loaded when the first code block comes.

The colours of its classes are in assets/css/highlight.css.
"""

from __future__ import annotations

from functools import lru_cache
from html import escape
from io import StringIO

# About 100 ms of work; a longer block is shown plain.
MAX_LENGTH = 50_000


@lru_cache(maxsize=32)
def highlight(code: str, language: str) -> str:
    """HTML for code: spans with Pygments' short classes, or escaped text for an unknown language.

    The text is that of `code` to the letter.
    """
    if not language or len(code) > MAX_LENGTH:
        return escape(code, quote=False)
    # Pygments costs 0.15 s to load, which a start without any code should not pay.
    from pygments import lex
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return escape(code, quote=False)
    tokens = list(lex(code, lexer))
    if "".join(text for _, text in tokens) != code:  # some lexers drop or add white space
        return escape(code, quote=False)
    html = StringIO()
    HtmlFormatter(nowrap=True).format(tokens, html)
    # The formatter ends each line, also a last one that the code leaves open.
    return html.getvalue() if code.endswith("\n") else html.getvalue().removesuffix("\n")
