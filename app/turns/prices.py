"""What turns cost, where the owner of the server has set a price."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class Spending(Protocol):
    """What turns took of the server: tokens sent, of them cached, tokens made, and seconds."""

    @property
    def prompt_tokens(self) -> int: ...  # noqa: D102 - the class says it
    @property
    def cached_tokens(self) -> int: ...  # noqa: D102
    @property
    def completion_tokens(self) -> int: ...  # noqa: D102
    @property
    def seconds(self) -> float: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Spent:
    """What one turn took of the server."""

    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars: for a million tokens of each kind, or for an hour of the server.

    Token prices count where there are any; `hour` else, as if the turn had the server alone.
    """

    input: float | None = None
    cached: float | None = None
    output: float | None = None
    hour: float | None = None

    def cost(self, spent: Spending) -> float | None:
        """US dollars; None where no price is set."""
        if self.input is None and self.output is None:
            return None if self.hour is None else self.hour * spent.seconds / 3600
        input_price = self.input or 0.0
        cached_price = input_price if self.cached is None else self.cached
        fresh = max(0, spent.prompt_tokens - spent.cached_tokens)
        dollars = fresh * input_price + spent.cached_tokens * cached_price
        return (dollars + spent.completion_tokens * (self.output or 0.0)) / 1_000_000
