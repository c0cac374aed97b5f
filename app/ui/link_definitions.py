"""Link definitions of a growing text, and the finished blocks that wait for one."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import Any

from app.ui.block_changes import Block
from app.ui.markdown import Definitions, Document, read, render


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A finished block in which some label leads nowhere yet."""

    source: str
    html: str
    labels: Set[str]


class LinkDefinitions:
    """The definitions that are certain, first come first kept, and who waits for others."""

    def __init__(self) -> None:
        self.known: dict[str, Any] = {}
        self._waiting: dict[int, _Waiting] = {}
        self._by_label: dict[str, set[int]] = {}
        self._stale: set[int] = set()

    def define(self, document: Document, before_line: int) -> set[str]:
        """Take the definitions that begin before a line of the document; answers the new labels."""
        found = {
            label: definition
            for label, definition in document.definitions.items()
            if label not in self.known and definition["map"][0] < before_line
        }
        self.known.update(found)
        for label in found:
            self._stale |= self._by_label.pop(label, set())
        return set(found)

    def wait(self, index: int, source: str, html: str, labels: Set[str]) -> None:
        """Note that finished block `index` looked for these labels in vain."""
        if not labels:
            self._waiting.pop(index, None)
            return
        self._waiting[index] = _Waiting(source, html, labels)
        for label in labels:
            self._by_label.setdefault(label, set()).add(index)
        if not labels.isdisjoint(self.known):
            self._stale.add(index)

    def refresh(self, most: int | None) -> Iterator[Block]:
        """The blocks that new definitions change; of no more than `most` characters in all."""
        for index in sorted(self._stale):
            block = self._waiting[index]
            if most is not None:
                most -= len(block.source)
                if most < 0:
                    continue
            self._stale.discard(index)
            html, labels = self._render(block.source)
            self.wait(index, block.source, html, labels)
            if html != block.html:
                yield Block(index, html)

    def _render(self, source: str) -> tuple[str, Set[str]]:
        document = read(source, self.known)
        definitions = Definitions(self.known)
        html = [
            render(document, unit, definitions).html
            for unit in document.units
            if unit.kind != "definition"
        ]
        return "".join(html), definitions.missed
