"""Requests of every shape that the playground sends."""

from __future__ import annotations

import base64
import io
import random
from typing import Any

from PIL import Image

MODEL = "zai-org/GLM-5.3-Flash"
ODD = (
    "It's \"odd\": $(id) `id` ${HOME} !! \\n \\ %s @file\n\tnext 'line' \r\n"
    "\U0001f600 \u2028\u202e\x7f \x00 é"
)
"""Quotes, what shells expand, escapes, line breaks of all kinds, controls."""

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "It's the weather.",
        "parameters": {
            "type": "object",
            "properties": {"location": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["location"],
        },
    },
}


def body(*messages: dict[str, Any], **keys: Any) -> dict[str, Any]:
    """A body of these messages, else of one plain question."""
    return {"model": MODEL, "messages": list(messages) or [user("What is learning?")], **keys}


def user(content: Any) -> dict[str, Any]:
    """A message of a person."""
    return {"role": "user", "content": content}


def picture(side: int) -> str:
    """A PNG of noise as a data URL: three bytes a pixel, since noise does not compress."""
    out = io.BytesIO()
    noise = random.Random(side).randbytes(side * side * 3)
    Image.frombytes("RGB", (side, side), noise).save(out, "PNG")
    return f"data:image/png;base64,{base64.b64encode(out.getvalue()).decode()}"


def seen(side: int) -> dict[str, Any]:
    """A question on a picture."""
    image = {"type": "image_url", "image_url": {"url": picture(side)}}
    return user([image, {"type": "text", "text": "What is it?"}])


STREAMED: dict[str, Any] = {
    "stream": True,
    "stream_options": {"include_usage": True, "continuous_usage_stats": True},
}

CALLED = {
    "role": "assistant",
    "content": None,
    "reasoning": "They ask for\nthe weather.",
    "tool_calls": [
        {
            "id": "call-1",
            "type": "function",
            "function": {"name": "get_weather", "arguments": '{"location": "L\'Aquila"}'},
        }
    ],
}

BODIES: dict[str, dict[str, Any]] = {
    "plain": body(stream=False),
    "streamed": body(**STREAMED),
    "odd texts": body(user(ODD), reasoning_effort="low", **STREAMED),
    "half a surrogate pair": body(user("half \ud83d of a pair"), stream=False),
    "history with reasoning": body(
        {"role": "system", "content": "Be brief.\nDon't shout."},
        user("Weather in L'Aquila?"),
        CALLED,
        {"role": "tool", "tool_call_id": "call-1", "content": '{"sky": "clear"}'},
        tools=[WEATHER],
        **STREAMED,
    ),
    "a call": body(tools=[WEATHER], tool_choice="required", stream=False),
    "calls of a stream": body(
        user("get_weather for Rome and get_weather for Oslo"), tools=[WEATHER], **STREAMED
    ),
    "a picture": body(seen(20), **STREAMED),
    "a picture too large for an argument": body(seen(300), stream=False),
    "an answer format": body(
        response_format={
            "type": "json_schema",
            "json_schema": {
                "name": "answer",
                "schema": {"type": "object", "properties": {"it's": {"type": "boolean"}}},
            },
        },
        temperature=1.0,
        top_p=0.95,
        max_tokens=4000,
        seed=7,
        stream=False,
    ),
    "a message continued": body(
        user("What is learning?"),
        {"role": "assistant", "content": "This"},
        continue_final_message=True,
        add_generation_prompt=False,
        **STREAMED,
    ),
    "odd stop strings": body(stop=["'", '"', "$(id)", "\n\n\n\u2028"], **STREAMED),
}
"""By what is special about them."""
