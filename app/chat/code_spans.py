"""Finding a literal tag outside Markdown code, in text that arrives in pieces.

A tag in a code span or a fence is text about the tag. Everything here gives the same answer
however the text was cut. Sources: CommonMark 0.31, "Fenced code blocks" and "Code spans".
"""

from __future__ import annotations

import re

_LINE_PREFIX = frozenset(" \t>-*+.)0123456789")
"""Characters that may stand before a fence on its line: indentation, quote and list markers."""


class TagFinder:
    """Says where a tag stands outside code, as early as that is certain.

    `settled` is the number of characters about which everything is known: no tag that is not
    yet reported can begin before it.
    """

    def __init__(self, tag: str) -> None:
        self._tag = tag
        self._marks = re.compile(rf"\n|`+|~+|{re.escape(tag)}")
        self._rest = ""
        self._offset = 0
        self._line_is_blank = True
        self._line_is_prefix = True
        self._fence = ""
        self._fence_line = False
        self._span = 0
        self._pending: list[int] = []

    @property
    def settled(self) -> int:
        """Characters from the start that are decided."""
        return self._pending[0] if self._pending else self._offset

    def feed(self, text: str) -> list[int]:
        """Takes more text; returns the offsets of tags now known to stand outside code."""
        self._rest += text
        return self._scan(final=False)

    def finish(self) -> list[int]:
        """No more text comes: decides what was still open."""
        found = self._scan(final=True)
        return found + self._release_pending()

    def _scan(self, *, final: bool) -> list[int]:
        found: list[int] = []
        text, at = self._rest, 0
        while True:
            match = self._marks.search(text, at)
            if match is None:
                end = len(text) if final else len(text) - self._partial_tag(text, at)
                self._pass_over(text[at:end])
                at = end
                break
            if match.end() == len(text) and match.group()[0] in "`~" and not final:
                self._pass_over(text[at : match.start()])
                at = match.start()
                break
            self._pass_over(text[at : match.start()])
            found += self._take(match.group(), self._offset + match.start())
            at = match.end()
        self._rest = text[at:]
        self._offset += at
        return found

    def _partial_tag(self, text: str, at: int) -> int:
        longest = min(len(self._tag) - 1, len(text) - at)
        for length in range(longest, 0, -1):
            if self._tag.startswith(text[len(text) - length :]):
                return length
        return 0

    def _pass_over(self, text: str) -> None:
        if not text:
            return
        if self._line_is_blank and not text.isspace():
            self._line_is_blank = False
        if self._line_is_prefix and not _LINE_PREFIX.issuperset(text):
            self._line_is_prefix = False

    def _take(self, mark: str, offset: int) -> list[int]:
        if mark == "\n":
            return self._take_newline()
        if mark == self._tag:
            self._line_is_blank = self._line_is_prefix = False
            if self._fence:
                return []
            if self._span:
                self._pending.append(offset)
                return []
            return [offset]
        return self._take_run(mark)

    def _take_newline(self) -> list[int]:
        blank = self._line_is_blank
        self._line_is_blank = self._line_is_prefix = True
        self._fence_line = False
        if blank and not self._fence:
            self._span = 0
            return self._release_pending()
        return []

    def _take_run(self, run: str) -> list[int]:
        opens_line = self._line_is_prefix
        self._line_is_blank = self._line_is_prefix = False
        if self._fence:
            if self._fence_line and run[0] == "`" == self._fence[0]:
                # A backtick fence has none in its info string: this was a code span.
                self._span, self._fence, self._fence_line = len(self._fence), "", False
                return self._take_backticks(run)
            if opens_line and run[0] == self._fence[0] and len(run) >= len(self._fence):
                self._fence = ""
            return []
        if opens_line and len(run) >= 3:
            self._fence, self._fence_line, self._span = run, True, 0
            return self._release_pending()
        return self._take_backticks(run) if run[0] == "`" else []

    def _take_backticks(self, run: str) -> list[int]:
        if not self._span:
            self._span = len(run)
        elif len(run) == self._span:
            self._span = 0
            self._pending.clear()
        return []

    def _release_pending(self) -> list[int]:
        found, self._pending = self._pending, []
        return found


def tags_outside_code(text: str, tag: str) -> list[int]:
    """The offsets at which `tag` stands in `text`, code spans and fences left out."""
    finder = TagFinder(tag)
    return finder.feed(text) + finder.finish()
