"""What happens while a turn runs, as values.

The one vocabulary between the endpoint and all who listen to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

WaitingReason: TypeAlias = Literal["slot", "retry", "waking"]
FailureKind: TypeAlias = Literal[
    "server_error", "unreachable", "timed_out", "too_large", "cut_short", "used_up"
]


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing is asked of the server yet, or again, for `seconds` if that is known.

    `billed`: whether the wait itself costs money.
    """

    reason: WaitingReason
    attempt: int = 0
    seconds: float | None = None
    message: str = ""
    billed: bool = False


@dataclass(frozen=True, slots=True)
class Started:
    """The server's headers came; it may still queue the request before its first token."""

    status: int
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """More thought, as plain text."""

    text: str


@dataclass(frozen=True, slots=True)
class ContentDelta:
    """More of the answer, as Markdown text."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """More of the call at `position` (0, 1, …, without gaps): its texts are to be appended."""

    position: int
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True, slots=True)
class ContentWasReasoning:
    """The first `upto` characters of the answer were thought: a closing tag just showed it."""

    upto: int


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts so far, as the server words them; the last one counts."""

    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Finished:
    """The server said why it stopped. Usage may still follow."""

    finish_reason: str
    stop_reason: str | int | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """The turn ended in an error; what came before it is kept.

    kind: server_error (an HTTP error, an error event, or an event that cannot be read),
    unreachable (no connection), timed_out (no byte for the time allowed), too_large (the request
    was not sent), cut_short (the connection broke in the middle), used_up (not sent: a limit of the
    playground is reached). `message` is the server's own, whole, where it sent one.
    """

    kind: FailureKind
    status: int | None
    message: str
    request_id: str | None = None


Event: TypeAlias = (
    Waiting
    | Started
    | ReasoningDelta
    | ContentDelta
    | ToolCallDelta
    | ContentWasReasoning
    | Usage
    | Finished
    | Failed
)
