"""Counting the tokens of each part of a turn while it runs, as the server says or by estimate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_BYTES_PER_TOKEN = 4
"""A rough measure for the model's tokenizer: on English and code, and on Chinese in UTF-8."""


def estimate_tokens(text: str) -> int:
    """About how many tokens a text is; for display, marked as an estimate."""
    return -(-byte_length(text) // _BYTES_PER_TOKEN)


def byte_length(text: str) -> int:
    """Bytes of a text in UTF-8, the lone halves of a pair that JSON may bring included."""
    return len(text.encode("utf-8", "surrogatepass"))


def token_count(value: Any) -> int | None:
    """A server's figure as a count of tokens; None for what is no count."""
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
    return value if is_count else None


class TokenMeter:
    """The server's running count of the answer, told apart by part.

    With `stream_options.continuous_usage_stats` each chunk says how many tokens came so far; a
    part's count is what came between its beginning and its end. Without, counts are estimates.
    """

    def __init__(self) -> None:
        self._counted = 0
        self._part_began_at = 0
        self._bytes = 0
        self._knows = False

    def usage(self, values: Mapping[str, Any]) -> None:
        """Takes the server's count so far."""
        count = token_count(values.get("completion_tokens"))
        if count is not None:
            self._counted = count
            self._knows = True

    def text(self, size: int) -> None:
        """More text of the open part came, in bytes."""
        self._bytes += size

    def restart(self) -> None:
        """What the open part holds so far was counted elsewhere."""
        self._bytes = 0

    @property
    def part(self) -> tuple[int, bool]:
        """Tokens of the open part so far, and whether that is an estimate."""
        if self._knows and self._counted > self._part_began_at:
            return self._counted - self._part_began_at, False
        return -(-self._bytes // _BYTES_PER_TOKEN), True

    def close_part(self) -> tuple[int, bool]:
        """The count of the part that just ended; the next one begins."""
        part = self.part
        self._part_began_at = self._counted
        self._bytes = 0
        return part
