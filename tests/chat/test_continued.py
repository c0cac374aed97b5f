from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.chat.events import Failed
from app.chat.messages import Conversation, Message, Reasoning, Text, ToolCall
from app.chat.request import Options, build
from app.chat.turn import Timings, Turn, continued

CUT = Turn(
    parts=(Reasoning("hm"), Text("One, two, \n")),
    usage={"prompt_tokens": 10, "completion_tokens": 6},
    timings=Timings(first_reasoning_s=0.5, total_s=3.0, part_seconds=(1.0, 1.5)),
)


def test_the_answer_goes_on_in_the_part_where_it_was_cut() -> None:
    more = Turn(
        parts=(Text(" three."), ToolCall("a", "f", "{}")),
        finish_reason="stop",
        usage={"prompt_tokens": 16, "completion_tokens": 4},
        timings=Timings(first_content_s=0.1, total_s=1.0, part_seconds=(0.4, 0.2)),
    )
    whole = continued(CUT, more)
    assert whole.parts == (Reasoning("hm"), Text("One, two, three."), ToolCall("a", "f", "{}"))
    assert whole.timings.part_seconds == pytest.approx((1.0, 1.9, 0.2))
    assert (whole.timings.first_token_s, whole.timings.total_s) == (0.5, 4.0)
    assert whole.complete
    assert whole.usage is not None
    assert (whole.usage["prompt_tokens"], whole.usage["completion_tokens"]) == (10, 10)


def test_of_a_cut_turn_without_a_count_the_continuation_counts_both() -> None:
    more = Turn(
        parts=(Text("three"),),
        usage={"prompt_tokens": 16, "completion_tokens": 4},
        timings=Timings(part_seconds=(1.0,)),
    )
    assert continued(replace(CUT, usage=None), more).usage == more.usage


@pytest.mark.parametrize("usage", [None, {"completion_tokens": "many"}])
def test_without_a_count_of_the_continuation_there_is_none(usage: Any) -> None:
    more = Turn(parts=(Text("three"),), usage=usage, timings=Timings(part_seconds=(1.0,)))
    assert continued(CUT, more).usage is None


def test_a_continuation_that_brings_nothing_loses_nothing() -> None:
    failed = Failed("unreachable", None, "No connection.")
    whole = continued(CUT, Turn(failure=failed))
    assert whole.parts == CUT.parts
    assert whole.usage == CUT.usage
    assert whole.failure == failed
    assert len(whole.timings.part_seconds) == len(whole.parts)


def test_an_answer_under_the_label_of_thought_is_taken_for_the_answer() -> None:
    more = Turn(
        parts=(Reasoning("three."),),
        finish_reason="stop",
        timings=Timings(part_seconds=(1.0,)),
    )
    assert continued(CUT, more).content == "One, two,three."


def test_a_thought_that_was_cut_is_followed_by_the_answer() -> None:
    cut = Turn(parts=(Reasoning("hm"),), timings=Timings(part_seconds=(1.0,)))
    more = Turn(parts=(Text("One."),), timings=Timings(part_seconds=(1.0,)))
    whole = continued(cut, more)
    assert whole.parts == (Reasoning("hm"), Text("One."))
    assert whole.timings.part_seconds == (1.0, 1.0)


def test_the_request_asks_to_go_on_with_what_the_template_keeps_of_the_last_message() -> None:
    said = Conversation((Message("user", (Text("Count"),)), CUT.message()))
    body = build(said, Options(model="glm", continue_last=True), lambda _: "").body
    assert body["continue_final_message"] is True
    assert body["add_generation_prompt"] is False
    assert body["messages"][-1] == {
        "role": "assistant",
        "content": "One, two,",
        "reasoning": "hm",
    }


def test_without_it_neither_key_is_sent() -> None:
    said = Conversation((Message("user", (Text("Count"),)),))
    body = build(said, Options(model="glm"), lambda _: "").body
    assert not {"continue_final_message", "add_generation_prompt"} & body.keys()
