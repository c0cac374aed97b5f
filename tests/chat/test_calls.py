from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.chat.calls import CallAssembler


def entry(
    index: int | None = None, call_id: str | None = None, name: str | None = None, args: Any = None
) -> dict[str, Any]:
    function = {"name": name, "arguments": args}
    whole = {
        "index": index,
        "id": call_id,
        "function": {key: value for key, value in function.items() if value is not None},
    }
    return {key: value for key, value in whole.items() if value is not None}


def assembled(*deltas: list[Any]) -> list[tuple[str, str, str]]:
    assembler = CallAssembler()
    calls: dict[int, list[str]] = {}
    for entries in deltas:
        for delta in assembler.feed(entries):
            call = calls.setdefault(delta.position, ["", "", ""])
            call[0] += delta.id
            call[1] += delta.name
            call[2] += delta.arguments
    assert list(calls) == list(range(len(calls))), "positions have no gaps"
    return [(call[0], call[1], call[2]) for call in calls.values()]


@pytest.mark.parametrize(
    ("deltas", "expected"),
    [
        pytest.param(
            [[entry(0, "a", "f")], [entry(0, args='{"x"')], [entry(0, args=":1}")]],
            [("a", "f", '{"x":1}')],
            id="as vLLM sends it",
        ),
        pytest.param(
            [[entry(0, "a", "f", "{}")], [entry(2, "b", "g", "{}")]],
            [("a", "f", "{}"), ("b", "g", "{}")],
            id="a gap in the index means nothing",
        ),
        pytest.param(
            [[entry(None, "a", "f", "{}"), entry(None, "b", "g", "{}")]],
            [("a", "f", "{}"), ("b", "g", "{}")],
            id="no index: ids tell apart",
        ),
        pytest.param(
            [[entry(0, "a", "f", "{}")], [entry(0, "b", "g", "{}")]],
            [("a", "f", "{}"), ("b", "g", "{}")],
            id="a new id under a used index",
        ),
        pytest.param(
            [[entry(0, "a", "f", "{")], [entry(0, "a", "f", "}")]],
            [("a", "f", "{}")],
            id="id and name repeat",
        ),
        pytest.param(
            [[entry(0, "a", "f", "{")], [entry(0, "", "", "}")]],
            [("a", "f", "{}")],
            id="empty id and name continue",
        ),
        pytest.param(
            [[entry(0, "b", "g", '{"x":')], [entry(1, args="1}")]],
            [("b", "g", '{"x":1}')],
            id="a stray fragment continues an unfinished call",
        ),
        pytest.param(
            [[entry(0, "b", "g", "{}")], [entry(1, args="{}")]],
            [("b", "g", "{}"), ("", "", "{}")],
            id="a stray fragment after a finished call is a nameless one",
        ),
        pytest.param(
            [[entry(0, "a", "f", "{}")], [entry(1, "a", args="")]],
            [("a", "f", "{}")],
            id="the id counts before the index",
        ),
        pytest.param(
            [[entry(0, None, "f")], [entry(0, "late", args="{}")]],
            [("late", "f", "{}")],
            id="an id that comes late",
        ),
        pytest.param(
            [[entry(0, None, "f", "{}")], [entry(0, None, "g", "{}")]],
            [("", "f", "{}"), ("", "g", "{}")],
            id="another name after whole arguments",
        ),
        pytest.param(
            [[entry(None, None, "f", "{}"), entry(None, None, "f", "{}")]],
            [("", "f", "{}"), ("", "f", "{}")],
            id="twice the same tool with neither id nor index",
        ),
        pytest.param(
            [[entry(0, "a", "get_")], [entry(0, None, "weather")], [entry(0, args="{}")]],
            [("a", "get_weather", "{}")],
            id="a name in pieces",
        ),
        pytest.param(
            [[entry(0, "a", "f", {"x": 1})]],
            [("a", "f", '{"x": 1}')],
            id="arguments as an object",
        ),
        pytest.param([[{}, {"function": None}, {"index": 0}]], [], id="entries that say nothing"),
    ],
)
def test_calls_are_told_apart(
    deltas: list[list[Any]], expected: list[tuple[str, str, str]]
) -> None:
    assert assembled(*deltas) == expected


@given(st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=4), max_size=4), st.booleans())
def test_any_cutting_of_arguments_gives_the_same_calls(
    sizes: list[list[int]], repeats_id: bool
) -> None:
    arguments = '{"a": "b", "c": [1, 2]}'
    deltas = []
    for at, cuts in enumerate(sizes):
        deltas.append([entry(at * 2, f"id{at}", "f")])
        rest = arguments
        for cut in [*cuts, len(rest)]:
            deltas.append([entry(at * 2, f"id{at}" if repeats_id else None, args=rest[:cut])])
            rest = rest[cut:]
    assert assembled(*deltas) == [(f"id{at}", "f", arguments) for at in range(len(sizes))]
