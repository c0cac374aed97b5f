"""The steps of a run on values: when it goes on, when it ends, what it has kept by then."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from typing import Any

import pytest

from app.chat.entries import ResultsEntry, TurnEntry
from app.chat.events import ContentDelta, Event, Failed, Finished, ReasoningDelta, ToolCallDelta
from app.chat.request import Options
from app.tools.mocks import Mocks, read_mocks
from app.turns.run import Loop, answering_results

WEATHER = Options(model="glm", tools=({"type": "function", "function": {"name": "get_weather"}},))


async def until(lines: AsyncGenerator[bytes, None], word: bytes) -> None:
    """Reads to the word, which must come."""
    told = b""
    while word not in told:
        told += await anext(lines)


ANY_RULE = Loop(Mocks(read_mocks([{"tool": "*", "result": "21"}])), auto=True, max_steps=3)
CALL = ToolCallDelta(0, "t", "get_weather", "{}")


async def test_a_loop_without_end_is_stopped_at_its_limit(
    bench: Callable[..., Any], events_of: Callable[..., Any]
) -> None:
    one = await bench(CALL, Finished("tool_calls"))
    run = one.start(WEATHER, loop=ANY_RULE)
    events = await events_of(run)
    assert len(one.server.requests) == 3
    assert [e["limit"] for e in events if "limit" in e] == [3]
    roles = [message["role"] for message in one.server.requests[-1].body["messages"]]
    assert roles == ["user", "assistant", "tool", "assistant", "tool"]


@pytest.mark.parametrize(
    "script",
    [
        (ToolCallDelta(0, "t", "unknown", "{}"), Finished("tool_calls")),
        (ToolCallDelta(0, "t", "get_weather", '{"a'), Finished("tool_calls")),
        (CALL, Finished("length")),
        (CALL, Failed("cut_short", None, "broke off")),
        (CALL, ToolCallDelta(1, "u", "unknown", "{}"), Finished("tool_calls")),
    ],
)
async def test_what_is_no_whole_call_of_a_declared_tool_ends_a_loop(
    bench: Callable[..., Any], events_of: Callable[..., Any], script: tuple[Any, ...]
) -> None:
    one = await bench(*script)
    events = await events_of(one.start(WEATHER, loop=ANY_RULE))
    assert len(one.server.requests) == 1
    assert [event for event in events if event["type"] == "results"] == []
    assert events[-2]["pending"]
    assert events[-2]["limit"] is None


async def test_a_stop_in_a_later_step_keeps_the_steps_before_it(bench: Callable[..., Any]) -> None:
    one = await bench(CALL, Finished("tool_calls"), then=[ReasoningDelta("hm"), None])
    run = one.start(WEATHER, loop=ANY_RULE)
    lines = run.log.lines()
    await until(lines, b'"reasoning"')
    await run.stop()
    await lines.aclose()
    _, first, results, second = await one.entries()
    assert isinstance(results, ResultsEntry)
    assert [result.answered_by for result in results.results] == ["rule 1"]
    assert (first.turn.complete, second.turn.stopped) == (True, True)
    assert second.turn.reasoning == "hm"
    assert one.services.slots.running == 0


async def test_the_last_step_answers_and_has_no_calls_to_wait_for(
    bench: Callable[..., Any], events_of: Callable[..., Any]
) -> None:
    answer: list[Event | None] = [ContentDelta("21 degrees."), Finished("stop")]
    one = await bench(CALL, Finished("tool_calls"), then=answer)
    events = await events_of(one.start(WEATHER, loop=ANY_RULE))
    kinds = [e["type"] for e in events if e["type"] in ("turn", "turn_end", "results", "end")]
    assert kinds == ["turn", "turn_end", "results", "turn", "turn_end", "end"]
    assert (events[-2]["pending"], events[-2]["limit"]) == ([], None)
    last = await one.last_turn()
    assert isinstance(last, TurnEntry)
    assert last.turn.content == "21 degrees."


async def test_the_slot_is_given_back_between_steps(
    bench: Callable[..., Any], events_of: Callable[..., Any]
) -> None:
    rules = read_mocks([{"tool": "*", "result": 1, "delay_s": 600}])
    one = await bench(CALL, Finished("tool_calls"), slots=1)
    run = one.start(WEATHER, loop=Loop(Mocks(rules), auto=True))
    lines = run.log.lines()
    await until(lines, b'"tool"')
    assert one.services.slots.running == 0
    await run.stop()
    await lines.aclose()
    assert [e["type"] for e in await events_of(run)][-2:] == ["results", "end"]


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        (None, None),
        ("none", "none"),
        ("auto", "auto"),
        ("required", "auto"),
        ({"type": "function", "function": {"name": "get_weather"}}, "auto"),
    ],
)
def test_no_choice_forces_a_call_when_results_are_answered(choice: Any, sent: Any) -> None:
    assert answering_results(Options("glm", tool_choice=choice)).tool_choice == sent


async def test_results_that_cannot_be_stored_end_the_run_with_its_calls_pending(
    bench: Callable[..., Any], events_of: Callable[..., Any], database: Any
) -> None:
    one = await bench(CALL, None, Finished("tool_calls"))
    run = one.start(WEATHER, loop=ANY_RULE)
    await database.close()
    one.server.go_on.set()
    events = await events_of(run)
    assert [notice["code"] for notice in events[-2]["notices"]] == ["not_kept"]
    assert (events[-2]["pending"], events[-1]["type"]) == ([], "end")
    await database.open()
