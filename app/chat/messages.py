"""What a conversation is made of: messages, their parts, calls, results, attachments."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]
MediaKind: TypeAlias = Literal["image", "video"]
Effort: TypeAlias = Literal["low", "high", "max"]


@dataclass(frozen=True, slots=True)
class Text:
    """What a person wrote, or what the model answered; Markdown where the model wrote it."""

    text: str


@dataclass(frozen=True, slots=True)
class Reasoning:
    """What the model thought before, between or after its answers; plain text."""

    text: str


@dataclass(frozen=True, slots=True)
class Attachment:
    """A picture or a clip, by the SHA-256 of the bytes that are sent. The bytes live elsewhere.

    `size` is in bytes, `width` and `height` in pixels as displayed, `seconds` the length of a
    clip. What is not known is None.
    """

    hash: str
    kind: MediaKind
    size: int
    name: str = ""
    mime: str = ""
    width: int | None = None
    height: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call the model asks for. `arguments` is its text as received, whether or not it is JSON."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The answer to one call, as the text that the model will read."""

    call_id: str
    content: str


Part: TypeAlias = Text | Reasoning | Attachment | ToolCall | ToolResult


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of a conversation; its parts stand in the order in which they came."""

    role: Role
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """All that was said so far, oldest first."""

    messages: tuple[Message, ...] = field(default=())

    def with_message(self, message: Message) -> Conversation:
        """The same conversation with one more message at its end."""
        return Conversation((*self.messages, message))
