"""The pictures and clips of a conversation as they are sent, and notes for those that are gone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from app.chat.history import Repair
from app.chat.messages import Attachment, Conversation, MediaKind, Part, Text


async def with_media(
    conversation: Conversation, load: Callable[[Attachment], Awaitable[str | None]]
) -> tuple[Conversation, dict[str, str], tuple[Repair, ...]]:
    """Loads what will be sent: the newest picture and the newest clip.

    Returns the conversation, with a note in place of what `load` no longer has; data URLs by
    content hash; and a repair for each note.
    """
    urls: dict[str, str] = {}
    gone: set[str] = set()
    for attachment in _newest(conversation):
        url = await load(attachment)
        if url is None:
            gone.add(attachment.hash)
        else:
            urls[attachment.hash] = url
    if not gone:
        return conversation, urls, ()
    noted = Conversation(
        tuple(
            replace(message, parts=tuple(_noted(part, gone) for part in message.parts))
            for message in conversation.messages
        )
    )
    return noted, urls, (Repair.of("history_repaired", "gone_media"),)


def _newest(conversation: Conversation) -> list[Attachment]:
    newest: dict[MediaKind, Attachment] = {}
    for message in conversation.messages:
        for part in message.parts:
            if isinstance(part, Attachment):
                newest[part.kind] = part
    return list(newest.values())


def _noted(part: Part, gone: set[str]) -> Part:
    if isinstance(part, Attachment) and part.hash in gone:
        return Text(f"[The {part.kind} “{part.name}” that stood here is no longer kept.]\n")
    return part
