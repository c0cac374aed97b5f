"""What turns one rendering of a block into another, as the changes that a run's log tells."""

from __future__ import annotations

from collections.abc import Iterator

from app.turns.rendering import Block, Change, CodeText, Item, Truncate
from app.ui.markdown import Rendered

__all__ = ["Block", "Change", "CodeText", "Item", "Truncate", "difference", "item_change"]


def difference(index: int, old: Rendered | None, new: Rendered) -> Iterator[Change]:
    """What turns one rendering of a block into another: its last items, or all of it."""
    if old == new:
        return
    if old is None or not _only_grew(old, new):
        yield Block(index, new.html)
        return
    for position in range(len(old.items) - 1, len(new.items)):
        if new.items[position : position + 1] != old.items[position : position + 1]:
            yield item_change(index, position, new.before, new.items[position])


def item_change(index: int, position: int, before: str, html: str) -> Item:
    """An item or row in the element that it may stand in; `before` is what opens its block."""
    if before.startswith("<div"):
        return Item(index, position, f"<table><tbody>{html.rstrip()}</tbody></table>")
    tag = before[1:3]
    return Item(index, position, f"<{tag}>{html.rstrip()}</{tag}>")


def _only_grew(old: Rendered, new: Rendered) -> bool:
    return (
        (old.before, old.after) == (new.before, new.after)
        and 0 < len(old.items) <= len(new.items)
        and old.items[:-1] == new.items[: len(old.items) - 1]
    )
