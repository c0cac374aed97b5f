"""A chat to its case file and back, from files to files of one folder: in a thread or a process.

Decoding or encoding a large file keeps the interpreter from all else, and a file can be made to
take many times its size in memory: such work is done in a process of its own, within bounds.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final

from app.chat.entries import ResultsEntry, UserEntry, WholeChat, WholeNode
from app.chat.messages import Attachment
from app.chat.setup import MAX_SETUP_CHARACTERS
from app.export.case import CaseMedia
from app.export.case_reading import CaseError, read_case
from app.export.case_writing import write_case
from app.tools.arguments import ArgumentChecker
from app.turns.cases import attachments_of, case_of, chat_of
from app.turns.options import MAX_TEXT

CASE_FILE: Final = "case"
"""The case file, in its folder; pictures and clips are files called by their content hash."""

_CHAT: Final = "chat"
_MOST_MEDIA: Final = 500
_MOST_WIRE: Final = 120_000_000
"""Bytes of one recorded answer, about what packs to the 4 MB that are kept of one here."""


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A chat, and those of its pictures and clips whose bytes lie in its folder.

    `media` has them by content hash, which in a file from elsewhere is that of its own bytes.
    """

    chat: WholeChat
    media: Mapping[str, Attachment]


def unpack(folder: Path) -> None:
    """Reads the case file in the folder; what it holds is left there. Raises CaseError."""
    case = read_case((folder / CASE_FILE).read_bytes())
    whole = chat_of(case, ArgumentChecker, time.time())
    _check(whole)
    used = attachments_of(whole)
    media = {
        content_hash: brought.attachment
        for content_hash, brought in case.media.items()
        if content_hash in used
    }
    if len(media) > _MOST_MEDIA:
        raise CaseError(
            f"$.media has {len(media):,} pictures and clips, and at most {_MOST_MEDIA:,} are taken "
            "of a chat: leave some out."
        )
    for content_hash in media:
        (folder / content_hash).write_bytes(case.media[content_hash].data)
    save(folder, Unpacked(whole, media))


def pack(folder: Path) -> None:
    """Writes the case file of the chat that was saved in the folder."""
    unpacked = load(folder)
    media = {
        content_hash: CaseMedia(attachment, (folder / content_hash).read_bytes())
        for content_hash, attachment in unpacked.media.items()
    }
    data = write_case(case_of(unpacked.chat, media), exported=datetime.now(UTC))
    (folder / CASE_FILE).write_bytes(data)


def save(folder: Path, unpacked: Unpacked) -> None:
    """Leaves a chat in the folder, for `load`; the bytes of its media are put there apart."""
    whole = unpacked.chat
    with (folder / _CHAT).open("wb") as file:
        # One by one: whoever reads them is not kept from all else by one long step.
        for value in ((whole.title, whole.leaf, whole.setup), dict(unpacked.media), *whole.nodes):
            pickle.dump(value, file)


def load(folder: Path) -> Unpacked:
    """What `save` left in the folder."""
    with (folder / _CHAT).open("rb") as file:
        title, leaf, setup = _next(file)
        media = _next(file)
        nodes: list[WholeNode] = []
        while file.peek(1):
            nodes.append(_next(file))
    return Unpacked(WholeChat(title, leaf, tuple(nodes), setup), media)


def _next(file: IO[bytes]) -> Any:
    return pickle.load(file)  # noqa: S301 - written by `save`, in a folder of our own


def _check(whole: WholeChat) -> None:
    """Refuses what no chat of the playground could hold. Raises CaseError."""
    if whole.setup is not None and whole.setup.characters > MAX_SETUP_CHARACTERS:
        raise CaseError(
            f"$.setup has, with the tools and mocks of the file, more than "
            f"{MAX_SETUP_CHARACTERS:,} characters, the most that is kept of them: shorten them."
        )
    for number, node in enumerate(whole.nodes):
        if _characters(node) > MAX_TEXT:
            raise CaseError(
                f"$.entries[{number}] has more than {MAX_TEXT:,} characters, the most that a "
                "message takes: shorten it."
            )
        for at, exchange in enumerate(node.exchanges):
            if sum(len(read.data) for read in exchange.reads) > _MOST_WIRE:
                raise CaseError(
                    f"$.entries[{number}].exchanges[{at}].wire has more than {_MOST_WIRE:,} bytes: "
                    "leave it out."
                )


def _characters(node: WholeNode) -> int:
    entry = node.entry
    if isinstance(entry, UserEntry):
        return len(entry.text) + sum(len(file.text) for file in entry.files)
    if isinstance(entry, ResultsEntry):
        return sum(len(result.content) for result in entry.results)
    calls = sum(len(call.arguments) for call in entry.turn.tool_calls)
    return len(entry.turn.content) + len(entry.turn.reasoning) + calls
