from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import pytest

from app.chat.entries import TurnEntry, UserEntry, conversation_of
from app.chat.events import (
    ContentDelta,
    ContentWasReasoning,
    Failed,
    Finished,
    ReasoningDelta,
    Started,
    ToolCallDelta,
    Usage,
    Waiting,
)
from app.chat.messages import Attachment, Reasoning, Text
from app.chat.request import Options
from app.chat.turn import Timings, Turn
from app.store.journal import Journals
from app.turns.prices import Prices
from app.turns.recovery import recover
from app.turns.run import Run
from app.turns.runs import ChatBusy
from app.turns.turn_views import turn_view

WEATHER = Options(model="glm", tools=({"type": "function", "function": {"name": "get_weather"}},))


def kinds(events: list[dict[str, Any]]) -> list[str]:
    """What happened; live counts come by the clock, and are left out."""
    return [event["type"] for event in events if event["type"] != "usage"]


async def until(lines: AsyncGenerator[bytes, None], word: bytes) -> bytes:
    """What is told up to the word, which must come."""
    told = b""
    while word not in told:
        told += await anext(lines)
    return told


async def test_a_turn_is_told_in_order_and_kept_in_its_chat(
    bench: Callable[..., Any], events_of: Callable[..., Any]
) -> None:
    one = await bench(
        Started(200),
        ReasoningDelta("hm "),
        ReasoningDelta("so"),
        ContentDelta("Four"),
        ContentDelta("."),
        Finished("stop"),
        Usage({"completion_tokens": 9, "completion_tokens_details": {"reasoning_tokens": 6}}),
    )
    events = await events_of(one.start())
    assert kinds(events) == [
        "turn", "started", "part", "reasoning", "reasoning", "part_closed",
        "part", "block", "part_closed", "turn_end", "end",
    ]  # fmt: skip
    assert "".join(e["text"] for e in events if e["type"] == "reasoning") == "hm so"
    assert next(e for e in events if e["type"] == "block")["html"] == "<p>Four.</p>"
    entry = await one.last_turn()
    assert (entry.turn.reasoning, entry.turn.content) == ("hm so", "Four.")
    assert entry.stats["reasoning_tokens"] == 6
    assert entry.stats["answer_tokens"] == 3
    assert events[-2]["state"] == "complete"
    assert one.server.requests[0].body["messages"] == [{"role": "user", "content": "Hello"}]


async def test_calls_are_told_in_pieces_then_checked(
    bench: Callable[..., Any], events_of: Callable[..., Any]
) -> None:
    one = await bench(
        ToolCallDelta(0, "t", "get_weather"),
        ToolCallDelta(0, arguments='{"location": '),
        ToolCallDelta(1, "u", "other", '{"a'),
        ToolCallDelta(0, arguments='"Paris"}'),
        Finished("tool_calls"),
    )
    events = await events_of(one.start(WEATHER))
    told = "".join(e["arguments"] for e in events if e["type"] == "call" and e["part"] == 0)
    assert told == '{"location": "Paris"}'
    first, second = (e for e in events if e["type"] == "call_checked")
    assert (first["declared"], first["problems"]) == (True, [])
    assert first["arguments"] == '{\n  "location": "Paris"\n}'
    assert (second["declared"], second["arguments"]) == (False, '{"a')
    assert [n["code"] for n in events[-2]["notices"]] == ["unknown_tool", "invalid_arguments"]


async def test_a_thought_in_the_answer_is_moved_and_what_was_shown_of_it_goes(
    bench: Callable[..., Any], events_of: Callable[..., Any]
) -> None:
    one = await bench(
        ContentDelta("<think>It is easy."),
        None,
        ContentWasReasoning(18),
        ContentDelta("Four."),
        Finished("stop"),
    )
    run = one.start()
    lines = run.log.lines()
    await until(lines, b'"block"')
    await lines.aclose()
    one.server.go_on.set()
    await run.wait()
    events = await events_of(run)
    assert kinds(events) == [
        "turn", "part", "thought", "part_closed", "part", "block", "part_closed", "turn_end", "end"
    ]  # fmt: skip
    assert next(e for e in events if e["type"] == "thought")["text"] == "It is easy."
    assert (await one.last_turn()).turn.reasoning == "It is easy."


async def test_what_the_page_shows_after_a_reload_is_what_was_told(
    bench: Callable[..., Any],
) -> None:
    one = await bench(ReasoningDelta("hm"), ContentDelta("Four."), Finished("stop"))
    await one.start().wait()
    turn = turn_view(await one.last_turn(), one.services.rendering.whole, Prices())
    reasoning, answer = turn["parts"]
    assert (reasoning["text"], reasoning["tokens"], reasoning["estimated"]) == ("hm", 1, True)
    assert answer == {"kind": "answer", "blocks": ["<p>Four.</p>"]}
    assert turn["state"] == "complete"
    assert one.services.runs.running("owner", "chat-one") is None


async def test_stop_hangs_up_keeps_what_came_and_frees_the_slot(
    bench: Callable[..., Any], events_of: Callable[..., Any]
) -> None:
    one = await bench(ReasoningDelta("hm"), None)
    run = one.start()
    lines = run.log.lines()
    await until(lines, b'"reasoning"')
    await run.stop()
    assert one.server.hung_up.is_set()
    assert one.services.slots.running == 0
    assert (await one.last_turn()).turn.reasoning == "hm"
    assert [notice.code for notice in (await one.last_turn()).notices] == ["stopped"]
    await lines.aclose()
    assert kinds(await events_of(run))[-2:] == ["turn_end", "end"]
    await run.stop()


async def test_a_run_stopped_before_it_began_ends_as_well(bench: Callable[..., Any]) -> None:
    one = await bench(ReasoningDelta("hm"))
    run = one.start()
    await run.stop()
    assert run.ended
    assert [notice.code for notice in (await one.last_turn()).notices] == ["stopped"]


async def test_nobody_listening_stops_a_run_after_the_grace_period(
    bench: Callable[..., Any],
) -> None:
    one = await bench(ReasoningDelta("hm"), None, grace_s=0.01)
    await one.start().wait()
    assert one.server.hung_up.is_set()


async def test_a_listener_keeps_a_run_alive_past_the_grace_period(
    bench: Callable[..., Any],
) -> None:
    one = await bench(
        ReasoningDelta("hm"), None, ContentDelta("Four."), Finished("stop"), grace_s=0.01
    )
    run = one.start()
    async with asyncio.timeout(30):
        async for batch in run.log.lines(heartbeat_s=0.05):
            if b"heartbeat" in batch:
                one.server.go_on.set()
    assert (await one.last_turn()).turn.complete


async def test_the_grace_period_does_not_run_in_the_line_or_in_a_wake(
    bench: Callable[..., Any],
) -> None:
    one = await bench(
        Waiting("waking", 1), None, ContentDelta("Four."), Finished("stop"), grace_s=0.01
    )
    run = one.start()
    await asyncio.sleep(0.05)
    assert not run.ended
    one.server.go_on.set()
    await run.wait()
    assert (await one.last_turn()).turn.complete


async def test_a_wait_for_a_slot_is_shown_with_the_place_in_the_line(
    bench: Callable[..., Any], events_of: Callable[..., Any]
) -> None:
    one = await bench(ContentDelta("Four."), Finished("stop"), slots=1)
    async with one.services.slots.hold("other", lambda _: None):
        run = one.start()
        lines = run.log.lines()
        assert b"you are next" in await until(lines, b"waiting")
    await lines.aclose()
    assert "end" in kinds(await events_of(run))
    assert (await one.last_turn()).turn.complete


@pytest.mark.parametrize(
    ("step", "code"),
    [
        (Failed("unreachable", None, "No connection."), "unreachable"),
        (RuntimeError("a fault of our own"), "server_error"),
    ],
)
async def test_a_failure_is_told_and_the_message_stays(
    bench: Callable[..., Any], step: Any, code: str
) -> None:
    one = await bench(step)
    await one.start().wait()
    assert [notice.code for notice in (await one.last_turn()).notices] == [code]
    entries = await one.entries()
    assert isinstance(entries[0], UserEntry)
    assert len(conversation_of(entries).messages) == 1, "a turn that brought nothing is not sent"


@pytest.mark.parametrize("arguments", ['{"a": "\\ud800"}', '{"a": 1e999}', '{"a": 1, "a": 2}'])
async def test_arguments_that_are_no_plain_json_are_shown_as_received(
    bench: Callable[..., Any], events_of: Callable[..., Any], arguments: str
) -> None:
    one = await bench(ToolCallDelta(0, "t", "get_weather", arguments), Finished("tool_calls"))
    events = await events_of(one.start(WEATHER))
    assert next(e for e in events if e["type"] == "call_checked")["arguments"] == arguments
    assert kinds(events)[-2:] == ["turn_end", "end"]


async def test_figures_that_are_no_counts_are_not_shown(bench: Callable[..., Any]) -> None:
    odd = {"prompt_tokens": float("nan"), "completion_tokens": -3}
    one = await bench(ContentDelta("Four."), Finished("stop"), Usage(odd))
    await one.start().wait()
    stats = (await one.last_turn()).stats
    assert (stats["prompt_tokens"], stats["estimated"]) == (None, True)


async def test_a_run_whose_end_cannot_be_told_ends_all_the_same(
    bench: Callable[..., Any], events_of: Callable[..., Any]
) -> None:
    one = await bench(ToolCallDelta(0, "t", "boom", "{}"), Finished("tool_calls"))
    run = one.start(WEATHER)
    assert kinds(await events_of(run))[-2:] == ["turn_end", "end"]
    assert run.ended


async def test_a_picture_that_is_gone_leaves_a_note(bench: Callable[..., Any]) -> None:
    picture = Attachment("a" * 64, "image", 1, name="cat.png")
    asked = UserEntry("m1", "What is it?", (picture,))
    one = await bench(ContentDelta("Four."), Finished("stop"), message=asked)
    await one.start().wait()
    (message,) = one.server.requests[0].body["messages"]
    assert "cat.png" in message["content"][0]["text"]
    assert [notice.code for notice in (await one.last_turn()).notices] == ["history_repaired"]


def cut_turn(*parts: Any) -> TurnEntry:
    turn = Turn(parts=parts, timings=Timings(part_seconds=(1.0,) * len(parts)))
    return TurnEntry("t1", turn, (), (), {}, tuple((3, False) for _ in parts), effort="low")


async def continuing(one: Any, base: TurnEntry) -> Run:
    await one.services.store.add("owner", "chat-one", base, "m1")
    run: Run = one.start(Options(model="glm", continue_last=True), base)
    return run


async def test_a_continuation_is_told_from_the_turns_beginning_and_kept_in_its_place(
    bench: Callable[..., Any], events_of: Callable[..., Any]
) -> None:
    one = await bench(ContentDelta(" three."), Finished("stop"))
    run = await continuing(one, cut_turn(Reasoning("hm"), Text("One, two,\n")))
    events = await events_of(run)
    assert (run.turn_id, events[0]["turn"]) == ("t1", "t1")
    assert [e["text"] for e in events if e["type"] == "reasoning"] == ["hm"]
    assert next(e for e in events if e["type"] == "block")["html"] == "<p>One, two, three.</p>"
    closed = [e for e in events if e["type"] == "part_closed"]
    assert [(e["tokens"], e["estimated"]) for e in closed] == [(3, False), (5, True)]
    assert closed[0]["seconds"] >= 1.0, "of the thought as it was"
    assert "parts" not in events[-2]
    entries = await one.entries()
    assert [entry.id for entry in entries] == ["m1", "t1"]
    assert entries[1].turn.content == "One, two, three."
    assert entries[1].tokens == ((3, False), (5, True))
    assert entries[1].effort == "low"
    assert one.server.requests[0].body["messages"][-1]["content"] == "One, two,"


async def test_a_continuation_under_the_label_of_thought_is_told_anew_as_the_answer(
    bench: Callable[..., Any], events_of: Callable[..., Any]
) -> None:
    one = await bench(ReasoningDelta(" three."), Finished("stop"))
    events = await events_of(await continuing(one, cut_turn(Text("One, two,"))))
    assert events[-2]["parts"] == [{"kind": "answer", "blocks": ["<p>One, two, three.</p>"]}]
    assert (await one.last_turn()).turn.parts == (Text("One, two, three."),)


async def test_a_continuation_that_fails_leaves_the_answer_as_it_was(
    bench: Callable[..., Any],
) -> None:
    one = await bench(Failed("unreachable", None, "No connection."))
    await (await continuing(one, cut_turn(Text("One, two,")))).wait()
    entry = await one.last_turn()
    assert entry.turn.parts == (Text("One, two,"),)
    assert [notice.code for notice in entry.notices] == ["unreachable"]


async def test_the_answer_to_a_chat_that_was_deleted_meanwhile_goes_with_it(
    bench: Callable[..., Any], events_of: Callable[..., Any]
) -> None:
    one = await bench(ContentDelta("Four."), None, Finished("stop"))
    run = one.start()
    await one.services.store.delete("owner", "chat-one")
    one.server.go_on.set()
    assert kinds(await events_of(run))[-1] == "end"
    assert await one.services.store.find("owner", "chat-one") is None


async def test_a_turn_that_cannot_be_stored_says_so_and_stays_in_its_journal(
    bench: Callable[..., Any],
    events_of: Callable[..., Any],
    database: Any,
    journals: Any,
    tmp_path: Path,
) -> None:
    one = await bench(ContentDelta("Four."), None, Finished("stop"))
    run = one.start()
    await database.close()
    one.server.go_on.set()
    events = await events_of(run)
    assert [notice["code"] for notice in events[-2]["notices"]] == ["not_kept"]
    await database.open()
    journals.close()  # as the end of its process would
    later = Journals(tmp_path / "journal")
    later.open()
    assert await recover(later, one.services.store, one.services.checker) == 1
    later.close()
    assert (await one.last_turn()).turn.content == "Four."
    journals.open()


async def test_a_turn_found_late_does_not_hide_what_was_said_since(
    bench: Callable[..., Any], events_of: Callable[..., Any], database: Any, tmp_path: Path
) -> None:
    one = await bench(ContentDelta("Four."), None, Finished("stop"))
    run = one.start()
    await database.close()
    one.server.go_on.set()
    await events_of(run)
    await database.open()
    await one.services.store.add("owner", "chat-one", UserEntry("m2", "Are you there?"), "m1")
    one.services.journals.close()  # as the end of its process would
    later = Journals(tmp_path / "journal")
    later.open()
    assert await recover(later, one.services.store, one.services.checker) == 1
    later.close()
    page = await one.services.store.page("owner", "chat-one")
    assert [node.entry.id for node in page.nodes] == ["m1", "m2"]
    assert page.nodes[1].versions == ("m2", run.turn_id)
    one.services.journals.open()


async def test_only_one_thing_at_a_time_changes_a_chat(bench: Callable[..., Any]) -> None:
    one = await bench(ContentDelta("Four."), None, Finished("stop"))
    runs = one.services.runs
    with runs.reserve("owner", "chat-one"):
        with pytest.raises(ChatBusy), runs.reserve("owner", "chat-one"):
            pytest.fail("two at a time")
        with runs.reserve("other", "chat-one"):
            run = one.start()
    with pytest.raises(ChatBusy), runs.reserve("owner", "chat-one"):
        pytest.fail("a run goes on")
    one.server.go_on.set()
    await run.wait()
    with runs.reserve("owner", "chat-one"):
        assert runs.find("owner", run.id) is run
    assert runs.find("other", run.id) is None


async def test_the_wire_that_is_kept_is_that_of_the_last_try(
    bench: Callable[..., Any], events_of: Callable[..., Any]
) -> None:
    one = await bench(
        b"data: half of an ev",
        Waiting("retry", 2, 0.0, "The connection broke."),
        b"data: whole\n\n",
        ContentDelta("Four."),
        Finished("stop"),
    )
    run = one.start()
    await events_of(run)
    (exchange,) = await one.services.store.exchanges("owner", "chat-one", run.turn_id)
    assert [read.data for read in exchange.reads] == [b"data: whole\n\n"]


async def test_an_answer_that_was_recovered_is_checked_by_its_schema(
    bench: Callable[..., Any],
    events_of: Callable[..., Any],
    database: Any,
    journals: Any,
    tmp_path: Path,
) -> None:
    one = await bench(ContentDelta('{"city": 5}'), None, Finished("stop"))
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    run = one.start(Options(model="glm", response_schema=schema))
    await database.close()
    one.server.go_on.set()
    (end,) = [event for event in await events_of(run) if event["type"] == "turn_end"]
    await database.open()
    journals.close()  # as the end of its process would
    later = Journals(tmp_path / "journal")
    later.open()
    assert await recover(later, one.services.store, one.services.checker) == 1
    later.close()
    found = (await one.last_turn()).answer_check
    assert found is not None
    assert (found.parsed, [problem.path for problem in found.problems]) == (True, ["$.city"])
    assert end["answer_check"]["problems"][0]["path"] == "$.city"
    journals.open()
