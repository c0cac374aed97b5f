from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from app.chat.events import (
    ContentDelta,
    ContentWasReasoning,
    Event,
    Failed,
    Finished,
    ReasoningDelta,
    ToolCallDelta,
)
from app.chat.history import Repair
from app.chat.notice_texts import Sentence
from app.chat.notices import Notice, Problem, notices
from app.chat.turn import TurnBuilder

CALL = ToolCallDelta(0, "t", "get_weather", "{}")
CUT_CALL = ToolCallDelta(0, "t", "get_weather", '{"a')
MARKUP = "<tool_call>get_weather<arg_key>location</arg_key><arg_value>Paris</arg_value></tool_call>"


class Weather:
    """Knows one tool, and that its arguments are JSON."""

    def declared(self, name: str) -> bool:
        return name == "get_weather"

    def problems(self, name: str, arguments: str) -> Sequence[Problem]:
        try:
            json.loads(arguments or "{}")
        except ValueError:
            return (Problem("$", "is not JSON"),)
        return ()


def told(*events: Event, stopped: bool = False, repairs: Sequence[Repair] = ()) -> list[Notice]:
    builder = TurnBuilder()
    for event in events:
        builder.add(event)
    if stopped:
        builder.stop()
    return list(notices(builder.turn(), Weather(), repairs))


def sentences_of(notice: Notice) -> tuple[Sentence, ...]:
    """What its message is made from."""
    return (Sentence(notice.key, notice.values), *notice.more)


ANSWER, THOUGHT = ContentDelta("Four."), ReasoningDelta("hm")


@pytest.mark.parametrize(
    ("events", "codes"),
    [
        ([THOUGHT, ANSWER, Finished("stop")], []),
        ([THOUGHT, CALL, Finished("tool_calls")], []),
        ([CALL, Finished("stop")], []),
        ([Failed("server_error", 400, "no")], ["server_error"]),
        ([ANSWER, Failed("server_error", 503, "no")], ["server_error"]),
        ([ANSWER, Finished("stop"), Failed("server_error", 503, "no")], ["server_error"]),
        ([Failed("unreachable", None, "No connection.")], ["unreachable"]),
        ([Failed("timed_out", None, "Nothing came.")], ["timed_out"]),
        ([Failed("too_large", None, "The request takes 120.0 MB.")], ["too_large"]),
        ([ANSWER, Failed("cut_short", None, "reset")], ["cut_short"]),
        ([ANSWER], ["cut_short"]),
        ([THOUGHT], ["cut_short"]),
        ([], ["empty_reply"]),
        ([Failed("cut_short", None, "reset")], ["empty_reply"]),
        ([Finished("stop")], ["empty_reply"]),
        ([ContentDelta("\n"), Finished("stop")], ["empty_reply"]),
        ([Finished("tool_calls")], ["empty_reply", "missing_tool_call"]),
        ([ANSWER, Finished("abort")], ["ended_by_server"]),
        ([ANSWER, Finished("repetition")], ["ended_by_server"]),
        ([ANSWER, Finished("content_filter")], ["ended_by_server"]),
        ([ANSWER, Finished("something_new")], ["ended_by_server"]),
        ([ANSWER, Finished("length")], ["token_limit"]),
        ([THOUGHT, Finished("length")], ["only_reasoning"]),
        ([THOUGHT, ContentDelta("\n"), Finished("length")], ["only_reasoning"]),
        ([THOUGHT, Finished("stop")], ["only_reasoning"]),
        ([THOUGHT, Finished("stop", "END")], ["only_reasoning"]),
        ([THOUGHT, Finished("tool_calls")], ["missing_tool_call"]),
        ([ReasoningDelta(MARKUP), Finished("stop")], ["tool_text_in_reasoning"]),
        ([ReasoningDelta(MARKUP), ANSWER, Finished("stop")], ["tool_text_in_reasoning"]),
        ([ContentDelta(MARKUP), Finished("stop")], ["tool_text_in_answer"]),
        ([ContentDelta("`<tool_call>` opens a call"), Finished("stop")], []),
        ([ContentDelta(f"```\n{MARKUP}\n```"), Finished("stop")], []),
        ([ANSWER, ContentWasReasoning(5), ANSWER, Finished("stop")], ["thought_in_answer"]),
        ([ToolCallDelta(0, "t", "other", "{}"), Finished("tool_calls")], ["unknown_tool"]),
        ([ToolCallDelta(0, "t", "", "{}"), Finished("tool_calls")], ["unknown_tool"]),
        ([CUT_CALL, Finished("tool_calls")], ["invalid_arguments"]),
        ([CUT_CALL, Finished("length")], ["token_limit", "invalid_arguments"]),
    ],
)
def test_each_ending_has_its_notice(events: list[Event], codes: list[str]) -> None:
    found = told(*events)
    assert [notice.code for notice in found] == codes
    for notice in found:
        assert notice.message == " ".join(map(str, sentences_of(notice)))
        assert notice.remedy.endswith(".")


@pytest.mark.parametrize("events", [[], [ANSWER]])
def test_a_stopped_turn_says_only_that(events: list[Event]) -> None:
    assert [notice.code for notice in told(*events, stopped=True)] == ["stopped"]


def test_a_stop_after_the_end_changes_nothing() -> None:
    assert told(ANSWER, Finished("stop"), stopped=True) == []


def test_the_servers_own_words_are_whole() -> None:
    words = "At most 1 image(s) may be provided in one prompt. Set `--limit-mm-per-prompt`."
    (notice,) = told(Failed("server_error", 400, words))
    assert words in notice.message


@pytest.mark.parametrize(
    ("finished", "remedy"),
    [
        (Finished("length"), "lower effort"),
        (Finished("stop", "END"), "stop string"),
        (Finished("stop", 154829), "Retry"),
    ],
)
def test_the_remedy_for_thought_alone_depends_on_the_ending(
    finished: Finished, remedy: str
) -> None:
    (notice,) = told(THOUGHT, finished)
    assert remedy in notice.remedy


def test_calls_past_the_cap_are_dropped_and_said() -> None:
    calls = [ToolCallDelta(at, f"t{at}", "get_weather", "{}") for at in range(40)]
    builder = TurnBuilder()
    for event in (*calls, Finished("tool_calls")):
        builder.add(event)
    turn = builder.turn()
    assert len(turn.tool_calls) == 32
    (notice,) = notices(turn, Weather())
    assert notice.code == "too_many_calls"
    assert "40" in notice.message


def test_repairs_of_a_kind_share_one_notice() -> None:
    repairs = [
        Repair("history_repaired", "One."),
        Repair("media_replaced", "Two."),
        Repair("history_repaired", "Three."),
    ]
    found = told(ANSWER, Finished("stop"), repairs=repairs)
    assert [(n.code, n.message) for n in found] == [
        ("history_repaired", "One. Three."),
        ("media_replaced", "Two."),
    ]


def test_repairs_of_a_kind_keep_each_its_key_and_values() -> None:
    repairs = [
        Repair.of("history_repaired", "call_ids"),
        Repair.of("history_repaired", "empty_message", role="user"),
        Repair.of("history_repaired", "call_ids"),
    ]
    (notice,) = told(ANSWER, Finished("stop"), repairs=repairs)
    assert sentences_of(notice) == (
        Sentence("history_repaired.call_ids"),
        Sentence("history_repaired.empty_message", {"role": "user"}),
    )
    assert notice.message == (
        "Calls without an id of their own were given one. An empty user message was left out."
    )


def test_what_the_server_said_is_a_value_and_its_braces_are_no_placeholders() -> None:
    (notice,) = told(ANSWER, Failed("server_error", 500, "Bad {status} {}."))
    assert notice.values == {"status": "500", "message": "Bad {status} {}."}
    assert notice.message == ("The server answered 500: Bad {status} {}. What came before is kept.")


@pytest.mark.parametrize(
    ("told_of", "words"),
    [
        (told(ANSWER), "Continue it"),
        (told(ANSWER, stopped=True), "Continue it"),
        (told(ANSWER, Finished("length")), "Continue it"),
        (told(stopped=True), "Retry for a whole answer."),
    ],
)
def test_the_remedy_of_a_cut_answer_is_to_continue_it(told_of: list[Notice], words: str) -> None:
    (notice,) = told_of
    assert words in notice.remedy


def clocked(*steps: tuple[float, Any]) -> Any:
    """A turn whose events come at the seconds given."""
    times = iter([0.0])
    now = 0.0

    def clock() -> float:
        return next(times, now)

    builder = TurnBuilder(clock)
    for at, event in steps:
        now = at
        builder.add(event)
    return builder.turn()


def test_thinking_and_answering_are_timed_apart() -> None:
    turn = clocked((1.0, THOUGHT), (2.0, THOUGHT), (4.0, ANSWER), (5.0, Finished("stop")))
    timings = turn.timings
    assert (timings.first_reasoning_s, timings.first_content_s) == (1.0, 4.0)
    assert timings.first_token_s == 1.0
    assert timings.part_seconds == (3.0, 1.0)
    assert timings.total_s == 5.0


def test_a_thought_split_off_late_counts_as_thinking() -> None:
    turn = clocked(
        (1.0, ANSWER), (2.0, ContentWasReasoning(5)), (3.0, ANSWER), (4.0, Finished("stop"))
    )
    assert (turn.timings.first_reasoning_s, turn.timings.first_content_s) == (1.0, 3.0)
    assert turn.reasoning == turn.content == "Four."
