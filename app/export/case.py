"""What a case file holds: a chat with its versions, what was sent and what came, and its media.

A case file (`*.case.json`) is written by `case_writing` and read, with every check, by
`case_reading`. Whoever made it, what was read is data: nothing in it is believed to be ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from app.chat.entries import Feedback, PartTokens, ResultsEntry, UserEntry
from app.chat.exchange import Exchange
from app.chat.messages import Attachment, Effort
from app.chat.request import Options
from app.chat.setup import ToolSetup
from app.chat.turn import Turn
from app.tools.toolset import ToolSet

FORMAT = "glm-playground-case"
VERSION = 1


@dataclass(frozen=True, slots=True)
class CaseTurn:
    """An answer: what its stream added up to, or a person's wording where `edited`.

    `tokens` has one count a part, as `TurnEntry` has; empty where nobody counted.
    """

    id: str
    turn: Turn
    tokens: PartTokens = ()
    effort: Effort | None = None
    edited: bool = False


Said: TypeAlias = UserEntry | CaseTurn | ResultsEntry


@dataclass(frozen=True, slots=True)
class CaseEntry:
    """One message, answer, or set of results, and where it stands.

    `parent` is the id of what it follows, None for a first message. `created` is in Unix seconds,
    None where that is not known. `exchanges` are what an answer came of, oldest first.
    """

    said: Said
    parent: str | None
    created: float | None = None
    feedback: Feedback | None = None
    exchanges: tuple[Exchange, ...] = ()


@dataclass(frozen=True, slots=True)
class CaseMedia:
    """A picture or a clip with its bytes, which are those of its content hash."""

    attachment: Attachment
    data: bytes


@dataclass(frozen=True, slots=True)
class Case:
    """A chat as a file: entries with parents before those that follow them.

    `leaf` is the end of the path that is shown. `media` has those by content hash that the file
    brings: an attachment without bytes is gone. `options` are those of the newest request, with its
    tools; `tool_set` has the tools of the next one, with result schemas and mocks. `setup` is what
    was set up for them, None where the file says nothing of it.
    """

    title: str | None = None
    entries: tuple[CaseEntry, ...] = ()
    leaf: str | None = None
    options: Options | None = None
    tool_set: ToolSet = field(default_factory=ToolSet)
    media: Mapping[str, CaseMedia] = field(default_factory=dict)
    setup: ToolSetup | None = None

    def path(self) -> tuple[CaseEntry, ...]:
        """From the first message to `leaf`."""
        by_id = {entry.said.id: entry for entry in self.entries}
        path: list[CaseEntry] = []
        at = self.leaf
        while at is not None:
            path.append(by_id[at])
            at = by_id[at].parent
        return tuple(reversed(path))
