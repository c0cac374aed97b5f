"""What `ask` was given, read and checked: files become values, faults become one sentence."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.assembly import media_limits
from app.chat.messages import Attachment, Conversation, Message, Part, Text
from app.chat.openai_messages import ConversationError
from app.chat.request import Options
from app.commands.files import BadArguments, read_bytes, read_json, read_text
from app.commands.history import History, read_history
from app.commands.tools_file import read_tools_file
from app.media import MediaRefused, PreparedMedia, data_url, prepare
from app.settings import (
    Connection,
    Settings,
    SettingsError,
    compatible_connection,
    load_settings,
)
from app.tools.mocks import Mocks
from app.tools.toolset import ToolSet, ToolSetError, parse_mocks
from app.turns.attachments import with_media


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
    urls: Mapping[str, str] = field(default_factory=dict)

    def resolve(self, attachment: Attachment) -> str:
        """The URL under which an attachment is sent."""
        return self.urls[attachment.hash]


async def read_question(arguments: argparse.Namespace) -> Question:
    """The question that the arguments state. Raises BadArguments.

    What a case file says of the request holds where no argument says otherwise.
    """
    try:
        settings = load_settings()
        connection = (
            compatible_connection(arguments.base_url, settings)
            if arguments.base_url
            else settings.connection()
        )
        tool_set = read_tools_file(arguments.tools) if arguments.tools else None
        history = read_history(arguments.conversation) if arguments.conversation else History()
        mocks = _mocks(arguments, tool_set, history)
        message, new_urls = await _message(arguments, settings)
    except (SettingsError, ToolSetError, ConversationError, MediaRefused) as error:
        raise BadArguments(str(error)) from None
    conversation, urls = await _sendable(
        history.conversation.with_message(message), {**history.urls, **new_urls}
    )
    return Question(
        settings=settings,
        connection=connection,
        conversation=conversation,
        options=_options(arguments, settings, connection, tool_set, history.options),
        mocks=mocks,
        max_steps=arguments.max_steps,
        timeout_s=arguments.timeout,
        urls=urls,
    )


def _mocks(
    arguments: argparse.Namespace, tool_set: ToolSet | None, history: History
) -> Mocks | None:
    if not arguments.mocks:
        return history.mocks
    results = tool_set.results if tool_set else history.mocks.results if history.mocks else {}
    return parse_mocks(read_text(arguments.mocks), results)


def _options(
    arguments: argparse.Namespace,
    settings: Settings,
    connection: Connection,
    tool_set: ToolSet | None,
    past: Options,
) -> Options:
    schema = read_json(arguments.response_schema) if arguments.response_schema else None
    if schema is not None and not isinstance(schema, dict):
        raise BadArguments(f"{arguments.response_schema} must hold a JSON Schema, an object.")
    tools = past.tools if tool_set is None else tool_set.tools
    choice = _tool_choice(arguments.tool_choice, tools)
    return Options(
        model=arguments.model or connection.model or settings.model,
        effort=_first(arguments.effort, past.effort),
        system=arguments.system or past.system,
        temperature=_first(arguments.temperature, past.temperature),
        top_p=_first(arguments.top_p, past.top_p),
        max_tokens=_first(arguments.max_tokens, past.max_tokens),
        seed=_first(arguments.seed, past.seed),
        stop=tuple(arguments.stop) or past.stop,
        tools=tools,
        tool_choice=_first(choice, past.tool_choice if tool_set is None else None),
        parallel_tool_calls=False if arguments.no_parallel else past.parallel_tool_calls,
        response_schema=_first(schema, past.response_schema),
        stream=not arguments.no_stream,
        send_reasoning=settings.send_reasoning,
        break_control_tokens=settings.breaks_control_tokens(),
    )


def _first(given: Any, otherwise: Any) -> Any:
    return otherwise if given is None else given


def _tool_choice(
    choice: str | None, tools: tuple[Mapping[str, Any], ...]
) -> str | dict[str, Any] | None:
    if choice is None or choice in ("auto", "none", "required"):
        return choice
    names = [tool["function"]["name"] for tool in tools]
    if choice not in names:
        known = ", ".join(names) or "none: give some with --tools"
        raise BadArguments(f"--tool-choice {choice} names no tool; declared are {known}.")
    return {"type": "function", "function": {"name": choice}}


async def _message(
    arguments: argparse.Namespace, settings: Settings
) -> tuple[Message, dict[str, str]]:
    """The new message, and the data URLs of what it brings."""
    prompt = sys.stdin.read() if arguments.prompt == "-" else arguments.prompt
    if not prompt.strip():
        raise BadArguments("The prompt is empty: write the message to send.")
    urls: dict[str, str] = {}
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
    return Message("user", (*parts, Text(prompt))), urls


async def _prepare(path: Path, settings: Settings) -> PreparedMedia:
    return await prepare(read_bytes(path), path.name, media_limits(settings))


async def _sendable(
    conversation: Conversation, urls: Mapping[str, str]
) -> tuple[Conversation, Mapping[str, str]]:
    """The conversation with a note in place of media that a case has no longer; and the URLs."""

    async def load(attachment: Attachment) -> str | None:
        return urls.get(attachment.hash)

    conversation, sent, gone = await with_media(conversation, load)
    for repair in gone:
        print(repair.message, file=sys.stderr)
    return conversation, sent
