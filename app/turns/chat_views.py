"""Chats and messages as the page gets them: JSON values, without secrets or paths of the server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.chat.entries import Node, UserEntry
from app.chat.files import TextFile
from app.chat.messages import Attachment
from app.media.budget import canvas_tokens, media_tokens
from app.store.chats import ChatLine
from app.turns.prices import Prices
from app.turns.tokens import byte_length
from app.turns.turn_views import Render, turn_view

MediaAddress = Callable[[str], str]
"""Gives the signed, short-lived address under which a page finds a picture or a clip."""


def line_view(line: ChatLine, *, running: bool) -> dict[str, Any]:
    """A chat as a line of a list."""
    return {
        "id": line.id,
        "title": line.title,
        "created": line.created,
        "updated": line.updated,
        "pinned": line.pinned,
        "snippet": line.snippet,
        "running": running,
    }


def node_view(node: Node, render: Render, address: MediaAddress, prices: Prices) -> dict[str, Any]:
    """An entry of a chat, and which of its versions it is."""
    entry = node.entry
    view = (
        user_view(entry, address)
        if isinstance(entry, UserEntry)
        else turn_view(entry, render, prices, node.feedback)
    )
    versions = {"at": node.versions.index(entry.id) + 1, "ids": list(node.versions)}
    return {**view, "versions": versions, "created": node.created}


def user_view(entry: UserEntry, address: MediaAddress) -> dict[str, Any]:
    """A message that a person sent; of its files only what they are."""
    return {
        "kind": "user",
        "id": entry.id,
        "text": entry.text,
        "attachments": [media_view(attachment, address) for attachment in entry.attachments],
        "files": [_file_view(file) for file in entry.files],
    }


def message_source(entry: UserEntry, address: MediaAddress) -> dict[str, Any]:
    """A message whole, to be edited or copied."""
    return {
        "id": entry.id,
        "text": entry.text,
        "attachments": [media_view(attachment, address) for attachment in entry.attachments],
        "files": [{"name": file.name, "text": file.text} for file in entry.files],
    }


def media_view(attachment: Attachment, address: MediaAddress) -> dict[str, Any]:
    """A picture or a clip, with the address of its bytes, and about what it takes of a prompt."""
    view = {
        "hash": attachment.hash,
        "kind": attachment.kind,
        "name": attachment.name,
        "mime": attachment.mime,
        "size": attachment.size,
        "width": attachment.width,
        "height": attachment.height,
        "seconds": attachment.seconds,
        "tokens": media_tokens(attachment),
        "url": address(attachment.hash),
    }
    if attachment.kind == "video" and attachment.width and attachment.height:
        view["tokens_a_second"] = canvas_tokens(attachment.width, attachment.height)
    return view


def _file_view(file: TextFile) -> dict[str, Any]:
    return {"name": file.name, "size": byte_length(file.text), "lines": len(file.text.splitlines())}
