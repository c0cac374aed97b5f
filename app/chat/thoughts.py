"""Thought that a server left in the answer: where it ends, and which tags are mere text.

GLM's prompt ends inside the thought (chat template: `<|assistant|><think>`), so an unsplit
answer is "thought</think>answer", with or without the opening tag.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from app.chat.code_spans import TagFinder
from app.chat.events import ContentDelta, ContentWasReasoning

OPENING_TAG = "<think>"
CLOSING_TAG = "</think>"
_STRAY = (CLOSING_TAG, OPENING_TAG + CLOSING_TAG)

_Piece: TypeAlias = ContentDelta | ContentWasReasoning


class ThoughtSplitter:
    """Passes an answer on, holding back no more than may turn out to be a closing tag.

    At the very start a closing tag is stray and dropped. Where no reasoning came, the first
    closing tag outside code shows that all before it was thought. Any other tag is text.
    """

    def __init__(self) -> None:
        self._state: Literal["start", "searching", "passing"] = "start"
        self._finder = TagFinder(CLOSING_TAG)
        self._held = ""
        self._passed = 0
        self._reasoning_came = False

    def reasoning_came(self) -> list[_Piece]:
        """From now on closing tags are text, but for a stray one at the very start.

        Returns what was held back of the answer: it came before the reasoning.
        """
        self._reasoning_came = True
        if self._state == "passing" or (self._state == "start" and not self._held.strip()):
            return []
        self._state = "passing"
        return self._pass_held()

    def feed(self, text: str) -> list[_Piece]:
        """Takes more of the answer; returns what is certain of it."""
        if self._state == "passing":
            return [ContentDelta(text)]
        self._held += text
        if self._state == "searching":
            return self._advance(self._finder.feed(text))
        return self._begin()

    def finish(self) -> list[_Piece]:
        """The answer is over, or something else than text came: decides what was held back."""
        if self._state != "searching":
            self._state = "passing"
            return self._pass_held()
        pieces = self._advance(self._finder.finish())
        self._state = "passing"
        return pieces + self._pass_held()

    def _begin(self) -> list[_Piece]:
        beginning = self._held.lstrip()
        for tags in _STRAY:
            if beginning.startswith(tags):
                self._state = "passing"
                self._held = beginning[len(tags) :]
                return self._pass_held()
        if any(tags.startswith(beginning) for tags in _STRAY):
            return []
        if self._reasoning_came:
            self._state = "passing"
            return self._pass_held()
        self._state = "searching"
        return self._advance(self._finder.feed(self._held))

    def _advance(self, found: list[int]) -> list[_Piece]:
        if not found:
            return self._pass_held(self._finder.settled - self._passed)
        thought = found[0]
        pieces = self._pass_held(thought - self._passed)
        self._held = self._held[len(CLOSING_TAG) :]
        self._state = "passing"
        return [*pieces, ContentWasReasoning(thought), *self._pass_held()]

    def _pass_held(self, count: int | None = None) -> list[_Piece]:
        count = len(self._held) if count is None else count
        text, self._held = self._held[:count], self._held[count:]
        self._passed += len(text)
        return [ContentDelta(text)] if text else []


def without_opening_tag(thought: str) -> str:
    """A thought as it was meant: the tag that opened it, if any, is no part of it."""
    beginning = thought.lstrip()
    return beginning[len(OPENING_TAG) :] if beginning.startswith(OPENING_TAG) else thought
