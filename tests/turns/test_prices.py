from __future__ import annotations

import pytest

from app.turns.prices import Prices, Spent

SPENT = Spent(prompt_tokens=3000, cached_tokens=1000, completion_tokens=500, seconds=36.0)


@pytest.mark.parametrize(
    ("prices", "dollars"),
    [
        (Prices(), None),
        (Prices(input=1.0, output=10.0), 0.008),
        (Prices(input=1.0, cached=0.5, output=10.0), 0.0075),
        (Prices(output=10.0), 0.005),
        (Prices(hour=52.0), 0.52),
        (Prices(input=0.0, hour=52.0), 0.0),
    ],
)
def test_a_turn_costs_its_tokens_else_its_time(prices: Prices, dollars: float | None) -> None:
    assert prices.cost(SPENT) == (None if dollars is None else pytest.approx(dollars))
