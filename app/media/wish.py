"""What a person asks of a clip that cannot go as it is, and the figures that they decide by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Offer = Literal["trim", "shrink"]
"""What would make a refused clip one that can be sent."""


@dataclass(frozen=True, slots=True)
class ClipWish:
    """A part of a clip, in seconds from its beginning, up to its end where `end_s` is None.

    `shrink` has it encoded again, at the size that the model sees, to have fewer bytes.
    """

    start_s: float = 0.0
    end_s: float | None = None
    shrink: bool = False

    @property
    def trims(self) -> bool:
        """Whether a part is asked for rather than the whole."""
        return self.start_s > 0 or self.end_s is not None


WHOLE: Final = ClipWish()
"""All of a clip, as it is."""


@dataclass(frozen=True, slots=True)
class ClipFacts:
    """A clip that was refused, in figures: whole, upright.

    `most_seconds` is the longest part of it that can be sent, estimated. All of it would take
    `tokens` of the prompt; a part takes about `tokens_a_second`, and no more than all of it.
    `offers` are what would help.
    """

    seconds: float
    frames: int
    width: int
    height: int
    bytes: int
    most_seconds: float
    tokens: int
    tokens_a_second: int
    offers: tuple[Offer, ...]
