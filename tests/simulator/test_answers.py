"""What the simulator says, and how it reads what it is sent."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from starlette.applications import Starlette

from tests.simulator.asgi_client import call, chat
from tests.simulator.media_samples import clip, data_url, picture


def _with_part(text: str, part: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"role": "user", "content": [{"type": "text", "text": text}, part]}]


async def test_says_that_it_is_no_model_and_repeats_what_was_asked(simulator: Starlette) -> None:
    answer = await chat(simulator, "How tall is the Eiffel Tower?")
    content = answer.message["content"]
    assert "This is the simulator: no model is answering" in content
    assert "> How tall is the Eiffel Tower?" in content
    assert "a question of 6 words, about: tall, Eiffel, Tower" in content


async def test_the_same_request_has_the_same_answer(simulator: Starlette) -> None:
    first = await chat(simulator, "Tell me something", seed=7)
    second = await chat(simulator, "Tell me something", seed=7)
    assert {**first.json, "created": 0} == {**second.json, "created": 0}


async def test_streams_what_it_would_say_at_once(simulator: Starlette) -> None:
    whole = await chat(simulator, "Show me some markdown")
    streamed = await chat(simulator, "Show me some markdown", stream=True)
    assert streamed.text("content") == whole.message["content"]
    assert streamed.text("reasoning") == whole.message["reasoning"]


async def test_more_effort_gives_more_thought(simulator: Starlette) -> None:
    lengths = [
        len((await chat(simulator, "Why?", reasoning_effort=effort)).message["reasoning"])
        for effort in ("low", "high", "max")
    ]
    assert lengths == sorted(set(lengths))


async def test_no_effort_is_high_and_an_odd_one_is_max(simulator: Starlette) -> None:
    async def thought(**fields: Any) -> Any:
        return (await chat(simulator, "Why?", **fields)).message["reasoning"]

    assert await thought() == await thought(reasoning_effort="high")
    assert await thought(reasoning_effort="medium") == await thought(reasoning_effort="max")
    by_template = await thought(chat_template_kwargs={"reasoning_effort": "low"})
    assert by_template == await thought(reasoning_effort="low")


async def test_names_a_pictures_size_and_colours(simulator: Starlette) -> None:
    url = data_url(picture(size=(640, 480), colour="#3264d2"), "image/png")
    part = {"type": "image_url", "image_url": {"url": url}}
    answer = await chat(simulator, _with_part("What is it?", part))
    assert "640 \N{MULTIPLICATION SIGN} 480 pixels, mostly blue" in answer.message["content"]
    assert 414 < answer.json["usage"]["prompt_tokens"] < 440


async def test_names_a_clips_length(simulator: Starlette) -> None:
    part = {"type": "video_url", "video_url": {"url": data_url(clip(frames=25), "video/mp4")}}
    answer = await chat(simulator, _with_part("What is it?", part))
    assert "The clip is 2.5 seconds long" in answer.message["content"]


async def test_a_picture_of_too_many_pixels_is_refused(simulator: Starlette) -> None:
    url = data_url(picture(size=(10_000, 6_000)), "image/png")
    part = {"type": "image_url", "image_url": {"url": url}}
    answer = await chat(simulator, _with_part("What is it?", part))
    assert answer.status == 400
    assert "more than the simulator's 50000000" in answer.json["error"]["message"]


@pytest.mark.parametrize(
    ("word", "specimen"),
    [
        ("table", "|:---"),
        ("code", "```python"),
        ("list", "1. "),
        ("maths", "$$"),
        ("formula", "$$"),
    ],
)
async def test_shows_the_markdown_that_is_asked_for(
    simulator: Starlette, word: str, specimen: str
) -> None:
    assert specimen in (await chat(simulator, f"Show me a {word}")).message["content"]
    assert specimen not in (await chat(simulator, "Hello")).message["content"]


async def test_writes_as_many_words_as_are_asked_for(simulator: Starlette) -> None:
    short = await chat(simulator, "Say something")
    long = await chat(simulator, "Write 1500 words about it")
    words = len(long.message["content"].split()) - len(short.message["content"].split())
    assert 1450 < words < 1600


@pytest.mark.parametrize(
    "schema",
    [
        {
            "type": "object",
            "properties": {
                "name": {"type": "string", "minLength": 12},
                "age": {"type": "integer", "minimum": 18, "exclusiveMaximum": 20},
                "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 2},
                "when": {"type": "string", "format": "date"},
                "code": {"type": "string", "pattern": "^[A-Z]{3}$"},
                "inner": {"$ref": "#/$defs/inner"},
                "maybe": {"anyOf": [{"type": "null"}, {"type": "number", "maximum": -5}]},
            },
            "required": ["name", "age", "tags", "when", "code", "inner", "maybe"],
            "additionalProperties": False,
            "$defs": {
                "inner": {"type": "object", "properties": {"x": {"const": 4}}, "required": ["x"]}
            },
        },
        {"type": "array", "items": {"type": "boolean"}, "minItems": 3},
        {"type": "number", "multipleOf": 0.5, "minimum": 10.25},
    ],
)
async def test_an_answer_satisfies_the_schema(simulator: Starlette, schema: Any) -> None:
    response_format = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    answer = await chat(simulator, "Give me one", response_format=response_format)
    Draft202012Validator(schema).validate(json.loads(answer.message["content"]))


async def test_json_object_is_an_object(simulator: Starlette) -> None:
    answer = await chat(simulator, "Anything", response_format={"type": "json_object"})
    assert json.loads(answer.message["content"])["asked"] == "Anything"


async def test_a_limit_counts_thought_and_answer_together(simulator: Starlette) -> None:
    answer = await chat(simulator, "Hello", max_tokens=50)
    assert answer.finish_reason == "length"
    assert answer.json["usage"]["completion_tokens"] == 50
    assert answer.message["content"] is None
    longer = await chat(simulator, "Hello", max_tokens=180)
    assert longer.json["usage"]["completion_tokens"] == 180
    assert longer.message["content"].startswith("**This is the simulator")


@pytest.mark.parametrize("limit", range(1, 60))
async def test_every_limit_gives_a_beginning_of_the_whole(simulator: Starlette, limit: int) -> None:
    asked: dict[str, Any] = {"simulate": "reasoning=60;answer=90", "stream": True}
    whole = await chat(simulator, "Hello", **asked)
    cut = await chat(simulator, "Hello", max_tokens=limit, **asked)
    assert whole.text("reasoning").startswith(cut.text("reasoning"))
    assert whole.text("content").startswith(cut.text("content"))
    is_whole = cut.text("content") == whole.text("content")
    assert cut.chunks[-1]["choices"][0]["finish_reason"] in ("length", "stop" if is_whole else "")


async def test_a_stop_string_is_not_sent_and_is_named(simulator: Starlette) -> None:
    answer = await chat(simulator, "Hello", stop=["nowhere to be found", "no model"])
    choice = answer.json["choices"][0]
    assert choice["message"]["content"] == "**This is the simulator: "
    assert (choice["finish_reason"], choice["stop_reason"]) == ("stop", "no model")


async def test_usage_is_counted_on_in_every_chunk(simulator: Starlette) -> None:
    options = {"include_usage": True, "continuous_usage_stats": True}
    answer = await chat(simulator, "Hello", stream=True, stream_options=options)
    counts = [chunk["usage"]["completion_tokens"] for chunk in answer.chunks]
    assert counts == sorted(counts)
    assert answer.chunks[-1]["usage"] == answer.chunks[-2]["usage"]
    details = answer.chunks[-1]["usage"]["completion_tokens_details"]
    assert 0 < details["reasoning_tokens"] < counts[-1]


async def test_a_body_that_is_no_text_or_too_deep_is_refused(simulator: Starlette) -> None:
    headers = {"content-type": "application/json"}
    for body in (b'{"messages": "\xff"}', b"[" * 100_000):
        answer = await call(simulator, "POST", "/v1/chat/completions", body, headers)
        assert (answer.status, answer.json) == (
            400,
            {"detail": "There was an error parsing the body"},
        )
