"""Reading a conversation: who said what, which tools answered, what pictures came along.

A prompt is all that a reply is made from; it is read from the messages as they were sent.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from openai.types.chat import (
    ChatCompletionContentPartImageParam,
    ChatCompletionContentPartParam,
    ChatCompletionContentPartTextParam,
    ChatCompletionMessageToolCallUnionParam,
)
from pydantic import TypeAdapter, ValidationError

from app.simulator.errors import ApiError, parameter_error
from app.simulator.media import Clip, Picture, look_at_clip, look_at_picture, read_data_url, url_of
from app.simulator.request import message_errors
from app.simulator.tokens import rough_count

_TOKENS_A_MESSAGE = 4

_PART_TYPES = (
    "audio_embeds, audio_url, image_embeds, image_pil, image_url, input_audio, input_image, "
    "input_text, output_text, prompt_embeds, refusal, text, thinking, tool_reference, "
    "video_embeds, video_url"
)
_TEXT_PARTS = frozenset({"text", "input_text", "output_text", "refusal", "thinking"})
_LIMITS = {"image": 1, "video": 1, "audio": 0}

_user_parts: TypeAdapter[Any] = TypeAdapter(Iterable[ChatCompletionContentPartParam])
_text_parts: TypeAdapter[Any] = TypeAdapter(Iterable[ChatCompletionContentPartTextParam])
_image_part: TypeAdapter[Any] = TypeAdapter(ChatCompletionContentPartImageParam)
_calls: TypeAdapter[Any] = TypeAdapter(Iterable[ChatCompletionMessageToolCallUnionParam])


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answered in the round since the user last spoke."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A conversation as it was understood.

    `rounds` counts the assistant's tool turns since the user last spoke, `turn` the user's
    messages; `tokens` is the whole prompt, its media included. `begun` is the assistant's last
    text, where the reply is to go on with it; of `rounds` and `results` it is no part.
    """

    user_text: str
    system_text: str
    results: tuple[ToolResult, ...]
    rounds: int
    turn: int
    picture: Picture | None
    clip: Clip | None
    tokens: int
    begun: str | None = None

    @property
    def media_tokens(self) -> dict[str, int]:
        """What the picture and the clip take of the prompt, by kind."""
        seen = {"image": self.picture, "video": self.clip}
        return {kind: medium.tokens for kind, medium in seen.items() if medium is not None}


@dataclass(frozen=True, slots=True)
class _MediaPart:
    kind: str
    url: str


async def read_prompt(
    messages: Sequence[Mapping[str, Any]], tools_characters: int, *, continues: bool = False
) -> Prompt:
    """Understands a conversation; media are opened in a thread. Raises ApiError.

    `continues`: the last message, the assistant's, is to be gone on with.
    """
    if not messages:
        message = "Cannot apply chat template to an empty conversation."
        raise ApiError(f"{message} Provide at least one message.")
    media = [part for message in messages for part in _read_parts(message)]
    _check_limits(media)
    texts = [_text_of(message) for message in messages]
    _check_encodable(texts)
    picture: Picture | None = None
    clip: Clip | None = None
    for part in media:
        if part.kind == "image":
            picture = await asyncio.to_thread(_see_picture, part.url)
        else:
            clip = await asyncio.to_thread(_see_clip, part.url)
    last_user = max(
        (i for i, each in enumerate(messages) if each.get("role") == "user"), default=-1
    )
    since = messages[last_user + 1 : -1 if continues else None]
    characters = sum(map(len, texts)) + sum(map(_hidden_characters, messages)) + tools_characters
    media_tokens = (picture.tokens if picture else 0) + (clip.tokens if clip else 0)
    text_tokens = rough_count(characters) + _TOKENS_A_MESSAGE * len(messages)
    return Prompt(
        user_text=texts[last_user] if last_user >= 0 else "",
        system_text="\n".join(
            text
            for text, message in zip(texts, messages, strict=True)
            if message.get("role") in ("system", "developer")
        ),
        results=tuple(_results(since)),
        rounds=sum(1 for each in since if each.get("role") == "assistant" and _has_calls(each)),
        turn=sum(1 for each in messages if each.get("role") == "user"),
        picture=picture,
        clip=clip,
        tokens=text_tokens + media_tokens,
        begun=texts[-1] if continues else None,
    )


def _see_picture(url: str) -> Picture:
    return look_at_picture(read_data_url(url, "image"))


def _see_clip(url: str) -> Clip:
    return look_at_clip(read_data_url(url, "video"))


def _read_parts(message: Mapping[str, Any]) -> list[_MediaPart]:
    """Checks one message's parts and calls; returns its media."""
    _check_calls(message.get("tool_calls"))
    content = message.get("content")
    if isinstance(content, str) or content is None:
        return []
    media: list[_MediaPart] = []
    try:
        if not isinstance(content, list) or not all(_has_type(part) for part in content):
            adapter = _text_parts if message.get("role") == "tool" else _user_parts
            list(adapter.validate_python(content))
            return []
        for part in content:
            media += _read_part(part)
    except ValidationError as problem:
        raise ApiError(str(problem)) from None
    return media


def _has_type(part: Any) -> bool:
    return isinstance(part, Mapping) and isinstance(part.get("type"), str)


def _read_part(part: Mapping[str, Any]) -> list[_MediaPart]:
    kind = part["type"]
    if kind in _TEXT_PARTS:
        return []
    if kind == "image_url":
        _image_part.validate_python(part)
        return [_MediaPart("image", url_of(part, "image_url"))]
    if kind == "video_url":
        return [_MediaPart("video", url_of(part, "video_url"))]
    if kind in ("audio_url", "input_audio"):
        return [_MediaPart("audio", "")]
    message = f"Unsupported chat content part type: '{kind}'. Supported types: {_PART_TYPES}."
    raise parameter_error(message, "type", kind)


def _check_calls(calls: Any) -> None:
    if not calls:
        return
    try:
        list(_calls.validate_python(calls))
    except ValidationError as problem:
        raise message_errors(problem) from None


def _check_limits(media: Sequence[_MediaPart]) -> None:
    for kind, limit in _LIMITS.items():
        if sum(part.kind == kind for part in media) > limit:
            message = f"At most {limit} {kind}(s) may be provided in one prompt."
            raise parameter_error(message, kind)


def _check_encodable(texts: Sequence[str]) -> None:
    try:
        for text in texts:
            text.encode()
    except UnicodeEncodeError:
        message = "TextEncodeInput must be Union[TextInputSequence, Tuple[InputSequence, "
        raise ApiError(f"{message}InputSequence]]") from None


def _text_of(message: Mapping[str, Any]) -> str:
    """Parts of a tool's result are joined by line breaks, others by nothing, as vLLM does."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    separator = "\n" if message.get("role") == "tool" else ""
    return separator.join(text for text in texts if isinstance(text, str))


def _hidden_characters(message: Mapping[str, Any]) -> int:
    """What a message takes of the prompt beside its text: its thoughts and its calls."""
    thought = message.get("reasoning") or message.get("reasoning_content") or ""
    calls = message.get("tool_calls")
    return len(thought if isinstance(thought, str) else "") + (
        len(json.dumps(calls, ensure_ascii=False, default=str)) if calls else 0
    )


def _has_calls(message: Mapping[str, Any]) -> bool:
    return bool(message.get("tool_calls"))


def _results(since: Sequence[Mapping[str, Any]]) -> Iterable[ToolResult]:
    names: dict[str, str] = {}
    for message in since:
        for call in message.get("tool_calls") or []:
            function = call.get("function") or {}
            names[str(call.get("id"))] = str(function.get("name", "the tool"))
        if message.get("role") == "tool":
            name = names.get(str(message.get("tool_call_id")), "the tool")
            yield ToolResult(name, _text_of(message))
