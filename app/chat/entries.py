"""What a chat is made of as it is kept and shown: messages, turns, results of the calls in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from app.chat.exchange import Exchange
from app.chat.files import TextFile, fenced
from app.chat.messages import Attachment, Conversation, Message, Part, Text, ToolResult
from app.chat.notices import Notice, Problem
from app.chat.setup import ToolSetup
from app.chat.turn import Turn

PartTokens: TypeAlias = tuple[tuple[int | None, bool], ...]
"""A count for each part of a turn, or None, and whether it is an estimate."""

TITLE_LENGTH = 60


@dataclass(frozen=True, slots=True)
class UserEntry:
    """A message that a person sent: words, pictures and clips, text files."""

    id: str
    text: str
    attachments: tuple[Attachment, ...] = ()
    files: tuple[TextFile, ...] = ()

    def message(self) -> Message:
        """As the conversation holds it: pictures and clips, then files, then the words on them."""
        words = "\n\n".join(
            [*(fenced(file) for file in self.files), *([self.text] * bool(self.text))]
        )
        text: tuple[Part, ...] = (Text(words),) if words else ()
        return Message("user", (*self.attachments, *text))

    @property
    def title(self) -> str:
        """Its first words, to name a chat by; at most `TITLE_LENGTH` characters."""
        named = [*(a.name for a in self.attachments), *(file.name for file in self.files)]
        words = " ".join(self.text[: TITLE_LENGTH * 20].split()) or ", ".join(filter(None, named))
        return words if len(words) <= TITLE_LENGTH else words[: TITLE_LENGTH - 1] + "…"


@dataclass(frozen=True, slots=True)
class CallCheck:
    """What the check of one call found."""

    declared: bool
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerCheck:
    """What the check of an answer found whose request gave a schema for it.

    `parsed` says whether its text is JSON; without problems it is as the schema asks.
    """

    parsed: bool
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnEntry:
    """A turn that has ended, and what is shown of it beside its parts.

    `checks` has one entry a call of the turn; `tokens` one count, or None, a part. `effort` is
    what was asked for, None for the server's default; `edited` says that a person changed the
    answer, `recorded` that it came with a case file and nothing of it was asked for here.
    `answer_check` is None where no schema was asked for, or no answer came. `step_limit` is how
    many turns a run may take, where rules answer the calls and the run ended here for having taken
    as many.
    """

    id: str
    turn: Turn
    notices: tuple[Notice, ...]
    checks: tuple[CallCheck, ...]
    stats: Mapping[str, Any]
    tokens: PartTokens = ()
    effort: str | None = None
    edited: bool = False
    recorded: bool = False
    answer_check: AnswerCheck | None = None
    step_limit: int | None = None


@dataclass(frozen=True, slots=True)
class GivenResult:
    """What one call got, as the text that the model reads.

    `answered_by` is "hand", "rule 2", "generated", "error", or "cancelled" for a call that was
    never to be answered.
    """

    call_id: str
    content: str
    answered_by: str


@dataclass(frozen=True, slots=True)
class ResultsEntry:
    """The results of a turn's calls: one for each, in call order."""

    id: str
    results: tuple[GivenResult, ...]

    def message(self) -> Message:
        """As the conversation holds it."""
        return Message("tool", tuple(ToolResult(r.call_id, r.content) for r in self.results))


Entry: TypeAlias = UserEntry | TurnEntry | ResultsEntry


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a person thinks of a turn."""

    value: Literal["like", "dislike"]
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """An entry in the tree of a chat.

    `parent` is the entry that it follows, None for a first message. `versions` are the ids of all
    entries that follow the same one, this one among them, in the order of their making: another
    wording of a message, another answer to it. `created` is in Unix seconds.
    """

    entry: Entry
    parent: str | None
    versions: tuple[str, ...]
    created: float
    feedback: Feedback | None = None


@dataclass(frozen=True, slots=True)
class WholeNode:
    """An entry of a chat that is taken whole. `exchanges` are what an answer came of."""

    entry: Entry
    parent: str | None
    created: float
    feedback: Feedback | None = None
    exchanges: tuple[Exchange, ...] = ()


@dataclass(frozen=True, slots=True)
class WholeChat:
    """A chat with all its versions and all that was recorded.

    `title` is what a person called it, None where nobody did. Of `nodes` those that others follow
    stand before them, and the versions of one in the order of their making. `leaf` is the end of
    the active path, None where that is empty. `setup` is None where nothing was ever set up.
    """

    title: str | None
    leaf: str | None
    nodes: tuple[WholeNode, ...]
    setup: ToolSetup | None = None


def conversation_of(entries: tuple[Entry, ...] | list[Entry]) -> Conversation:
    """What was said; a turn that brought nothing is no part of it."""
    messages: list[Message] = []
    for entry in entries:
        if not isinstance(entry, TurnEntry):
            messages.append(entry.message())
        elif entry.turn.parts:
            messages.append(entry.turn.message())
    return Conversation(tuple(messages))
