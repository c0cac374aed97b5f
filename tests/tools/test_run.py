from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

import pytest

from app.chat import request
from app.chat.events import (
    ContentDelta,
    Event,
    Failed,
    Finished,
    ReasoningDelta,
    Started,
    ToolCallDelta,
)
from app.chat.messages import Conversation, Message, Reasoning, Text, ToolCall, ToolResult
from app.chat.request import Options, Request
from app.tools.arguments import ArgumentChecker
from app.tools.mocks import Answer, Mocks, read_mocks
from app.tools.run import AnsweredCall, StepEnded, StepEvent, ToolRun

TOOLS = (
    {"type": "function", "function": {"name": "add", "parameters": {"required": ["a"]}}},
    {"type": "function", "function": {"name": "now"}},
)
RULES = [
    {"tool": "add", "when": {"a": 1}, "result": {"sum": 3}},
    {"tool": "add", "when": {"a": 2}, "error": "overflow"},
    {"tool": "now", "result": "noon"},
]
ADD_1 = ToolCall("c1", "add", '{"a": 1}')
ADD_2 = ToolCall("c2", "add", '{"a": 2}')
NOW = ToolCall("c3", "now", "")


def calling(*calls: ToolCall, finish: str = "tool_calls") -> list[Event]:
    deltas = (
        ToolCallDelta(at, call.id, call.name, call.arguments) for at, call in enumerate(calls)
    )
    return [Started(200), ReasoningDelta("Hm."), *deltas, Finished(finish)]


def saying(text: str) -> list[Event]:
    return [Started(200), ContentDelta(text), Finished("stop")]


class Server:
    """A model server that says what it is told to, a script a turn; the last one again and again.

    A script may end in an event to wait for, which is set by nobody: the server is silent then.
    """

    def __init__(self, *scripts: Sequence[Event]) -> None:
        self._scripts = list(scripts)
        self.bodies: list[dict[str, Any]] = []
        self.hung_up = 0

    async def stream(self, asked: Request) -> AsyncGenerator[Event, None]:
        script = self._scripts[min(len(self.bodies), len(self._scripts) - 1)]
        self.bodies.append(asked.body)
        try:
            for event in script:
                yield event
            if not isinstance(script[-1], Finished | Failed):
                await asyncio.Event().wait()
        except (GeneratorExit, asyncio.CancelledError):
            self.hung_up += 1
            raise


def tool_run(
    server: Server, rules: list[dict[str, Any]] | None = None, max_steps: int = 8
) -> ToolRun:
    options = Options(model="glm", tools=TOOLS)
    return ToolRun(
        Conversation((Message("user", (Text("Add."),)),)),
        build=lambda conversation: request.build(conversation, options, lambda media: media.hash),
        stream=server.stream,
        checker=ArgumentChecker(TOOLS),
        mocks=Mocks(read_mocks(RULES if rules is None else rules)),
        max_steps=max_steps,
        clock=lambda: 0.0,
    )


async def finished(run: ToolRun) -> ToolRun:
    async for _ in run.events():
        pass
    return run


async def test_calls_are_answered_until_a_turn_has_none() -> None:
    server = Server(calling(ADD_1), calling(NOW), saying("Three."))
    run = await finished(tool_run(server))
    assert run.ending == "answered"
    assert [step.number for step in run.steps] == [1, 2, 3]
    assert run.steps[0].calls == (AnsweredCall(ADD_1, Answer('{"sum":3}', "rule 1")),)
    assert run.steps[1].calls == (AnsweredCall(NOW, Answer("noon", "rule 3")),)
    assert run.steps[2].turn.content == "Three."
    assert run.conversation.messages[1:] == (
        Message("assistant", (Reasoning("Hm."), ADD_1)),
        Message("tool", (ToolResult("c1", '{"sum":3}'),)),
        Message("assistant", (Reasoning("Hm."), NOW)),
        Message("tool", (ToolResult("c3", "noon"),)),
        Message("assistant", (Text("Three."),)),
    )


async def test_each_request_carries_the_steps_before_with_their_reasoning() -> None:
    server = Server(calling(ADD_2, ADD_1), saying("Done."))
    run = await finished(tool_run(server))
    assert run.steps[1].request.body is server.bodies[1]
    _, assistant, *results = server.bodies[1]["messages"]
    assert assistant["reasoning"] == "Hm."
    assert [call["id"] for call in assistant["tool_calls"]] == ["c2", "c1"]
    assert results == [
        {"role": "tool", "tool_call_id": "c2", "content": '{"error":"overflow"}'},
        {"role": "tool", "tool_call_id": "c1", "content": '{"sum":3}'},
    ]


async def test_calls_that_share_an_id_get_a_result_each() -> None:
    server = Server(calling(ADD_1, ToolCall("c1", "now", "{}")), saying("Done."))
    await finished(tool_run(server))
    _, assistant, *results = server.bodies[1]["messages"]
    ids = [call["id"] for call in assistant["tool_calls"]]
    assert len(set(ids)) == 2
    assert [(each["tool_call_id"], each["content"]) for each in results] == [
        (ids[0], '{"sum":3}'),
        (ids[1], "noon"),
    ]


async def test_events_come_as_they_happen_and_a_step_ends_before_the_next() -> None:
    first, second = calling(NOW), saying("Noon.")
    run = tool_run(Server(first, second))
    seen = [event async for event in run.events()]
    assert seen == [
        *(StepEvent(1, event) for event in first),
        StepEnded(run.steps[0]),
        *(StepEvent(2, event) for event in second),
        StepEnded(run.steps[1]),
    ]


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (ToolCall("c", "subtract", "{}"), "unknown"),
        (ToolCall("c", "", "{}"), "unknown"),
        (ToolCall("c", "add", '{"a": 1'), "malformed"),
        (ToolCall("c", "add", "{}"), "malformed"),
        (ToolCall("c", "add", "[]"), "malformed"),
        (ToolCall("c", "add", '{"a": 9}'), "by hand"),
    ],
)
async def test_a_call_without_an_answer_stops_the_run(call: ToolCall, why: str) -> None:
    server = Server(calling(NOW, call))
    run = await finished(tool_run(server))
    assert run.ending == "unanswered"
    assert len(server.bodies) == 1
    answered, left = run.steps[0].calls
    assert answered.answer == Answer("noon", "rule 3")
    assert (left.call, left.answer, left.unanswered) == (call, None, why)
    assert run.conversation.messages[-1].role == "assistant"


async def test_a_rule_for_any_tool_does_not_answer_an_unknown_or_malformed_call() -> None:
    rules = [{"tool": "*", "result": 1}]
    for call in (ToolCall("c", "subtract", "{}"), ToolCall("c", "add", "{}")):
        run = await finished(tool_run(Server(calling(call)), rules))
        assert run.ending == "unanswered"


@pytest.mark.parametrize("finish", ["length", "abort", "repetition", "content_filter"])
async def test_a_call_that_may_be_cut_is_not_answered(finish: str) -> None:
    run = await finished(tool_run(Server(calling(NOW, finish=finish))))
    assert run.ending == "unanswered"
    assert run.steps[0].calls == (AnsweredCall(NOW, unanswered="cut"),)


async def test_a_named_choice_that_finishes_with_stop_is_answered() -> None:
    run = await finished(tool_run(Server(calling(NOW, finish="stop"), saying("Noon."))))
    assert run.ending == "answered"


async def test_a_turn_that_breaks_off_ends_the_run() -> None:
    broken = [*calling(NOW)[:-1], Failed("cut_short", None, "The connection broke.")]
    run = await finished(tool_run(Server(calling(ADD_1), broken)))
    assert run.ending == "incomplete"
    assert run.steps[1].calls == (AnsweredCall(NOW, unanswered="cut"),)


async def test_a_turn_that_brought_nothing_is_no_part_of_the_conversation() -> None:
    run = await finished(tool_run(Server([Failed("unreachable", None, "No connection.")])))
    assert run.ending == "incomplete"
    assert [message.role for message in run.conversation.messages] == ["user"]


async def test_the_step_limit_ends_the_run_ready_to_go_on() -> None:
    server = Server(calling(NOW))
    run = await finished(tool_run(server, max_steps=3))
    assert run.ending == "step_limit"
    assert len(server.bodies) == len(run.steps) == 3
    assert run.conversation.messages[-1] == Message("tool", (ToolResult("c3", "noon"),))


async def test_the_slowest_of_parallel_calls_is_waited_for() -> None:
    rules = [
        {"tool": "add", "result": 1, "delay_s": 0.002},
        {"tool": "now", "result": 2, "delay_s": 0.001},
    ]
    run = await finished(tool_run(Server(calling(ADD_1, NOW), saying("Done.")), rules))
    assert run.ending == "answered"
    assert [step.wait_s for step in run.steps] == [0.002, 0.0]


async def test_closing_in_the_middle_of_a_turn_hangs_up_and_keeps_what_came() -> None:
    server = Server(calling(ADD_1), [Started(200), ReasoningDelta("Well"), ContentDelta("…")])
    run = tool_run(server)
    async with aclosing(run.events()) as events:
        async for event in events:
            if event == StepEvent(2, ReasoningDelta("Well")):
                break
    assert server.hung_up == 1
    assert run.ending is None
    assert len(run.steps) == 2
    assert run.steps[1].turn.stopped
    assert run.steps[1].turn.reasoning == "Well"


async def test_cancelling_a_silent_turn_hangs_up_and_keeps_what_came() -> None:
    server = Server([Started(200), ReasoningDelta("Well")])
    run = tool_run(server)
    came = asyncio.Event()

    async def listen() -> None:
        async for event in run.events():
            if event == StepEvent(1, ReasoningDelta("Well")):
                came.set()

    task = asyncio.create_task(listen())
    await came.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert server.hung_up == 1
    assert run.steps[0].turn.stopped


async def test_a_wait_for_an_answer_can_be_cancelled() -> None:
    server = Server(calling(NOW))
    run = tool_run(server, [{"tool": "now", "result": 1, "delay_s": 600}])
    ended = asyncio.Event()

    async def listen() -> None:
        async for event in run.events():
            if isinstance(event, StepEnded):
                ended.set()

    task = asyncio.create_task(listen())
    await ended.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(server.bodies) == 1
    assert run.conversation.messages[-1].role == "assistant"


async def test_arguments_go_back_as_they_came() -> None:
    call = ToolCall("c1", "add", '{ "a":1.0 }')
    server = Server(calling(call), saying("Done."))
    await finished(tool_run(server))
    sent = server.bodies[1]["messages"][1]["tool_calls"][0]["function"]["arguments"]
    assert sent == call.arguments
    assert json.loads(sent) == {"a": 1}
