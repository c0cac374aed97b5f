"""Chats as cases and cases as chats: what goes into a file, and what is taken from anybody's."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, get_args

from app.chat.entries import Entry, ResultsEntry, TurnEntry, UserEntry, WholeChat, WholeNode
from app.chat.exchange import Exchange
from app.chat.messages import Attachment, Effort
from app.chat.notices import ArgumentChecker
from app.chat.request import Options
from app.chat.setup import ToolSetup
from app.export.case import Case, CaseEntry, CaseMedia, CaseTurn, Said
from app.export.case_setup import setup_of, tool_set_of
from app.tools.toolset import ToolSet
from app.turns.ended import answer_checked, recorded_turn
from app.turns.file_names import plain_name

Checker = Callable[[Sequence[Mapping[str, Any]]], ArgumentChecker]
"""Makes what checks calls against the tools of a request."""


_EFFORTS: Final[Mapping[str, Effort]] = {effort: effort for effort in get_args(Effort)}


def case_of(whole: WholeChat, media: Mapping[str, CaseMedia]) -> Case:
    """The case of a chat; `media` has those of its pictures and clips that are still kept."""
    options = _newest_options(whole.nodes)
    tools = tuple(dict(tool) for tool in options.tools) if options else ()
    return Case(
        title=whole.title,
        entries=tuple(map(_case_entry, whole.nodes)),
        leaf=whole.leaf,
        options=options,
        tool_set=_tool_set(whole.setup, tools),
        media=media,
        setup=whole.setup,
    )


def _tool_set(setup: ToolSetup | None, sent: tuple[dict[str, Any], ...]) -> ToolSet:
    """What the chat's setup declares; the tools of its newest request where that is none."""
    declared = tool_set_of(setup) if setup else ToolSet()
    return declared if declared.tools else replace(declared, tools=sent)


def attachments_of(whole: WholeChat) -> dict[str, Attachment]:
    """The pictures and clips of a chat, each once, by content hash."""
    return {
        attachment.hash: attachment
        for node in whole.nodes
        if isinstance(node.entry, UserEntry)
        for attachment in node.entry.attachments
    }


def chat_of(case: Case, checker: Checker, now: float) -> WholeChat:
    """The chat of a case from elsewhere; `now` (Unix seconds) is for what has no time.

    Every id is a fresh one, since another chat may have that of the file. What the playground
    says about an answer is found out anew. Pictures and clips are still those of the file, for
    `attached`. Takes a while: not for the event loop.
    """
    ids = {entry.said.id: secrets.token_urlsafe(12) for entry in case.entries}
    checkers = _Checkers(checker, case.tool_set.tools)
    schema = case.options.response_schema if case.options else None
    nodes = tuple(
        WholeNode(
            entry=_entry(ids[entry.said.id], entry, checkers.of(entry.exchanges), schema),
            parent=None if entry.parent is None else ids[entry.parent],
            created=now if entry.created is None else entry.created,
            feedback=entry.feedback,
            exchanges=tuple(map(_sound, entry.exchanges)),
        )
        for entry in case.entries
    )
    leaf = None if case.leaf is None else ids[case.leaf]
    return WholeChat(case.title, leaf, nodes, case.setup or setup_of(case.tool_set))


def attached(whole: WholeChat, kept: Mapping[str, Attachment]) -> WholeChat:
    """The chat with its pictures and clips as they were kept; `kept` has them by the file's hash.

    What was not kept gets a hash of nothing: by that of the file somebody else's picture would be
    opened, of whom the file's maker knows no more than the hash.
    """
    unkept = {
        content_hash: replace(attachment, hash=_hash_of_nothing(), name=plain_name(attachment.name))
        for content_hash, attachment in attachments_of(whole).items()
        if content_hash not in kept
    }
    known = {**unkept, **kept}
    return replace(whole, nodes=tuple(_attached(node, known) for node in whole.nodes))


def _hash_of_nothing() -> str:
    """A content hash that no bytes have."""
    return hashlib.sha256(secrets.token_bytes(32)).hexdigest()


def _attached(node: WholeNode, known: Mapping[str, Attachment]) -> WholeNode:
    entry = node.entry
    if not isinstance(entry, UserEntry) or not entry.attachments:
        return node
    attachments = tuple(known[attachment.hash] for attachment in entry.attachments)
    return replace(node, entry=replace(entry, attachments=attachments))


def _newest_options(nodes: Iterable[WholeNode]) -> Options | None:
    asked = [node for node in nodes if node.exchanges]
    newest = max(asked, key=lambda node: node.created, default=None)
    return newest.exchanges[-1].options if newest else None


def _case_entry(node: WholeNode) -> CaseEntry:
    return CaseEntry(
        said=_said(node.entry),
        parent=node.parent,
        created=node.created,
        feedback=node.feedback,
        exchanges=node.exchanges,
    )


def _said(entry: Entry) -> Said:
    if not isinstance(entry, TurnEntry):
        return entry
    return CaseTurn(
        entry.id, entry.turn, entry.tokens, _EFFORTS.get(entry.effort or ""), entry.edited
    )


class _Checkers:
    """Checkers of calls by the tools of a request; those that follow each other share one."""

    def __init__(self, make: Checker, tools: Sequence[Mapping[str, Any]]) -> None:
        self._make = make
        self._of_file = tools
        self._tools, self._checker = tools, make(tools)

    def of(self, exchanges: Sequence[Exchange]) -> ArgumentChecker:
        """The checker for an answer; by the tools of the file where no request is known."""
        tools = exchanges[-1].options.tools if exchanges else self._of_file
        if tools != self._tools:
            self._tools, self._checker = tools, self._make(tools)
        return self._checker


def _entry(
    entry_id: str, entry: CaseEntry, checker: ArgumentChecker, schema: Mapping[str, Any] | None
) -> Entry:
    """An entry under its new id; `schema` is for answers of which no request is known."""
    said = entry.said
    if isinstance(said, UserEntry):
        files = tuple(replace(file, name=plain_name(file.name) or "file") for file in said.files)
        return replace(said, id=entry_id, files=files)
    if isinstance(said, ResultsEntry):
        return replace(said, id=entry_id)
    turn = recorded_turn(
        entry_id,
        said.turn,
        said.tokens,
        checker=checker,
        effort=said.effort,
        edited=said.edited,
    )
    asked = entry.exchanges[-1].options.response_schema if entry.exchanges else schema
    return answer_checked(turn, asked)


def _sound(exchange: Exchange) -> Exchange:
    """The exchange as one that was made here: only an answer that is there is gone on with."""
    options = replace(exchange.options, continue_last=bool(exchange.base))
    return replace(exchange, options=options)
