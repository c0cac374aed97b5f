"""The chats of each owner, as long as the process lives, in bounded number.

An owner is known by the hash of a token, never by the token. One owner's chat is not to be told
from one that does not exist by anybody else.
"""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from app.chat.messages import Attachment, Conversation, Message, Part, Text
from app.chat.notices import Notice, Problem
from app.chat.turn import Turn

if TYPE_CHECKING:
    from app.turns.run import Run

MAX_CHATS_PER_OWNER = 200
MAX_CHATS = 5_000
_TITLE_LENGTH = 60


PartTokens: TypeAlias = tuple[tuple[int | None, bool], ...]
"""A count for each part of a turn, or None, and whether it is an estimate."""


@dataclass(frozen=True, slots=True)
class UserEntry:
    """A message that a person sent."""

    id: str
    text: str
    attachments: tuple[Attachment, ...] = ()

    def message(self) -> Message:
        """As the conversation holds it: pictures and clips before the words about them."""
        text: tuple[Part, ...] = (Text(self.text),) if self.text else ()
        return Message("user", (*self.attachments, *text))


@dataclass(frozen=True, slots=True)
class CallCheck:
    """What the check of one call found."""

    declared: bool
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnEntry:
    """A turn that has ended, and what is shown of it beside its parts.

    `checks` has one entry a call of the turn; `tokens` one count, or None, a part.
    """

    id: str
    turn: Turn
    notices: tuple[Notice, ...]
    checks: tuple[CallCheck, ...]
    stats: Mapping[str, Any]
    tokens: PartTokens = ()


@dataclass(slots=True)
class Chat:
    """One conversation of one owner: entries in order, and its last run while that has a log."""

    id: str
    owner: str
    entries: list[UserEntry | TurnEntry] = field(default_factory=list)
    updated: float = field(default_factory=time.time)
    run: Run | None = None

    @property
    def running(self) -> Run | None:
        """The run that is going on."""
        return self.run if self.run is not None and not self.run.ended else None

    @property
    def title(self) -> str:
        """The first words that were said in it."""
        first = next((e for e in self.entries if isinstance(e, UserEntry)), None)
        if first is None:
            return ""
        words = " ".join(first.text.split()) or ", ".join(a.name for a in first.attachments)
        return words if len(words) <= _TITLE_LENGTH else words[: _TITLE_LENGTH - 1] + "…"

    def conversation(self) -> Conversation:
        """What was said so far; a turn that brought nothing is no part of it."""
        messages: list[Message] = []
        for entry in self.entries:
            if isinstance(entry, UserEntry):
                messages.append(entry.message())
            elif entry.turn.parts:
                messages.append(entry.turn.message())
        return Conversation(tuple(messages))

    def drop_last_turn(self) -> None:
        """Takes back the answer to the last message, if there is one."""
        while self.entries and isinstance(self.entries[-1], TurnEntry):
            self.entries.pop()

    def find_turn(self, turn_id: str) -> TurnEntry | None:
        """The ended turn of this id."""
        turns = (e for e in self.entries if isinstance(e, TurnEntry))
        return next((entry for entry in turns if entry.id == turn_id), None)


class ChatBook:
    """All chats. Past the bounds the chat that rested longest goes, never one that runs."""

    def __init__(self, per_owner: int = MAX_CHATS_PER_OWNER, in_all: int = MAX_CHATS) -> None:
        self._per_owner = per_owner
        self._in_all = in_all
        self._chats: OrderedDict[tuple[str, str], Chat] = OrderedDict()

    def get(self, owner: str, chat_id: str) -> Chat | None:
        """The owner's chat of this id; None also where it is somebody else's."""
        return self._chats.get((owner, chat_id))

    def open(self, owner: str, chat_id: str) -> Chat:
        """The owner's chat of this id, made where there is none."""
        chat = self._chats.get((owner, chat_id))
        if chat is None:
            chat = self._chats[owner, chat_id] = Chat(chat_id, owner)
            self._forget_oldest(owner)
        return chat

    def touch(self, chat: Chat) -> None:
        """Something happened in the chat: it is now the newest."""
        chat.updated = time.time()
        if (chat.owner, chat.id) in self._chats:
            self._chats.move_to_end((chat.owner, chat.id))

    def of(self, owner: str) -> list[Chat]:
        """The owner's chats, the newest first."""
        return [chat for key, chat in reversed(self._chats.items()) if key[0] == owner]

    def running(self) -> list[Run]:
        """The runs that are going on, of all owners."""
        return [run for chat in self._chats.values() if (run := chat.running) is not None]

    def find_run(self, owner: str, run_id: str) -> Run | None:
        """The owner's run of this id, going on or the last of its chat."""
        return next(
            (c.run for c in self.of(owner) if c.run is not None and c.run.id == run_id), None
        )

    def _forget_oldest(self, owner: str) -> None:
        mine = [key for key, chat in self._chats.items() if key[0] == owner and not chat.running]
        everything = [key for key, chat in self._chats.items() if not chat.running]
        surplus = [*mine[: max(0, len(mine) - self._per_owner)]]
        surplus += everything[: max(0, len(self._chats) - len(surplus) - self._in_all)]
        for key in surplus:
            self._chats.pop(key, None)


def owner_of(token: str) -> str:
    """The name under which an owner's things are kept: not the token, which stays secret."""
    return hashlib.sha256(token.encode()).hexdigest()
