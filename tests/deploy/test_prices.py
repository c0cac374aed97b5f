"""Which figure counts as the price, and where it is from."""

from __future__ import annotations

from typing import Any

import pytest

from deploy.prices import LISTED_ON, dollars, price_of

LIVE = [{"instance_type": {"id": "H100:8", "name": "H100:8"}, "price": 0.5}]


def test_the_live_list_comes_first() -> None:
    price = price_of("H100:8", LIVE)
    assert price is not None
    assert (price.dollars_per_hour, price.source) == (30.0, "the live price list")


def test_without_it_the_price_that_was_read_once_counts_and_says_when() -> None:
    price = price_of("H100:8", [])
    assert price is not None
    assert price.dollars_per_hour == pytest.approx(52.0, abs=0.01)
    assert LISTED_ON.isoformat() in price.source


def test_hardware_of_no_list_has_no_price() -> None:
    assert price_of("B200:72", LIVE) is None


def test_amounts_are_written_with_cents() -> None:
    assert dollars(1234.5) == "$1,234.50"


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"instance_type": None, "price": 1.0},
        {"instance_type": "H100:8", "price": 1.0},
        {"instance_type": [], "price": 1.0},
        {"instance_type": {"id": "H100:8"}},
        *(
            {"instance_type": {"id": "H100:8"}, "price": price}
            for price in (None, "dear", {}, [], float("nan"), float("inf"), "inf", -1.0, 1e300)
        ),
        {"instance_type": {"id": "H100:8"}, "price": 10**400},
    ],
)
def test_an_entry_that_is_none_leaves_the_list_that_was_read_once(entry: dict[str, Any]) -> None:
    price = price_of("H100:8", [entry])
    assert price is not None
    assert price.dollars_per_hour == pytest.approx(52.0, abs=0.01)
