"""What came before a question: a plain array of messages, or a case file with its settings."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from app.chat.entries import TurnEntry, conversation_of
from app.chat.messages import Attachment, Conversation, MediaKind
from app.chat.openai_messages import read_messages
from app.chat.request import Options
from app.commands.files import case_in, json_of, read_bytes
from app.export.case import Case, CaseEntry, CaseTurn
from app.export.case_reading import is_case
from app.media import data_url
from app.tools.mocks import Mocks


@dataclass(frozen=True, slots=True)
class History:
    """A conversation, and what its file says of how it is to go on.

    `urls` holds the data URL of each attachment by its hash; `options` those of a case, whose
    model is that of another server. `mocks` is None where there are none.
    """

    conversation: Conversation = field(default_factory=Conversation)
    urls: Mapping[str, str] = field(default_factory=dict)
    options: Options = field(default_factory=lambda: Options(model=""))
    mocks: Mocks | None = None


def read_history(path: Path) -> History:
    """The history in a file. Raises BadArguments, and ConversationError for bad messages."""
    data = read_bytes(path)
    if is_case(data):
        return _of_case(case_in(data, path))
    urls: dict[str, str] = {}

    def attach(url: str, kind: MediaKind) -> Attachment:
        content_hash = hashlib.sha256(url.encode()).hexdigest()
        urls[content_hash] = url
        return Attachment(content_hash, kind, len(url))

    value = json_of(data, path)
    messages = value["messages"] if isinstance(value, dict) and "messages" in value else value
    return History(read_messages(messages, attach), urls)


def said_in(path: tuple[CaseEntry, ...]) -> Conversation:
    """The conversation that entries of a case are."""
    return conversation_of(
        [
            TurnEntry(entry.said.id, entry.said.turn, (), (), {})
            if isinstance(entry.said, CaseTurn)
            else entry.said
            for entry in path
        ]
    )


def media_urls(case: Case) -> dict[str, str]:
    """The data URLs of the media that a case brings, by content hash."""
    return {key: data_url(each.data, each.attachment.mime) for key, each in case.media.items()}


def _of_case(case: Case) -> History:
    tool_set = case.tool_set
    return History(
        conversation=said_in(case.path()),
        urls=media_urls(case),
        options=case.options or Options(model="", tools=tool_set.tools),
        mocks=Mocks(tool_set.mocks, tool_set.results) if tool_set.mocks else None,
    )
