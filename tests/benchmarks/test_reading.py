"""What a benchmark makes of the bytes that it noted."""

from __future__ import annotations

from tests.benchmarks.clients import Arrival, events_of
from tests.benchmarks.load import delays
from tests.benchmarks.report import quantile


def test_a_line_counts_as_arrived_when_it_is_whole() -> None:
    arrivals = [
        Arrival(1.0, b'{"type":"started"}\n{"type":'),
        Arrival(2.0, b'"end"}'),
        Arrival(3.0, b"\n"),
    ]
    assert list(events_of(arrivals)) == [(1.0, {"type": "started"}), (3.0, {"type": "end"})]


def test_a_delay_is_counted_from_the_stamp_to_its_first_arrival() -> None:
    arrivals = [
        Arrival(5.030, b'{"type":"reasoning","part":0,"text":"so @005000 we"}\n'),
        Arrival(6.250, b'{"type":"block","html":"<p>@00<b>6200</b></p>"}\n'),
        Arrival(6.400, b'{"type":"block","html":"<p>@006200 again</p>"}\n'),
    ]
    found = [(kind, round(delay * 1000)) for kind, delay in delays(arrivals)]
    assert found == [("reasoning", 30), ("block", 50)]


def test_a_stamp_survives_the_turn_of_the_clock() -> None:
    arrivals = [Arrival(1000.010, b'{"type":"reasoning","text":"@999990"}\n')]
    assert [round(delay * 1000) for _, delay in delays(arrivals)] == [20]


def test_a_quantile_is_one_of_the_values() -> None:
    assert quantile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert quantile([3.0, 1.0, 2.0], 1.0) == 3.0
