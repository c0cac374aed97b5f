"""Putting tool calls together from the fragments in which servers send them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from app.chat.events import ToolCallDelta


class _OpenCall:
    def __init__(self, position: int) -> None:
        self.position = position
        self.id = ""
        self.name = ""
        self._arguments: list[str] = []

    @property
    def has_arguments(self) -> bool:
        return bool(self._arguments)

    def is_complete(self) -> bool:
        """Its arguments are whole JSON: what follows belongs to another call."""
        try:
            json.loads("".join(self._arguments))
        except (ValueError, RecursionError):
            return False
        return True

    def take(self, call_id: str, name: str, arguments: str) -> ToolCallDelta:
        new_id = call_id if not self.id else ""
        self.id = self.id or call_id
        new_name = self._more_of_name(name)
        self.name += new_name
        if arguments:
            self._arguments.append(arguments)
        return ToolCallDelta(self.position, new_id, new_name, arguments)

    def _more_of_name(self, name: str) -> str:
        if not name or name == self.name:
            return ""
        if name.startswith(self.name):
            return name[len(self.name) :]
        return "" if self.has_arguments else name


class CallAssembler:
    """Tells calls apart by id first, then by index; gaps in the index mean nothing.

    A new id under a used index is a new call, an empty id or name continues, one that repeats
    is no new text. A fragment with neither, under an index never opened, continues the last
    call while that one's JSON is unfinished; else it opens a nameless call.
    """

    def __init__(self) -> None:
        self._count = 0
        self._by_id: dict[str, _OpenCall] = {}
        self._by_index: dict[int, _OpenCall] = {}
        self._last: _OpenCall | None = None

    def feed(self, entries: Iterable[Any]) -> list[ToolCallDelta]:
        """Takes the `tool_calls` of one delta; returns what they add, in order."""
        deltas = (self._take(entry) for entry in entries if isinstance(entry, Mapping))
        return [delta for delta in deltas if delta is not None]

    def _take(self, entry: Mapping[str, Any]) -> ToolCallDelta | None:
        function = entry.get("function")
        function = function if isinstance(function, Mapping) else {}
        call_id, name = _text(entry.get("id")), _text(function.get("name"))
        arguments = _arguments_text(function.get("arguments"))
        index = entry.get("index")
        index = index if isinstance(index, int) else None
        call = self._find(call_id, index, name, arguments)
        if call is None:
            if not (call_id or name or arguments):
                return None
            call = self._open(index)
        if call_id:
            self._by_id.setdefault(call_id, call)
        self._last = call
        return call.take(call_id, name, arguments)

    def _find(self, call_id: str, index: int | None, name: str, arguments: str) -> _OpenCall | None:
        last = self._last
        candidate = last if index is None else self._by_index.get(index)
        if call_id:
            return self._by_id.get(call_id) or _if_awaiting_id(candidate, name)
        if index is not None and candidate is not None:
            return None if _is_another(candidate, name, arguments) else candidate
        if not name:
            return last if last is not None and not last.is_complete() else None
        if index is not None or last is None or last.name not in ("", name):
            return None
        return None if _is_another(last, name, arguments) else last

    def _open(self, index: int | None) -> _OpenCall:
        call = _OpenCall(self._count)
        self._count += 1
        if index is not None:
            self._by_index[index] = call
        return call


def _if_awaiting_id(call: _OpenCall | None, name: str) -> _OpenCall | None:
    """The call itself where an id that comes late is plainly its own."""
    if call is None or call.id or call.is_complete():
        return None
    return call if not name or not call.name or name == call.name else None


def _is_another(call: _OpenCall, name: str, arguments: str) -> bool:
    """Whether a fragment without an id, though under the call's index, begins a new call."""
    if not name or not call.name:
        return False
    if name == call.name:
        return bool(arguments.strip()) and call.is_complete()
    return call.has_arguments


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _arguments_text(value: Any) -> str:
    if isinstance(value, Mapping | list):
        return json.dumps(value, ensure_ascii=False)
    return _text(value)
