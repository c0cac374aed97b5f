"""Markdown to safe HTML, a block at a time: what is read, how a block is shown.

`read` finds the blocks, `render` makes HTML of one; `render_blocks` does both for a whole text.
A list or a table is made of its items or rows, so that a caller can send the last one alone.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from html import escape
from itertools import islice
from typing import Any, TypeAlias

from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore, inline, text_join
from markdown_it.token import Token

from app.ui.markdown_html import MAX_NESTING, TABLE_OPENING, parser
from app.ui.sanitising import sanitise

Environment: TypeAlias = MutableMapping[str, Any]

# A longer paragraph or item is no prose; it would hold up everybody else for half a second.
MAX_INLINE = 50_000
# Cells and paragraphs of one block.
MAX_TEXTS = 20_000
# Each opening bracket of a text is tried as a link, up to its end.
MAX_BRACKETS = 1_000
LISTS = frozenset({"bullet_list", "ordered_list"})
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Unit:
    """A top-level block, or link definition, of a text: its tokens, its lines [start, end)."""

    kind: str  # markdown-it's token type without "_open"; "definition" shows nothing
    tokens: list[Token]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Document:
    """A text that was read: inline text is still unparsed, for definitions may come after it."""

    text: str
    units: list[Unit]
    line_offsets: list[int]  # one a line, and the length of the text
    definitions: Mapping[str, Any]
    undecided: int | None  # the first line that what follows may make part of a formula

    def source(self, start: int, end: int) -> str:
        """The text of the lines [start, end)."""
        return self.text[self.line_offsets[start] : self.line_offsets[end]]


@dataclass(frozen=True, slots=True)
class Rendered:
    """The HTML of a block; for a list or table its items or rows apart from what encloses them."""

    before: str
    items: tuple[str, ...] = ()
    after: str = ""

    @property
    def html(self) -> str:
        """The whole block."""
        return self.before + "".join(self.items) + self.after


class Definitions(dict[str, Any]):
    """Link definitions by label; keeps which labels were looked up and not found."""

    def __init__(self, known: Mapping[str, Any]) -> None:
        super().__init__(known)
        self.missed: set[str] = set()

    def get(self, label: str, default: Any = None) -> Any:
        """What markdown-it calls for a reference in the text."""
        found = super().get(label, default)
        if found is None:
            self.missed.add(label)
        return found


def render_blocks(text: str) -> list[str]:
    """The whole text as HTML, one sanitised string for each top-level block."""
    document = read(normalise(text), {})
    definitions = Definitions(document.definitions)
    return [
        render(document, unit, definitions).html
        for unit in document.units
        if unit.kind != "definition"
    ]


def normalise(text: str) -> str:
    """The text with the line ends and characters that every later step relies on."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    return text if text.isascii() else _LONE_SURROGATES.sub("\ufffd", text)


def read(text: str, definitions: Mapping[str, Any], missing_cells: int = 0) -> Document:
    """Find the blocks of a normalised text.

    `definitions` are those that stood before it; `missing_cells` is for a table that begins it and
    had more rows, which left out so many cells.
    """
    md = parser()
    env: Environment = {"references": dict(definitions), "missing_cells": missing_cells}
    tokens: list[Token] = []
    state = StateBlock(text, md, env, tokens)
    offsets = state.bMarks.copy()
    try:
        md.block.tokenize(state, 0, state.lineMax)
    except Exception:
        _log.exception("Markdown of %d characters could not be read: shown as text", len(text))
        units = [Unit("unreadable", [], 0, state.lineMax)]
    else:
        units = list(_units(tokens))
    return Document(text, units, offsets, env["references"], env.get("undecided"))


def _units(tokens: list[Token]) -> Iterator[Unit]:
    first = 0
    for position, token in enumerate(tokens):
        if token.level or token.nesting > 0:
            continue
        opening = tokens[first]
        start, end = opening.map or (0, 0)
        kind = opening.type.removesuffix("_open")
        yield Unit(kind, tokens[first : position + 1], start, end)
        first = position + 1


def render(
    document: Document, unit: Unit, definitions: Definitions, open_from: int | None = None
) -> Rendered:
    """The sanitised HTML of one unit; its source as text where rendering fails.

    A code block that still grows, that is one without an end that reaches the line `open_from`, is
    left without colours.
    """
    env: Environment = {"references": definitions, "open_from": open_from}
    rendered: Rendered | None = None
    if unit.kind in LISTS:
        rendered = _list(document, unit, env)
    elif unit.kind == "table":
        rendered = _table(document, unit, env)
    elif unit.tokens:
        opening = unit.tokens[0]
        if opening.nesting > 0:
            opening.attrSet("dir", "auto")
        html = _html(unit.tokens, env)
        rendered = None if html is None else Rendered(sanitise(html.rstrip()))
    return rendered or Rendered(_plain(document.source(unit.start, unit.end)))


def render_items(
    document: Document,
    unit: Unit,
    definitions: Definitions,
    open_from: int | None = None,
    first: int = 0,
) -> list[str]:
    """The items from `first` on that `render` makes of a list or table, and nothing else of it."""
    env: Environment = {"references": definitions, "open_from": open_from}
    return [_item(document, unit, tokens, env) for tokens in islice(items(unit), first, None)]


def items(unit: Unit) -> Iterator[list[Token]]:
    """The tokens of each item of a list or row of a table's body; the first has the lines."""
    body, level = unit.tokens[1:-1], 1
    if unit.kind == "table":
        start = next((i for i, token in enumerate(unit.tokens) if token.type == "tbody_open"), None)
        body, level = [] if start is None else unit.tokens[start + 1 : -2], 2
    first = 0
    for position, token in enumerate(body):
        if token.level == level and token.nesting < 0:
            yield body[first : position + 1]
            first = position + 1


def _list(document: Document, unit: Unit, env: Environment) -> Rendered:
    opening = unit.tokens[0]
    start = opening.attrGet("start")
    attributes = ' dir="auto"' if start is None else f' dir="auto" start="{int(start)}"'
    return Rendered(
        f"<{opening.tag}{attributes}>\n",
        tuple(_item(document, unit, tokens, env) for tokens in items(unit)),
        f"</{opening.tag}>",
    )


def _table(document: Document, unit: Unit, env: Environment) -> Rendered | None:
    kinds = [token.type for token in unit.tokens]
    head = _html(unit.tokens[1 : kinds.index("thead_close") + 1], env)
    if head is None:
        return None
    head = sanitise(f"<table>{head.rstrip()}</table>").removesuffix("</table>")
    before = TABLE_OPENING + '<table dir="auto">' + head.removeprefix("<table>")
    rows = tuple(_item(document, unit, tokens, env) for tokens in items(unit))
    if not rows:
        return Rendered(before + "</table></div>")
    return Rendered(before + "<tbody>\n", rows, "</tbody></table></div>")


def _item(document: Document, unit: Unit, tokens: list[Token], env: Environment) -> str:
    """An item, sanitised inside what must enclose it, so that it is safe alone; then taken out."""
    is_list = unit.kind in LISTS
    before, after = ("<ul>", "</ul>") if is_list else ("<table><tbody>", "</tbody></table>")
    html = _html(tokens, env)
    if html is None:
        start, end = tokens[0].map or (0, 0)
        plain = _plain(document.source(start, end))
        html = f"<li>{plain}</li>" if is_list else f"<tr><td>{plain}</td></tr>"
    return sanitise(before + html.rstrip() + after)[len(before) : -len(after)] + "\n"


def _html(tokens: list[Token], env: Environment) -> str | None:
    """HTML, not yet sanitised; None for what is too long or too deep, or cannot be rendered."""
    if _is_too_costly([token.content for token in tokens if token.type == "inline"]):
        return None
    md = parser()
    state = StateCore("", md, env, tokens)
    try:
        inline(state)
        text_join(state)
        if any(map(_is_too_deep, tokens)):
            return None
        return str(md.renderer.render(tokens, md.options, env))
    except Exception:
        _log.exception("A Markdown block could not be rendered: shown as text")
        return None


def _is_too_costly(texts: list[str]) -> bool:
    return (
        sum(map(len, texts)) > MAX_INLINE
        or len(texts) > MAX_TEXTS
        or any(text.count("[") > MAX_BRACKETS for text in texts)
    )


def _is_too_deep(token: Token) -> bool:
    # Where the nesting is at its limit markdown-it skips what follows instead of showing it.
    if token.level >= MAX_NESTING - 1:
        return True
    return any(child.level >= MAX_NESTING for child in token.children or ())


def _plain(source: str) -> str:
    return f'<pre dir="auto"><code>{escape(source, quote=False)}</code></pre>'
