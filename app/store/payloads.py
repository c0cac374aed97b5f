"""Entries of a chat as JSON, and back: what the database keeps of them.

Each field is read by its own type; one that is missing takes its default, one that is unknown
(a newer version wrote it) is passed over.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Literal, TypeAlias, TypeVar, get_type_hints

import msgspec

from app.chat.entries import Entry, ResultsEntry, TurnEntry, UserEntry
from app.chat.messages import Reasoning, Text, ToolCall
from app.chat.turn import Turn, TurnPart
from app.store.database import StoreError
from app.store.texts import folded, searched_text, storable

Kind: TypeAlias = Literal["user", "turn", "results"]
Value = TypeVar("Value")

_PARTS: Final[dict[str, type[TurnPart]]] = {
    "reasoning": Reasoning,
    "text": Text,
    "call": ToolCall,
}
_MOST_TOKENS: Final = 10**12
"""What a column and the sum of many can hold with ease; a larger count is none."""

_PART_NAMES: Final = {part: name for name, part in _PARTS.items()}

_FIGURES: Final = (
    "prompt_tokens",
    "cached_tokens",
    "completion_tokens",
    "seconds",
    "calls",
    "valid_calls",
    "unknown_calls",
)
"""The columns that only turns fill."""

_FIELDS: Final[dict[type, dict[str, Any]]] = {
    kind: get_type_hints(kind)
    for kind in (UserEntry, TurnEntry, ResultsEntry, Turn, *_PARTS.values())
}
"""The type of each field of what is read here."""


def kind_of(entry: Entry) -> Kind:
    """Which of the three an entry is."""
    match entry:
        case UserEntry():
            return "user"
        case TurnEntry():
            return "turn"
        case ResultsEntry():
            return "results"


def write_payload(entry: Entry) -> str:
    """The whole entry as JSON."""
    payload = msgspec.to_builtins(entry)
    if isinstance(entry, TurnEntry):
        payload["turn"]["parts"] = written_parts(entry.turn.parts)
    return storable(json.dumps(payload, ensure_ascii=False, separators=(",", ":")))


def read_payload(node_id: str, kind: Kind, payload: str) -> Entry:
    """The entry of a node. Raises StoreError naming the node where its JSON is none of ours."""
    try:
        values = json.loads(payload)
        if kind == "user":
            return _read(UserEntry, values)
        if kind == "results":
            return _read(ResultsEntry, values)
        return _read(TurnEntry, values, turn=_read_turn)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise StoreError(
            f"The message {node_id} of the database cannot be read: {error}"
        ) from error


def written_parts(parts: Iterable[TurnPart]) -> list[dict[str, Any]]:
    """Parts of a turn as they stand in JSON, each with its kind."""
    return [{"is": _PART_NAMES[type(part)], **msgspec.to_builtins(part)} for part in parts]


def read_parts(values: Iterable[Mapping[str, Any]]) -> tuple[TurnPart, ...]:
    """What `written_parts` wrote. Raises KeyError or TypeError where it is none of ours."""
    return tuple(map(_read_part, values))


def _read_turn(values: Mapping[str, Any]) -> Turn:
    return _read(Turn, values, parts=read_parts)


def _read_part(values: Mapping[str, Any]) -> TurnPart:
    return _read(_PARTS[values["is"]], values)


def _read(kind: type[Value], values: Mapping[str, Any], **readers: Callable[[Any], Any]) -> Value:
    """A value of this dataclass; fields that have a reader are read by it, others by type."""
    read = {
        name: readers[name](values[name])
        if name in readers
        else msgspec.convert(values[name], hint)
        for name, hint in _FIELDS[kind].items()
        if name in values
    }
    return kind(**read)


def row_of(entry: Entry, owner: str, chat: str, parent: str | None) -> dict[str, Any]:
    """The row of a node, but for its time and for what its place in the tree adds."""
    return {
        "id": entry.id,
        "owner": owner,
        "chat_id": chat,
        "parent": parent,
        "kind": kind_of(entry),
        **columns_of(entry),
    }


def media_rows(entry: Entry, owner: str) -> list[dict[str, Any]]:
    """A row for each picture and clip of an entry."""
    attachments = entry.attachments if isinstance(entry, UserEntry) else ()
    used = dict.fromkeys(attachment.hash for attachment in attachments)
    return [{"node_id": entry.id, "owner": owner, "hash": each} for each in used]


def columns_of(entry: Entry) -> dict[str, Any]:
    """What the columns of a node hold of its entry; `size` is in bytes."""
    payload, text = write_payload(entry), searched_text(entry)
    columns: dict[str, Any] = {
        "payload": payload,
        "text": text,
        "folded": folded(text),
        "size": len(payload.encode()),
    }
    figures = _figures(entry) if isinstance(entry, TurnEntry) else dict.fromkeys(_FIGURES)
    return columns | figures


def _figures(entry: TurnEntry) -> dict[str, Any]:
    """What a turn took of the server: by its own count, else the answer by the estimate shown.

    And its calls.
    """
    usage = entry.turn.usage or {}
    details = usage.get("prompt_tokens_details")
    completion = _count(usage.get("completion_tokens"))
    if completion is None and entry.turn.timings.total_s:  # a person's wording took nothing
        estimates = [_count(entry.stats.get(f"{part}_tokens")) for part in ("reasoning", "answer")]
        completion = sum(estimate or 0 for estimate in estimates)
    return {
        "prompt_tokens": _count(usage.get("prompt_tokens")),
        "cached_tokens": _count(details.get("cached_tokens"))
        if isinstance(details, Mapping)
        else None,
        "completion_tokens": completion,
        "seconds": entry.turn.timings.total_s,
        **_calls(entry),
    }


def _calls(entry: TurnEntry) -> dict[str, int | None]:
    """The calls of a turn, by what their checks found; none where a person changed the turn."""
    checks = () if entry.edited else entry.checks
    if not checks:
        return {"calls": None, "valid_calls": None, "unknown_calls": None}
    return {
        "calls": len(checks),
        "valid_calls": sum(check.declared and not check.problems for check in checks),
        "unknown_calls": sum(not check.declared for check in checks),
    }


def _count(value: object) -> int | None:
    """A token count that a server sent; None for what cannot be one."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS:
        return value
    return None
