"""The parts of a turn while they are still growing, as a publisher keeps them."""

from __future__ import annotations

from collections.abc import Hashable

from app.chat.messages import ToolCall
from app.turns.log import EventLog
from app.turns.rendering import AnswerRenderer


class OpenText:
    """Reasoning, or an answer with its renderer, that is still growing."""

    def __init__(self, kind: str, number: int, began: float) -> None:
        self.kind = kind
        self.number = number
        self.began = began
        self.renderer: AnswerRenderer | None = None
        self.pending: list[str] = []
        self._flushed: list[str] = []
        self._blocks: set[Hashable] = set()
        self._items: dict[int, set[Hashable]] = {}

    def flush(self) -> str:
        """The text that came since the last flush."""
        text = "".join(self.pending)
        self.pending.clear()
        if text and self.renderer is not None:
            self._flushed.append(text)
            self.renderer.append(text)
        return text

    def block_key(self, index: int) -> Hashable:
        """The log's key for what shows a block."""
        key = (self.number, index)
        self._blocks.add(key)
        return key

    def item_key(self, index: int, item: int) -> Hashable:
        """The log's key for what shows an item of a block."""
        key = (self.number, index, item)
        self._items.setdefault(index, set()).add(key)
        return key

    def drop_items(self, log: EventLog, index: int) -> None:
        """A whole block stands for its items from now on."""
        for key in self._items.pop(index, ()):
            log.drop(key)

    def become_reasoning(self, log: EventLog) -> str:
        """What was streamed as an answer was thought: nothing rendered counts. Returns its text."""
        text = "".join([*self._flushed, *self.pending])
        for index in list(self._items):
            self.drop_items(log, index)
        for key in self._blocks:
            log.drop(key)
        self.kind, self.renderer = "reasoning", None
        self.pending.clear()
        self._flushed.clear()
        return text


class OpenCall:
    """A call whose arguments are still coming."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.id = ""
        self.name = ""
        self.told_name = ""
        self.pending: list[str] = []
        self._arguments: list[str] = []

    def add(self, call_id: str, name: str, arguments: str) -> None:
        """Takes one more fragment."""
        self.id += call_id
        self.name += name
        self._arguments.append(arguments)
        self.pending.append(arguments)

    def flush(self) -> str | None:
        """The argument text since the last flush, or None where nothing new is to be told."""
        text = "".join(self.pending)
        if not text and self.told_name == self.name:
            return None
        self.pending.clear()
        self.told_name = self.name
        return text

    def call(self) -> ToolCall:
        """The call as it stands."""
        return ToolCall(self.id, self.name, "".join(self._arguments))
