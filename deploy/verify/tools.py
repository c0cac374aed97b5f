"""Checks of tool calls, by each way to ask for them. Arguments are held against the schemas."""

from __future__ import annotations

from typing import Any, Final

from app.chat.messages import Message, Reasoning, Text, ToolCall, ToolResult
from app.chat.turn import Turn
from app.tools.arguments import ArgumentChecker, read_arguments
from deploy.verify.check import Topic
from deploy.verify.outcomes import hold
from deploy.verify.subject import Subject
from deploy.verify.wire import quoted

topic = Topic()

TOOLS: Final[tuple[dict[str, Any], ...]] = (
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "Weather for a city",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
                "required": ["city"],
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "list_notes",
            "description": "List notes",
            "parameters": {"type": "object", "properties": {}},
        },
    },
    {
        "type": "function",
        "function": {
            "name": "write_file",
            "description": "Write a file",
            "parameters": {
                "type": "object",
                "properties": {
                    "path": {"type": "string"},
                    "lines": {"type": "array", "items": {"type": "string"}},
                    "opts": {"type": "object"},
                    "ratio": {"type": "number"},
                    "dry": {"type": "boolean"},
                    "body": {"type": "string"},
                },
                "required": ["path", "lines", "opts", "ratio", "dry", "body"],
            },
        },
    },
)

_MAX_TOKENS: Final = 2000
_COST: Final = _MAX_TOKENS + 400
_MARKUP: Final = "<tool_call>"
_KINDS: Final = {
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    list: "array",
    dict: "object",
    type(None): "null",
}
_CHOSEN_TRIES: Final = 2
"""How often the model is asked where it is free not to call."""


@topic.check("tool_auto", "the model calls a tool of itself", tokens=_COST, tries=_CHOSEN_TRIES)
async def tool_auto(subject: Subject) -> str | None:
    """`--enable-auto-tool-choice` and `--tool-call-parser glm47`, streamed."""
    turn = await _asked(subject, "What is the weather in Oslo for the next 3 days? Use a tool.")
    _hold_calls(turn, finish=("tool_calls",))
    return _told(turn)


@topic.check("tool_required", "tool_choice required brings a call", tokens=_COST)
async def tool_required(subject: Subject) -> str | None:
    """In one piece, and to a message that asks for no tool."""
    turn = await _asked(subject, "Say hello.", tool_choice="required", stream=False)
    _hold_calls(turn, finish=("tool_calls",))
    return _told(turn)


@topic.check("tool_named", "a named tool_choice brings a call of that tool", tokens=_COST)
async def tool_named(subject: Subject) -> str | None:
    """vLLM finishes it with `stop`, as OpenAI does."""
    choice = {"type": "function", "function": {"name": "get_weather"}}
    turn = await _asked(subject, "List my notes; I live in Oslo.", tool_choice=choice)
    _hold_calls(turn, finish=("stop", "tool_calls"))
    others = [call.name for call in turn.tool_calls if call.name != "get_weather"]
    hold(not others, f"{', '.join(others)} was called as well or instead")
    return f"{_told(turn)}, finish_reason {turn.finish_reason}"


@topic.check("tool_parallel", "one answer brings several calls", tokens=_COST, tries=_CHOSEN_TRIES)
async def tool_parallel(subject: Subject) -> str | None:
    """`parallel_tool_calls`, which is on by default."""
    turn = await _asked(
        subject, "Get the weather in Oslo for 3 days and list the notes, both in one step."
    )
    _hold_calls(turn, finish=("tool_calls",))
    hold(len(turn.tool_calls) > 1, f"one call came: {_told(turn)}")
    return _told(turn)


@topic.check(
    "tool_no_arguments",
    "a call without arguments has {{}} for them",
    tokens=_COST,
    tries=_CHOSEN_TRIES,
)
async def tool_no_arguments(subject: Subject) -> str | None:
    """Streamed, it is a single delta."""
    turn = await _asked(subject, "List the notes, by the tool.")
    _hold_calls(turn, finish=("tool_calls",))
    call = turn.tool_calls[0]
    hold(call.name == "list_notes", f"{call.name} was called")
    hold(call.arguments == "{}", f"its arguments are {quoted(call.arguments) or 'empty'}")
    return None


@topic.check(
    "tool_types",
    "arguments have the types of the schema",
    tokens=_COST,
    tries=_CHOSEN_TRIES,
)
async def tool_types(subject: Subject) -> str | None:
    """The parser makes them from text: string, list, object, number, boolean."""
    turn = await _asked(
        subject,
        'Call write_file: path "notes/a.txt", lines ["one", "two"], opts {"force": true}, '
        'ratio 0.5, dry false, body "Hello".',
    )
    _hold_calls(turn, finish=("tool_calls",))
    call = turn.tool_calls[0]
    hold(call.name == "write_file", f"{call.name} was called")
    return ", ".join(
        f"{key} {_KINDS[type(value)]}" for key, value in read_arguments(call.arguments).items()
    )


@topic.check("tool_result", "a tool's result is taken, and answered", tokens=_COST)
async def tool_result(subject: Subject) -> str | None:
    """The next step of a tool loop: thought, call and result go back."""
    call = ToolCall("call-1", "get_weather", '{"city": "Oslo", "days": 1}')
    messages = (
        _user("What is the weather in Oslo tomorrow?"),
        Message("assistant", (Reasoning("The tool knows."), call)),
        Message("tool", (ToolResult(call.id, '{"sky": "clear", "celsius": 4}'),)),
    )
    turn = await subject.turn(messages, max_tokens=_MAX_TOKENS, tools=TOOLS)
    hold(turn.content or turn.tool_calls, f"no answer, finish_reason {turn.finish_reason}")
    return None


async def _asked(subject: Subject, text: str, **options: Any) -> Turn:
    return await subject.turn([_user(text)], max_tokens=_MAX_TOKENS, tools=TOOLS, **options)


def _user(text: str) -> Message:
    return Message("user", (Text(text),))


def _hold_calls(turn: Turn, *, finish: tuple[str, ...]) -> None:
    """There are calls, each declared, told apart by its id, and as its schema wants it."""
    for name, text in (("answer", turn.content), ("thought", turn.reasoning)):
        hold(_MARKUP not in text, f"the {name} holds {_MARKUP}, which no parser took")
    hold(turn.tool_calls, f"no call, finish_reason {turn.finish_reason}: {quoted(turn.content)}")
    checker = ArgumentChecker(TOOLS)
    for call in turn.tool_calls:
        hold(checker.declared(call.name), f"a call of {call.name or 'no tool'}, not declared")
        problems = checker.problems(call.name, call.arguments)
        told = "; ".join(f"{problem.path} {problem.message}" for problem in problems)
        hold(not problems, f"{call.name}({quoted(call.arguments)}): {told}")
    ids = [call.id for call in turn.tool_calls]
    hold(all(ids) and len(set(ids)) == len(ids), f"the ids of the calls are {ids}")
    hold(turn.finish_reason in finish, f"finish_reason {turn.finish_reason}, and {_told(turn)}")


def _told(turn: Turn) -> str:
    return ", ".join(f"{call.name}({quoted(call.arguments)})" for call in turn.tool_calls)
