"""Chats and messages as the page gets them: JSON values, without secrets or paths of the server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from app.chat.entries import Node, ResultsEntry, UserEntry
from app.chat.files import TextFile
from app.chat.messages import Attachment
from app.chat.setup import ToolSetup
from app.media.budget import canvas_tokens, media_tokens
from app.store.chats import CallCounts, ChatLine
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
    match entry:
        case UserEntry():
            view = user_view(entry, address)
        case ResultsEntry():
            view = results_view(entry)
        case _:
            view = turn_view(entry, render, prices, node.feedback)
    return {**view, **_place(node)}


def _place(node: Node) -> dict[str, Any]:
    versions = {"at": node.versions.index(node.entry.id) + 1, "ids": list(node.versions)}
    return {"versions": versions, "created": node.created}


def user_view(entry: UserEntry, address: MediaAddress) -> dict[str, Any]:
    """A message that a person sent; of its files only what they are."""
    return {
        "kind": "user",
        "id": entry.id,
        "text": entry.text,
        "attachments": [media_view(attachment, address) for attachment in entry.attachments],
        "files": [_file_view(file) for file in entry.files],
    }


def results_view(entry: ResultsEntry) -> dict[str, Any]:
    """What the calls of a turn got, in call order."""
    results = [
        {
            "call_id": result.call_id,
            "content": result.content,
            "answered_by": result.answered_by,
        }
        for result in entry.results
    ]
    return {"kind": "results", "id": entry.id, "results": results}


def results_node_view(node: Node) -> dict[str, Any]:
    """Results of calls as `node_view` has them."""
    if not isinstance(node.entry, ResultsEntry):
        raise TypeError("An entry without results.")
    return {**results_view(node.entry), **_place(node)}


def calls_view(counts: CallCounts) -> dict[str, int]:
    """How many calls the model made in a chat, by what their checks found."""
    return {
        "calls": counts.calls,
        "valid": counts.valid,
        "invalid": counts.invalid,
        "unknown": counts.unknown,
    }


def setup_view(setup: ToolSetup | None) -> dict[str, Any] | None:
    """What is set up for the tools of a chat."""
    return None if setup is None else asdict(setup)


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
