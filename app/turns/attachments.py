"""A conversation's request with its pictures and clips, and notes for those that are gone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

from app.chat.exchange import build_unfilled, filled
from app.chat.history import Repair
from app.chat.messages import Attachment, Conversation, MediaKind, Part, Text
from app.chat.request import Options, Request


@dataclass(frozen=True, slots=True)
class PreparedRequest:
    """A request with placeholders for its pictures and clips, and their data URLs by hash."""

    request: Request
    urls: Mapping[str, str]

    @property
    def whole(self) -> Request:
        """The request as it is sent."""
        return filled(self.request, self.urls)


async def prepare_request(
    conversation: Conversation,
    options: Options,
    load: Callable[[Attachment], Awaitable[str | None]],
) -> PreparedRequest:
    """The request that asks for the conversation's next message; `load` as for `with_media`."""
    conversation, urls, gone = await with_media(conversation, load)
    built = build_unfilled(conversation, options)
    return PreparedRequest(replace(built, repairs=(*gone, *built.repairs)), urls)


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
