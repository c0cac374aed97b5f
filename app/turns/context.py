"""How much of the model's context a conversation takes: counted where it can be, else estimated."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from app.chat.entries import Node, TurnEntry, conversation_of
from app.chat.messages import Attachment, Conversation, ToolCall, ToolResult
from app.media.budget import media_tokens
from app.store.chats import ChatStore, Page
from app.turns.tokens import estimate_tokens

_TOKENS_A_MESSAGE = 4


def after_turn(entry: TurnEntry, before: Conversation, limit: int) -> dict[str, Any]:
    """What a conversation takes with this turn at its end."""
    counted = entry.stats.get("context_tokens")
    if counted is not None:
        return _view(counted, "usage", limit)
    return _view(estimate(before) + estimate(conversation_of([entry])), "estimate", limit)


def of_path(nodes: Iterable[Node], limit: int) -> dict[str, Any]:
    """What the conversation takes that these entries are: the last count, and what followed it."""
    counted, since = 0, []
    source = "estimate"
    for node in nodes:
        tokens = (
            node.entry.stats.get("context_tokens") if isinstance(node.entry, TurnEntry) else None
        )
        if tokens is None:
            since.append(node.entry)
        else:
            counted, since, source = tokens, [], "usage"
    if since:
        return _view(counted + estimate(conversation_of(since)), "estimate", limit)
    return _view(counted, source, limit)


async def of_chat(
    store: ChatStore, owner: str, chat: str, page: Page, limit: int
) -> dict[str, Any]:
    """What a chat takes, of which `page` is the end; all of it is read only where that end is
    uncounted. Raises ChatUnknown.
    """
    nodes = page.nodes
    counted = any(
        isinstance(node.entry, TurnEntry) and node.entry.stats.get("context_tokens") is not None
        for node in nodes
    )
    if page.earlier and not counted:
        nodes = (await store.page(owner, chat)).nodes
    return of_path(nodes, limit)


def estimate(conversation: Conversation) -> int:
    """About how many tokens a conversation is: its texts by length, its media by their size."""
    tokens = 0
    for message in conversation.messages:
        tokens += _TOKENS_A_MESSAGE
        for part in message.parts:
            match part:
                case Attachment():
                    tokens += media_tokens(part)
                case ToolCall(_, name, arguments):
                    tokens += estimate_tokens(name) + estimate_tokens(arguments)
                case ToolResult(_, content):
                    tokens += estimate_tokens(content)
                case _:
                    tokens += estimate_tokens(part.text)
    return tokens


def _view(tokens: int, source: str, limit: int) -> dict[str, Any]:
    return {"tokens": tokens, "estimated": source == "estimate", "limit": limit, "source": source}
