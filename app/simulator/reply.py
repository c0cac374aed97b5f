"""A reply as a value: what will be generated, before it is cut into tokens."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call: its name, and its arguments as JSON text in the pieces that are streamed.

    Each piece is what vLLM's parser lets out at once: the opening with the first key, a few
    characters of a string, a value with the next key. An empty sequence means no arguments.
    """

    name: str
    pieces: tuple[str, ...]

    @property
    def arguments(self) -> str:
        """The whole JSON object."""
        return "".join(self.pieces) or "{}"


@dataclass(frozen=True, slots=True)
class Reply:
    """Thought, answer and calls, in the order in which they are generated."""

    reasoning: str
    content: str
    calls: tuple[Call, ...] = ()
    finish_reason: str | None = None
    """What ends it, if not what vLLM would say."""
    split: bool = True
    """Whether a parser takes the thought apart; else it arrives as content, with `</think>`."""
    thought_is_over: bool = False
    """Whether the prompt has closed the thought already, so that no end of it is generated."""
