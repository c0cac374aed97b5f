from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.chat.messages import (
    Attachment,
    Conversation,
    Message,
    Reasoning,
    Text,
    ToolCall,
    ToolResult,
)
from app.chat.openai_messages import ConversationError, read_messages
from app.chat.request import Options, Request, build

PICTURE = Attachment("a" * 64, "image", 10, name="one.png")
OTHER_PICTURE = Attachment("b" * 64, "image", 10, name="two.png")
CLIP = Attachment("c" * 64, "video", 10)
OPTIONS = Options(model="glm")


def user(*parts: Any) -> Message:
    return Message("user", tuple(Text(p) if isinstance(p, str) else p for p in parts))


def assistant(*parts: Any) -> Message:
    return Message("assistant", tuple(Text(p) if isinstance(p, str) else p for p in parts))


def result(call_id: str, content: str) -> Message:
    return Message("tool", (ToolResult(call_id, content),))


def built(*messages: Message, options: Options = OPTIONS) -> Request:
    return build(Conversation(messages), options, lambda media: f"data:{media.hash[:1]}")


def sent(*messages: Message, options: Options = OPTIONS) -> list[dict[str, Any]]:
    wire: list[dict[str, Any]] = built(*messages, options=options).body["messages"]
    return wire


def codes(request: Request) -> list[str]:
    return [repair.code for repair in request.repairs]


def test_a_plain_request_carries_nothing_that_was_not_set() -> None:
    request = built(user("Hello"))
    assert request.body == {
        "model": "glm",
        "messages": [{"role": "user", "content": "Hello"}],
        "stream": True,
        "stream_options": {"include_usage": True, "continuous_usage_stats": True},
    }
    assert request.repairs == ()


def test_every_option_has_its_place() -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": {"b": 1, "a": 2}}}
    options = Options(
        model="glm",
        effort="low",
        system="Be brief.",
        temperature=0.0,
        top_p=0.5,
        max_tokens=7,
        seed=0,
        stop=("END",),
        tools=(tool,),
        tool_choice="none",
        parallel_tool_calls=False,
        response_schema={"type": "object"},
        stream=False,
    )
    body = built(user("Hi"), options=options).body
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    assert body["reasoning_effort"] == "low"
    assert (body["temperature"], body["top_p"], body["max_tokens"]) == (0.0, 0.5, 7)
    assert (body["seed"], body["stop"]) == (0, ["END"])
    assert json.dumps(body["tools"]) == json.dumps([tool]), "key order is part of the prefix"
    assert (body["tool_choice"], body["parallel_tool_calls"]) == ("none", False)
    assert body["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert body["stream"] is False
    assert "stream_options" not in body


def test_without_tools_no_key_about_tools_is_sent() -> None:
    options = Options(model="glm", tool_choice="auto", parallel_tool_calls=True)
    body = built(user("Hi"), options=options).body
    assert not {"tools", "tool_choice", "parallel_tool_calls"} & set(body)


@pytest.mark.parametrize("effort", [None, "low", "high", "max"])
def test_nothing_switches_reasoning_off(effort: Any) -> None:
    body = built(user("Hi"), options=Options(model="glm", effort=effort)).body
    assert body.get("reasoning_effort") == effort
    words = json.dumps(body)
    assert "enable_thinking" not in words
    assert "chat_template_kwargs" not in words


def test_a_turn_goes_back_unchanged() -> None:
    arguments = '{"b": 1.0,"a":  "x"}'
    turn = assistant(
        Reasoning("hm "), "One. ", Reasoning("ha"), "Two.", ToolCall("t", "f", arguments)
    )
    request = built(user("Go"), turn, result("t", "done"))
    assert request.repairs == ()
    assert request.body["messages"][1:] == [
        {
            "role": "assistant",
            "content": "One. Two.",
            "reasoning": "hm ha",
            "tool_calls": [
                {"id": "t", "type": "function", "function": {"name": "f", "arguments": arguments}}
            ],
        },
        {"role": "tool", "tool_call_id": "t", "content": "done"},
    ]


def test_reasoning_stays_here_for_servers_that_refuse_it() -> None:
    options = Options(model="glm", send_reasoning=False)
    wire = sent(user("Go"), assistant(Reasoning("hm"), "Four."), user("And?"), options=options)
    assert wire[1] == {"role": "assistant", "content": "Four."}


def test_only_the_newest_image_and_the_newest_video_are_sent() -> None:
    request = built(
        user(PICTURE, "first"),
        assistant("ok"),
        user(CLIP, OTHER_PICTURE, "second"),
        assistant("ok"),
    )
    assert codes(request) == ["media_replaced"]
    first, _, second, _ = request.body["messages"]
    assert [part["type"] for part in first["content"]] == ["text", "text"]
    assert "one.png" in first["content"][0]["text"]
    assert [part["type"] for part in second["content"]] == ["video_url", "image_url", "text"]
    assert second["content"][1] == {"type": "image_url", "image_url": {"url": "data:b"}}


@pytest.mark.parametrize("arguments", ['{"location": "Par', "[1]", '"text"', "nonsense"])
def test_a_cut_call_is_sent_as_not_executed(arguments: str) -> None:
    call = assistant(ToolCall("t", "f", arguments))
    for given in ((), (result("t", "not executed"),)):
        request = built(user("Go"), call, *given, user("And?"))
        assert codes(request) == ["history_repaired"]
        wire = request.body["messages"]
        assert wire[2]["content"] == f"not executed: the arguments were cut: {arguments}"


def test_what_a_person_answered_to_a_cut_call_goes_as_written() -> None:
    said = "the text is cut off after 18 characters"
    call = assistant(ToolCall("t", "f", '{"location": "Par'))
    request = built(user("Go"), call, result("t", said), user("And?"))
    assert codes(request) == ["history_repaired"]
    wire = request.body["messages"]
    assert wire[1]["tool_calls"][0] == {
        "id": "t",
        "type": "function",
        "function": {"name": "f", "arguments": "{}"},
    }
    assert wire[2]["content"] == said


def test_no_arguments_mean_an_empty_object() -> None:
    request = built(user("Go"), assistant(ToolCall("t", "f", "")), result("t", "ok"))
    assert request.repairs == ()
    assert request.body["messages"][1]["tool_calls"][0]["function"]["arguments"] == "{}"


def test_results_pair_up_with_calls_in_call_order() -> None:
    calls = assistant(ToolCall("a", "f", "{}"), ToolCall("b", "g", "{}"), ToolCall("c", "h", "{}"))
    request = built(
        user("Go"),
        calls,
        result("c", "3"),
        result("a", "1"),
        result("a", "again"),
        result("x", "?"),
    )
    wire = request.body["messages"]
    assert [(m["tool_call_id"], m["content"]) for m in wire[2:]] == [
        ("a", "1"),
        ("b", "not executed"),
        ("c", "3"),
    ]
    assert set(codes(request)) == {"history_repaired"}
    said = " ".join(repair.message for repair in request.repairs)
    for word in ("order", "second result", "'x' is gone", "no result"):
        assert word in said


def test_a_result_behind_another_message_is_put_behind_its_call() -> None:
    request = built(
        user("Go"), assistant(ToolCall("a", "f", "{}")), user("Well?"), result("a", "1")
    )
    assert [m["role"] for m in request.body["messages"]] == ["user", "assistant", "tool", "user"]
    assert codes(request) == ["history_repaired"]


def test_ids_used_again_in_a_later_turn_belong_to_the_later_call() -> None:
    request = built(
        user("Go"),
        assistant(ToolCall("call_0", "f", "{}")),
        result("call_0", "first"),
        assistant(ToolCall("call_0", "f", "{}")),
        result("call_0", "second"),
    )
    assert request.repairs == ()
    assert [m.get("content") for m in request.body["messages"][2::2]] == ["first", "second"]


def test_calls_without_an_id_of_their_own_get_one() -> None:
    request = built(
        user("Go"),
        assistant(ToolCall("", "f", "{}"), ToolCall("", "g", "{}")),
        result("", "one"),
        result("", "two"),
    )
    wire = request.body["messages"]
    ids = [call["id"] for call in wire[1]["tool_calls"]]
    assert len(set(ids)) == 2
    assert all(ids)
    assert [(m["tool_call_id"], m["content"]) for m in wire[2:]] == [
        (ids[0], "one"),
        (ids[1], "two"),
    ]
    assert codes(request) == ["history_repaired"]


def test_empty_parts_and_messages_go() -> None:
    request = built(user("", "Hi"), assistant(), user("Go"))
    assert [m["content"] for m in request.body["messages"]] == ["Hi", "Go"]
    assert codes(request) == ["history_repaired", "history_repaired"]


def test_a_picture_in_an_answer_goes_and_takes_no_ones_place() -> None:
    request = built(user(PICTURE, "What?"), assistant("This:", OTHER_PICTURE), user("Go on"))
    assert codes(request) == ["history_repaired"]
    assert request.body["messages"][0]["content"][0]["image_url"] == {"url": "data:a"}


def test_control_tokens_are_reported_and_broken_up_where_asked() -> None:
    messages = (user("say <|user|> and </think>"), assistant("</think>"), result("x", ""))
    request = built(messages[0], messages[1])
    assert codes(request) == ["control_tokens"]
    assert request.body["messages"][0]["content"] == "say <|user|> and </think>"
    broken = built(
        messages[0], messages[1], options=Options(model="glm", break_control_tokens=True)
    )
    assert codes(broken) == ["control_tokens"]
    assert broken.body["messages"][0]["content"] == "say <\u200d|user|> and <\u200d/think>"
    assert broken.body["messages"][1]["content"] == "</think>", "the model's own words stay"


@pytest.mark.parametrize("text", ["a < b", "<b>bold</b>", "x <| y |> z", "<thinking>", "[MASKED]"])
def test_other_angle_brackets_are_no_control_tokens(text: str) -> None:
    assert built(user(text)).repairs == ()


def test_openai_messages_come_back_as_they_went() -> None:
    messages = [
        {"role": "system", "content": "Be brief."},
        {
            "role": "user",
            "content": [
                {"type": "image_url", "image_url": {"url": "data:a"}},
                {"type": "text", "text": "What?"},
            ],
        },
        {
            "role": "assistant",
            "content": None,
            "reasoning": "hm",
            "tool_calls": [
                {"id": "t", "type": "function", "function": {"name": "f", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": "t", "content": "done"},
    ]
    conversation = read_messages(messages, lambda _url, kind: Attachment("a" * 64, kind, 1))
    assert sent(*conversation.messages) == messages


@pytest.mark.parametrize(
    ("messages", "where"),
    [
        ({}, "array"),
        ([3], "$[0]"),
        ([{"role": "robot", "content": "x"}], "$[0].role"),
        ([{"role": "user", "content": 3}], "$[0].content"),
        ([{"role": "user", "content": [{"type": "input_audio"}]}], "$[0].content[0]"),
        ([{"role": "tool", "content": "x"}], "$[0].tool_call_id"),
        ([{"role": "assistant", "tool_calls": [{}]}], "$[0].tool_calls[0].function"),
    ],
)
def test_messages_that_cannot_be_read_are_named_by_path(messages: Any, where: str) -> None:
    with pytest.raises(ConversationError, match=r"must|array") as error:
        read_messages(messages, lambda _url, kind: Attachment("a" * 64, kind, 1))
    assert where in str(error.value)


@pytest.mark.parametrize(
    "case",
    sorted((Path(__file__).parent / "data" / "histories").glob("*.json")),
    ids=lambda p: p.stem,
)
def test_every_recorded_history_is_sent_as_it_must_be(case: Path) -> None:
    data = json.loads(case.read_text())
    conversation = read_messages(
        data["request"]["messages"], lambda url, kind: Attachment(url, kind, len(url))
    ).with_message(user(data["request"]["prompt"]))
    request = build(conversation, OPTIONS, lambda media: media.hash)
    expected = data["expect"]
    wire = request.body["messages"]
    assert sorted(set(codes(request))) == sorted(expected["notices"])
    words = json.dumps(wire, ensure_ascii=False)
    assert all(piece in words for piece in expected["sent"].get("contains", []))
    assert not any(piece in words for piece in expected["sent"].get("lacks", []))
    if "roles" in expected["sent"]:
        assert [message["role"] for message in wire] == expected["sent"]["roles"]
    called = {call["id"] for message in wire for call in message.get("tool_calls", [])}
    answered = [m["tool_call_id"] for m in wire if m["role"] == "tool"]
    assert set(answered) == called
    assert len(answered) == len(called)
