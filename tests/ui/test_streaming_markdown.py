"""Streamed Markdown: whatever the text and however it is cut, the page ends as a full rendering."""

from __future__ import annotations

import re
from html import escape

import pytest
from hypothesis import example, given, settings
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
