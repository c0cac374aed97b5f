"""Making a history one that servers accept, in the open: each change is listed.

Nothing else is reworded, since the server's prefix cache holds only for unchanged text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, TypeAlias

from app.chat.control_tokens import break_up, holds_control_tokens
from app.chat.messages import (
    Attachment,
    Conversation,
    MediaKind,
    Message,
    Part,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
)
from app.chat.notice_texts import Sentence

RepairCode: TypeAlias = Literal["media_replaced", "history_repaired", "control_tokens"]
NOT_EXECUTED = "not executed"


@dataclass(frozen=True, slots=True)
class Repair:
    """One change made before sending (or, for control tokens, left undone).

    `message` says it in English; `sentence` is what it was made from, None where there is no key.
    """

    code: RepairCode
    message: str
    sentence: Sentence | None = None

    @classmethod
    def of(cls, code: RepairCode, case: str, **values: str) -> Self:
        """The repair whose message stands in `notice_texts` under `code` and `case`."""
        sentence = Sentence(f"{code}.{case}", values)
        return cls(code, str(sentence), sentence)


def repaired(
    conversation: Conversation, *, break_control_tokens: bool
) -> tuple[Conversation, tuple[Repair, ...]]:
    """The conversation as it can be sent, and what was changed in it.

    Calls and results pair up in call order; empty parts go; only the newest image and the
    newest video stay; control tokens in typed text and tool results are reported, and broken
    up if `break_control_tokens`.
    """
    repairs: list[Repair] = []
    messages = _without_empty_parts(conversation.messages, repairs)
    messages = _with_call_ids(messages, repairs)
    messages = _paired(messages, repairs)
    messages = _with_newest_media(messages, repairs)
    messages = _with_control_tokens(messages, repairs, break_them=break_control_tokens)
    return Conversation(tuple(messages)), tuple(repairs)


def _changed(repairs: list[Repair], what: str, **values: str) -> None:
    repairs.append(Repair.of("history_repaired", what, **values))


def _without_empty_parts(messages: Iterable[Message], repairs: list[Repair]) -> list[Message]:
    kept: list[Message] = []
    for message in messages:
        parts = tuple(part for part in message.parts if part not in (Text(""), Reasoning("")))
        if message.role == "assistant" and any(isinstance(part, Attachment) for part in parts):
            _changed(repairs, "answer_media")
            parts = tuple(part for part in parts if not isinstance(part, Attachment))
        if not parts:
            _changed(repairs, "empty_message", role=message.role)
            continue
        if message.role == "user" and len(parts) < len(message.parts):
            _changed(repairs, "empty_part")
        kept.append(replace(message, parts=parts))
    return kept


def _with_call_ids(messages: Iterable[Message], repairs: list[Repair]) -> list[Message]:
    """Gives calls without an id, or with one used twice in a message, an id of their own."""
    fixed = list(messages)
    for at, message in enumerate(fixed):
        calls = _calls(message)
        ids = [call.id for call in calls]
        if all(ids) and len(set(ids)) == len(ids):
            continue
        new_ids = _unique_ids(ids, at)
        _changed(repairs, "call_ids")
        renamed = dict(zip(range(len(calls)), new_ids, strict=True))
        fixed[at] = _rename_calls(message, renamed)
        _rename_results(fixed, at + 1, list(zip(ids, new_ids, strict=True)))
    return fixed


def _unique_ids(ids: list[str], at: int) -> list[str]:
    seen: set[str] = set()
    unique: list[str] = []
    for position, call_id in enumerate(ids):
        new = call_id if call_id and call_id not in seen else f"call-{at}-{position}"
        seen.add(new)
        unique.append(new)
    return unique


def _rename_calls(message: Message, new_ids: dict[int, str]) -> Message:
    parts: list[Part] = []
    position = 0
    for part in message.parts:
        if isinstance(part, ToolCall):
            parts.append(replace(part, id=new_ids[position]))
            position += 1
        else:
            parts.append(part)
    return replace(message, parts=tuple(parts))


def _rename_results(messages: list[Message], start: int, renamed: list[tuple[str, str]]) -> None:
    """The results that follow belong to the calls of their old id, in order."""
    for at in range(start, len(messages)):
        if messages[at].role != "tool":
            return
        parts: list[Part] = []
        for part in messages[at].parts:
            match = next((pair for pair in renamed if _call_id(part) == pair[0]), None)
            if match is not None and isinstance(part, ToolResult):
                renamed.remove(match)
                part = replace(part, call_id=match[1])
            parts.append(part)
        messages[at] = replace(messages[at], parts=tuple(parts))


def _paired(messages: list[Message], repairs: list[Repair]) -> list[Message]:
    """Each call has one result, behind its message, in call order; no other result is left."""
    results = _results_by_call(messages, repairs)
    paired: list[Message] = []
    for at, message in enumerate(messages):
        if message.role == "tool":
            continue
        calls = _calls(message)
        fixed = {call.id: _sendable_arguments(call) for call in calls}
        paired.append(_with_arguments(message, fixed))
        for call in calls:
            result = results.get((at, call.id))
            content = _result_for(call, fixed[call.id], result, repairs)
            paired.append(Message("tool", (ToolResult(call.id, content),)))
    return paired


def _results_by_call(
    messages: list[Message], repairs: list[Repair]
) -> dict[tuple[int, str], ToolResult]:
    """The result of each call, by the message that made the call; the others are listed as gone."""
    found: dict[tuple[int, str], ToolResult] = {}
    callers: dict[str, int] = {}
    since_calls: Iterable[str] = ()
    for at, message in enumerate(messages):
        calls = _calls(message)
        callers.update((call.id, at) for call in calls)
        if message.role != "tool":
            since_calls = [call.id for call in calls]
            continue
        for result in (part for part in message.parts if isinstance(part, ToolResult)):
            caller = callers.get(result.call_id)
            if caller is None:
                _changed(repairs, "no_call", call=repr(result.call_id))
            elif (caller, result.call_id) in found:
                _changed(repairs, "second_result", call=repr(result.call_id))
            else:
                found[caller, result.call_id] = result
                if result.call_id not in since_calls:
                    _changed(repairs, "moved_result", call=repr(result.call_id))
    _list_reordered(messages, found, repairs)
    return found


def _list_reordered(
    messages: list[Message], found: dict[tuple[int, str], ToolResult], repairs: list[Repair]
) -> None:
    order = {id(result): place for place, result in enumerate(found.values())}
    for at, message in enumerate(messages):
        places = [order[id(found[at, c.id])] for c in _calls(message) if (at, c.id) in found]
        if places != sorted(places):
            _changed(repairs, "result_order")


def _sendable_arguments(call: ToolCall) -> str | None:
    """The arguments as they can be sent: their own text, `{}` for none, None where cut."""
    if not call.arguments.strip():
        return "{}"
    try:
        value: Any = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return None
    return call.arguments if isinstance(value, dict) else None


def _with_arguments(message: Message, arguments: dict[str, str | None]) -> Message:
    if not arguments:
        return message
    return replace(
        message,
        parts=tuple(
            replace(part, arguments=arguments[part.id] or "{}")
            if isinstance(part, ToolCall)
            else part
            for part in message.parts
        ),
    )


def _result_for(
    call: ToolCall, arguments: str | None, result: ToolResult | None, repairs: list[Repair]
) -> str:
    if arguments is None:
        _changed(repairs, "cut_arguments", name=call.name)
        # What somebody answered, the error of the arguments say, is for the model to read.
        if result is None or result.content == NOT_EXECUTED:
            return f"{NOT_EXECUTED}: the arguments were cut: {call.arguments}"
    if result is None:
        _changed(repairs, "no_result", name=call.name, not_executed=NOT_EXECUTED)
        return NOT_EXECUTED
    return result.content


def _with_newest_media(messages: list[Message], repairs: list[Repair]) -> list[Message]:
    """The server takes one image and one video a prompt, counted over all messages."""
    seen: set[MediaKind] = set()
    newest_first: list[Message] = []
    for message in reversed(messages):
        parts: list[Part] = []
        for part in reversed(message.parts):
            if isinstance(part, Attachment) and part.kind in seen:
                named = f" “{part.name}”" if part.name else ""
                repairs.append(_replaced(part))
                parts.append(Text(f"[An earlier {part.kind}{named} stood here.]\n"))
                continue
            if isinstance(part, Attachment):
                seen.add(part.kind)
            parts.append(part)
        newest_first.append(replace(message, parts=tuple(reversed(parts))))
    return newest_first[::-1]


def _replaced(part: Attachment) -> Repair:
    if part.name:
        return Repair.of("media_replaced", f"named_{part.kind}", name=part.name)
    return Repair.of("media_replaced", part.kind)


def _with_control_tokens(
    messages: list[Message], repairs: list[Repair], *, break_them: bool
) -> list[Message]:
    checked: list[Message] = []
    for message in messages:
        if message.role == "assistant":
            checked.append(message)
            continue
        parts: list[Part] = []
        for part in message.parts:
            text = _typed_text(part)
            if text is not None and holds_control_tokens(text):
                repairs.append(_control_tokens(message, broken=break_them))
                part = _with_text(part, break_up(text)) if break_them else part
            parts.append(part)
        checked.append(replace(message, parts=tuple(parts)))
    return checked


def _control_tokens(message: Message, *, broken: bool) -> Repair:
    where = message.role if message.role in ("tool", "system") else "message"
    return Repair.of("control_tokens", f"broken_{where}" if broken else where)


def _typed_text(part: Part) -> str | None:
    if isinstance(part, Text):
        return part.text
    return part.content if isinstance(part, ToolResult) else None


def _with_text(part: Part, text: str) -> Part:
    return replace(part, content=text) if isinstance(part, ToolResult) else Text(text)


def _calls(message: Message) -> list[ToolCall]:
    if message.role != "assistant":
        return []
    return [part for part in message.parts if isinstance(part, ToolCall)]


def _call_id(part: Part) -> str | None:
    return part.call_id if isinstance(part, ToolResult) else None
