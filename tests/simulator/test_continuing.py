"""Going on with an answer that was cut: what is said together is what one run would have said."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.applications import Starlette

from tests.simulator.asgi_client import Answer, chat

CONTINUE = {"continue_final_message": True, "add_generation_prompt": False}
ASKED = "Show me some markdown and 300 words"
TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": {}}}]


def asked(begun: str | None, prompt: str = ASKED) -> list[dict[str, Any]]:
    return [{"role": "user", "content": prompt}, {"role": "assistant", "content": begun}]


async def go_on(simulator: Starlette, begun: str, prompt: str = ASKED, **fields: Any) -> Answer:
    answer = await chat(simulator, asked(begun, prompt), stream=True, **CONTINUE, **fields)
    assert answer.status == 200, answer.body
    return answer


@pytest.mark.parametrize("chunks", [60, 61, 62, 75, 100, 140, 181, 230, 300])
async def test_a_connection_that_broke_and_the_rest_are_the_whole_answer(
    simulator: Starlette, chunks: int
) -> None:
    whole = (await chat(simulator, ASKED, stream=True)).text("content")
    cut = (await chat(simulator, ASKED, f"drop-after={chunks}", stream=True)).text("content")
    assert 0 < len(cut) < len(whole)

    rest = await go_on(simulator, cut)

    assert cut.rstrip() + rest.text("content") == whole
    assert rest.text("reasoning") == ""


async def test_every_token_may_be_the_last_before_the_cut(simulator: Starlette) -> None:
    whole = (await chat(simulator, "Show me a list")).message["content"]

    for length in range(0, len(whole) + 1, 7):
        cut = whole[:length]
        rest = await go_on(simulator, cut, "Show me a list")
        assert (cut.rstrip() + rest.text("content")).encode() == whole.encode()


async def test_an_answer_cut_twice_by_its_limit(simulator: Starlette) -> None:
    whole = (await chat(simulator, ASKED)).message["content"]
    first = await chat(simulator, ASKED, max_tokens=400)
    begun = first.message["content"]
    second = await chat(simulator, asked(begun), max_tokens=50, **CONTINUE)
    assert first.finish_reason == second.finish_reason == "length"
    assert second.json["usage"]["completion_tokens"] == 50
    assert second.json["usage"]["completion_tokens_details"]["reasoning_tokens"] == 0

    begun = begun.rstrip() + second.message["content"]
    third = await chat(simulator, asked(begun), **CONTINUE)

    assert third.finish_reason == "stop"
    assert begun.rstrip() + third.message["content"] == whole


async def test_an_answer_that_is_whole_has_no_more_to_say(simulator: Starlette) -> None:
    whole = (await chat(simulator, "Hello")).message["content"]

    answer = await chat(simulator, asked(whole, "Hello"), **CONTINUE)

    assert answer.message["content"] is None
    assert answer.finish_reason == "stop"
    assert answer.json["usage"]["completion_tokens"] == 1


async def test_another_ones_words_are_brought_to_an_end(simulator: Starlette) -> None:
    rest = await go_on(simulator, "The Eiffel Tower is 330 metres")

    assert rest.text("content").startswith(" … and so on. The simulator did not write")
    assert rest.text("reasoning") == ""


async def test_calls_follow_the_words_before_them(simulator: Starlette) -> None:
    prompt = "What is the weather?"
    whole = await chat(simulator, prompt, tools=TOOLS)
    begun = whole.message["content"][:10]

    rest = await chat(simulator, asked(begun, prompt), tools=TOOLS, **CONTINUE)

    assert begun.rstrip() + rest.message["content"] == whole.message["content"]
    (call,) = rest.message["tool_calls"]
    assert call["function"] == whole.message["tool_calls"][0]["function"]


@pytest.mark.parametrize(
    ("messages", "fields", "message"),
    [
        (
            asked("Well"),
            {"continue_final_message": True, "add_generation_prompt": True},
            "Cannot set both `continue_final_message` and `add_generation_prompt` to True.",
        ),
        (
            asked("Well"),
            {"continue_final_message": True},
            "Cannot set both `continue_final_message` and `add_generation_prompt` to True.",
        ),
        (
            [{"role": "user", "content": "Hello"}],
            CONTINUE,
            "Cannot set `continue_final_message` when the last message is not the assistant's.",
        ),
    ],
)
async def test_what_cannot_be_gone_on_with_is_refused(
    simulator: Starlette, messages: list[Any], fields: dict[str, Any], message: str
) -> None:
    answer = await chat(simulator, messages, **fields)

    assert answer.status == 400
    assert answer.json["error"]["message"] == message
