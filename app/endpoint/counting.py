"""Counting tokens: what `/tokenize` is asked, and what it answers.

Source: vLLM's `POST /tokenize`, which stands beside `/v1`, not under it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final

import msgspec

_PLAIN_FIELDS: Final = (
    "model",
    "messages",
    "tools",
    "add_generation_prompt",
    "continue_final_message",
    "chat_template_kwargs",
)


class _Counted(msgspec.Struct):
    """The one field that is read: the list of the tokens themselves may be a million long."""

    count: Annotated[int, msgspec.Meta(ge=0)]


def text_question(model: str, text: str) -> dict[str, Any]:
    """The body that asks for the tokens of a text by itself, without those that begin a prompt."""
    return {"model": model, "prompt": text, "add_special_tokens": False}


def prompt_question(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body that asks for the tokens of a chat request's prompt, its media left out.

    The effort is an argument of the template there; `/tokenize` has no field for it.
    """
    asked = {name: body[name] for name in _PLAIN_FIELDS if name in body}
    asked["messages"] = [_without_media(message) for message in body.get("messages", ())]
    if body.get("reasoning_effort") is not None:
        arguments = asked.get("chat_template_kwargs") or {}
        effort = {"reasoning_effort": body["reasoning_effort"]}
        asked["chat_template_kwargs"] = {**arguments, **effort}
    return asked


def read_count(data: bytes) -> int | None:
    """How many tokens the answer counts; None where it counts none."""
    try:
        return msgspec.json.decode(data, type=_Counted).count
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _without_media(message: Mapping[str, Any]) -> dict[str, Any]:
    content = message.get("content")
    if not isinstance(content, list):
        return dict(message)
    texts = [part for part in content if part.get("type") == "text"]
    return {**message, "content": texts or ""}
