"""What `ask` was given, read and checked: files become values, faults become one sentence."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.assembly import media_limits
from app.chat.messages import Attachment, Conversation, MediaKind, Message, Part, Text
from app.chat.openai_messages import ConversationError, read_messages
from app.chat.request import Options
from app.media import MediaRefused, PreparedMedia, data_url, prepare
from app.settings import (
    Connection,
    Settings,
    SettingsError,
    compatible_connection,
    load_settings,
)
from app.tools.mocks import Mocks
from app.tools.toolset import ToolSet, ToolSetError, parse_mocks, parse_toolset


class BadArguments(ValueError):  # noqa: N818 - it is about the arguments, and ends with status 2
    """The arguments cannot be used; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Question:
    """All that a run needs. `urls` holds the address of each attachment by its hash.

    Without mocks (None) a run is one turn.
    """

    settings: Settings
    connection: Connection
    conversation: Conversation
    options: Options
    mocks: Mocks | None
    max_steps: int
    timeout_s: float | None
    urls: dict[str, str] = field(default_factory=dict)

    def resolve(self, attachment: Attachment) -> str:
        """The URL under which an attachment is sent."""
        return self.urls[attachment.hash]


async def read_question(arguments: argparse.Namespace) -> Question:
    """The question that the arguments state. Raises BadArguments."""
    try:
        settings = load_settings()
        connection = (
            compatible_connection(arguments.base_url, settings)
            if arguments.base_url
            else settings.connection()
        )
        tool_set = parse_toolset(_text(arguments.tools)) if arguments.tools else ToolSet()
        mocks = parse_mocks(_text(arguments.mocks), tool_set.results) if arguments.mocks else None
        urls: dict[str, str] = {}
        history = _conversation(arguments.conversation, urls)
        message = await _message(arguments, settings, urls)
    except (SettingsError, ToolSetError, ConversationError, MediaRefused) as error:
        raise BadArguments(str(error)) from None
    return Question(
        settings=settings,
        connection=connection,
        conversation=history.with_message(message),
        options=_options(arguments, settings, tool_set.tools),
        mocks=mocks,
        max_steps=arguments.max_steps,
        timeout_s=arguments.timeout,
        urls=urls,
    )


def _options(
    arguments: argparse.Namespace, settings: Settings, tools: tuple[dict[str, Any], ...]
) -> Options:
    schema = _json(arguments.response_schema) if arguments.response_schema else None
    if schema is not None and not isinstance(schema, dict):
        raise BadArguments(f"{arguments.response_schema} must hold a JSON Schema, an object.")
    return Options(
        model=arguments.model or settings.model,
        effort=arguments.effort,
        system=arguments.system,
        temperature=arguments.temperature,
        top_p=arguments.top_p,
        max_tokens=arguments.max_tokens,
        seed=arguments.seed,
        stop=tuple(arguments.stop),
        tools=tools,
        tool_choice=_tool_choice(arguments.tool_choice, tools),
        parallel_tool_calls=False if arguments.no_parallel else None,
        response_schema=schema,
        stream=not arguments.no_stream,
        send_reasoning=settings.send_reasoning,
        break_control_tokens=settings.breaks_control_tokens(),
    )


def _tool_choice(
    choice: str | None, tools: tuple[dict[str, Any], ...]
) -> str | dict[str, Any] | None:
    if choice is None or choice in ("auto", "none", "required"):
        return choice
    names = [tool["function"]["name"] for tool in tools]
    if choice not in names:
        known = ", ".join(names) or "none: give some with --tools"
        raise BadArguments(f"--tool-choice {choice} names no tool; declared are {known}.")
    return {"type": "function", "function": {"name": choice}}


def _conversation(path: Path | None, urls: dict[str, str]) -> Conversation:
    if path is None:
        return Conversation()

    def attach(url: str, kind: MediaKind) -> Attachment:
        content_hash = hashlib.sha256(url.encode()).hexdigest()
        urls[content_hash] = url
        return Attachment(content_hash, kind, len(url))

    value = _json(path)
    messages = value["messages"] if isinstance(value, dict) and "messages" in value else value
    return read_messages(messages, attach)


async def _message(
    arguments: argparse.Namespace, settings: Settings, urls: dict[str, str]
) -> Message:
    prompt = sys.stdin.read() if arguments.prompt == "-" else arguments.prompt
    if not prompt.strip():
        raise BadArguments("The prompt is empty: write the message to send.")
    parts: list[Part] = []
    for kind, path in (("image", arguments.image), ("video", arguments.video)):
        if path is not None:
            prepared = await _prepare(path, settings)
            if prepared.attachment.kind != kind:
                raise BadArguments(f"{path} is no {kind}: it is {prepared.attachment.mime}.")
            for note in prepared.notes:
                print(note, file=sys.stderr)
            urls[prepared.attachment.hash] = data_url(prepared.data, prepared.attachment.mime)
            parts.append(prepared.attachment)
    return Message("user", (*parts, Text(prompt)))


async def _prepare(path: Path, settings: Settings) -> PreparedMedia:
    return await prepare(_read(path), path.name, media_limits(settings))


def _json(path: Path) -> Any:
    try:
        return json.loads(_read(path))
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise BadArguments(f"{path} is not JSON: {error.msg} at {place}.") from None
    except (UnicodeDecodeError, RecursionError):
        raise BadArguments(f"{path} is not JSON.") from None


def _text(path: Path) -> str:
    try:
        return _read(path).decode("utf-8")
    except UnicodeDecodeError:
        raise BadArguments(f"{path} is not UTF-8 text.") from None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadArguments(f"{path} cannot be read: {error.strerror}.") from None
