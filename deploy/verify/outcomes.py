"""What ends a check other than as it should."""

from __future__ import annotations


class DifferenceError(Exception):
    """The server does otherwise than was promised; the text says what was seen."""


class SkippedError(Exception):
    """Nothing can be told; the text says why."""


def hold(condition: object, seen: str) -> None:
    """Raises DifferenceError with what was seen, unless the condition holds."""
    if not condition:
        raise DifferenceError(seen)
