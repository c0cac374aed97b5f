"""What the hardware costs: Baseten's live price list, else the list as it was read once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

LISTED: Final[Mapping[str, float]] = {"H100:8": 0.86664}
"""US dollars a minute by instance type, as Baseten's pricing page said on LISTED_ON."""

LISTED_ON: Final = date(2026, 12, 2)

_MOST: Final = 10_000.0
"""US dollars a minute that no hardware costs: a higher figure is a mistake."""


@dataclass(frozen=True, slots=True)
class Price:
    """What an instance costs while it is billed. `source` says where the figure is from."""

    dollars_per_minute: float
    source: str

    @property
    def dollars_per_hour(self) -> float:
        """The same for an hour."""
        return self.dollars_per_minute * 60

    def of_minutes(self, minutes: float) -> str:
        """What so many minutes cost, such as "$13.00"."""
        return dollars(self.dollars_per_minute * minutes)


def dollars(amount: float) -> str:
    """An amount as a reader expects it, with cents."""
    return f"${amount:,.2f}"


def price_of(instance_type: str, live: Sequence[Mapping[str, Any]]) -> Price | None:
    """The price of an instance type; None where neither list has it.

    `live` is what `GET /v1/instance_type_prices` lists: `instance_type` with its `id` and `name`,
    and `price` in US dollars a minute. An entry that is otherwise tells nothing.
    """
    for entry in live:
        kind = entry.get("instance_type")
        if isinstance(kind, Mapping) and instance_type in (kind.get("id"), kind.get("name")):
            figure = _figure(entry.get("price"))
            if figure is not None:
                return Price(figure, "the live price list")
    if instance_type in LISTED:
        return Price(LISTED[instance_type], f"the price list of {LISTED_ON.isoformat()}")
    return None


def _figure(told: Any) -> float | None:
    """A price as a number; None for what can be none."""
    try:
        figure = float(told)
    except (TypeError, ValueError, OverflowError):
        return None
    return figure if 0 <= figure <= _MOST else None
