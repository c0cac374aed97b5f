"""Calls that wait for an answer: which they are, by what name, and what could answer them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.chat.entries import ResultsEntry, TurnEntry, UserEntry, conversation_of
from app.chat.messages import ToolCall
from app.chat.request import Options, build
from app.chat.turn import Timings, Turn
from app.tools.arguments import ArgumentChecker
from app.tools.mocks import Answer, Mocks, read_mocks
from app.turns.ended import EDITED, ended_turn, estimated_tokens, repaired_turn
from app.turns.pending import answered_by_rules, cancelled, given_by_rules, pending_calls

TOOLS = (
    {"type": "function", "function": {"name": "look", "parameters": {"required": ["at"]}}},
    {"type": "function", "function": {"name": "wait"}},
)
CHECKER = ArgumentChecker(TOOLS)
ANY = Mocks(read_mocks([{"tool": "*", "result": "ok", "delay_s": 2}]))


def entry_of(*calls: ToolCall, finish_reason: str | None = "tool_calls") -> TurnEntry:
    seconds = Timings(part_seconds=(0.0,) * len(calls))
    turn = Turn(calls, finish_reason, timings=seconds)
    return ended_turn("t", turn, estimated_tokens(turn), checker=CHECKER)


@pytest.mark.parametrize(
    ("call", "finish_reason", "why"),
    [
        (ToolCall("c", "look", '{"at": 1}'), "tool_calls", "by hand"),
        (ToolCall("c", "wait", ""), "stop", "by hand"),
        (ToolCall("c", "wait", ""), EDITED, "by hand"),
        (ToolCall("c", "guess", "{}"), "tool_calls", "unknown"),
        (ToolCall("c", "", "{}"), "tool_calls", "unknown"),
        (ToolCall("c", "look", "{}"), "tool_calls", "malformed"),
        (ToolCall("c", "look", '{"at": '), "length", "malformed"),
        (ToolCall("c", "look", '{"at": 1}'), "length", "cut"),
        (ToolCall("c", "look", '{"at": 1}'), None, "cut"),
    ],
)
def test_only_a_whole_call_of_a_declared_tool_is_answered_by_a_rule(
    call: ToolCall, finish_reason: str | None, why: str
) -> None:
    (pending,) = pending_calls(entry_of(call, finish_reason=finish_reason), ANY)
    assert pending.why == why
    assert (pending.answer is None) is (why != "by hand")
    assert (answered_by_rules([pending]) is None) is (why != "by hand")


def test_one_call_without_a_rule_keeps_the_others_from_going_on() -> None:
    rules = Mocks(read_mocks([{"tool": "wait", "result": 1}, {"tool": "*", "ask": True}]))
    entry = entry_of(ToolCall("a", "wait", ""), ToolCall("b", "look", '{"at": 1}'))
    pending = pending_calls(entry, rules)
    assert pending[0].answer == Answer("1", "rule 1")
    assert answered_by_rules(pending) is None
    assert answered_by_rules(()) is None


def test_a_sample_is_suggested_where_no_rule_answers_and_is_no_answer() -> None:
    rules = Mocks((), {"wait": {"const": {"done": True}}, "look": False})
    wait, look = pending_calls(
        entry_of(ToolCall("a", "wait", ""), ToolCall("b", "look", '{"at": 1}')), rules
    )
    assert wait.suggestion == Answer('{"done":true}', "generated")
    assert wait.answer is None
    assert look.suggestion is None


def test_each_call_has_a_name_of_its_own_and_its_result_finds_it() -> None:
    calls = [ToolCall(name, "wait", "") for name in ("x", "x", "", "call-1")]
    pending = pending_calls(entry_of(*calls), ANY)
    assert [call.id for call in pending] == ["x", "call-1-again", "call-2", "call-1"]
    answers = [Answer(str(at), "hand") for at in range(4)]
    results = ResultsEntry("r", given_by_rules(pending, answers))
    entries = [UserEntry("m", "Go"), entry_of(*calls), results]
    request = build(conversation_of(entries), Options("glm", tools=TOOLS), str)
    sent = request.body["messages"]
    assert [m["content"] for m in sent if m["role"] == "tool"] == ["0", "1", "2", "3"]
    ids = [m["tool_call_id"] for m in sent if m["role"] == "tool"]
    assert ids == [call["id"] for call in sent[1]["tool_calls"]]


def test_nothing_waits_but_behind_a_turn_with_calls() -> None:
    calls = entry_of(ToolCall("a", "wait", ""))
    results = cancelled("r", pending_calls(calls, ANY))
    for entry in (None, UserEntry("m", "Hi"), entry_of(), results):
        assert pending_calls(entry, ANY) == ()


def test_mended_arguments_are_checked_and_the_turn_counts_as_whole() -> None:
    cut = entry_of(
        ToolCall("a", "wait", ""), ToolCall("b", "look", '{"at": '), finish_reason="length"
    )
    assert [call.why for call in pending_calls(cut, ANY)] == ["cut", "malformed"]
    mended = repaired_turn("t2", cut, 1, '{"at": 2}', CHECKER)
    assert [call.why for call in pending_calls(mended, ANY)] == ["by hand", "by hand"]
    assert (mended.edited, mended.notices) == (True, ())
    assert [call.arguments for call in mended.turn.tool_calls] == ["", '{"at": 2}']
    wrong = repaired_turn("t3", cut, 1, "{}", CHECKER)
    assert [call.why for call in pending_calls(wrong, ANY)] == ["by hand", "malformed"]
    assert [notice.code for notice in wrong.notices] == ["invalid_arguments"]


def test_a_check_that_took_what_cannot_be_read_answers_nothing() -> None:
    entry = entry_of(ToolCall("a", "look", '{"at": 1}'))
    odd = replace(entry, turn=Turn((ToolCall("a", "look", '{"at": 1e999}'),), "stop"))
    assert [call.why for call in pending_calls(odd, ANY)] == ["malformed"]
