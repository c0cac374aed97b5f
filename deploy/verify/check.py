"""What a check is: its name, what it holds a server to, what it costs, and how it may end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal, TypeAlias

from deploy.verify.promises import Promises
from deploy.verify.subject import Subject

OutcomeKind: TypeAlias = Literal["pass", "differs", "skipped"]

Body: TypeAlias = Callable[[Subject], Awaitable[str | None]]
"""Asks the server; returns a few words on what was seen, or None where the promise says it all.

It raises DifferenceError where the server does otherwise, and SkippedError where it cannot tell.
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a check takes at most, about: `tokens` are those of prompts and answers together."""

    requests: int = 1
    tokens: int = 0

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.requests + other.requests, self.tokens + other.tokens)


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that a server is asked.

    `promise` may name fields of Promises in braces. `asks` is what it asks for, each by a name:
    what another check has asked for already is not asked for again. It is asked for once a
    sequence that the engine runs, and once more, where it is `per_sequence`. What is `costly` needs
    a yes. A check is made `tries` times before it differs, where the model's own choice decides.
    """

    name: str
    promise: str
    body: Body
    asks: Mapping[str, Cost]
    per_sequence: bool = False
    costly: bool = False
    tries: int = 1

    def promised(self, promises: Promises) -> str:
        """The promise in words, with the preset's figures."""
        return self.promise.format(**asdict(promises))


def cost_of(checks: Sequence[Check], promises: Promises) -> Cost:
    """What the checks take together of a server that keeps these promises."""
    asked: dict[str, Cost] = {}
    for check in checks:
        times = promises.max_num_seqs + 1 if check.per_sequence else 1
        for name, cost in check.asks.items():
            asked[name] = Cost(cost.requests * times, cost.tokens * times)
    return sum(asked.values(), Cost(0))


@dataclass(frozen=True, slots=True)
class Result:
    """How a check ended. `seen`: what was seen, or why it was skipped; `seconds` it took."""

    name: str
    promise: str
    outcome: OutcomeKind
    seen: str = ""
    seconds: float = 0.0


class Topic:
    """The checks of one module, in the order in which they are written."""

    def __init__(self) -> None:
        self.checks: list[Check] = []

    def check(
        self,
        name: str,
        promise: str,
        *,
        asks: Mapping[str, Cost] | None = None,
        tokens: int = 0,
        per_sequence: bool = False,
        costly: bool = False,
        tries: int = 1,
    ) -> Callable[[Body], Body]:
        """Registers the function that it decorates: by default it makes one request of its own."""

        def register(body: Body) -> Body:
            asked = {name: Cost(1, tokens)} if asks is None else asks
            self.checks.append(Check(name, promise, body, asked, per_sequence, costly, tries))
            return body

        return register
