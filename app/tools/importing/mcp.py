"""Tools from what an MCP server lists: the result of `tools/list`, as of 2025-11-25."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from app.tools.importing.documents import read_json_document
from app.tools.importing.imported import Imported, ImportFailed, tool, tool_name
from app.tools.json_text import json_path, shown
from app.tools.tool_rules import MAX_TOOLS

_EMPTY = {"type": "object", "properties": {}}


def tools_from_mcp(text: str) -> Imported:
    """The tools of a `tools/list` result, alone, in its JSON-RPC envelope, or as the bare array.

    Raises ImportFailed.
    """
    return tools_of_list(read_json_document(text))


def tools_of_list(value: Any) -> Imported:
    """The same for a list that was read."""
    listed, steps, notes = _listed(value)
    if len(listed) > MAX_TOOLS:
        notes.append(f"Of {len(listed)} tools the first {MAX_TOOLS} are taken, which is the most.")
    tools: list[dict[str, Any]] = []
    results: dict[str, Any] = {}
    for at, entry in enumerate(listed[:MAX_TOOLS]):
        stated = _name(entry, json_path((*steps, at)))
        name = tool_name(stated, {each["function"]["name"] for each in tools})
        if name != stated:
            notes.append(f"{shown(stated)} becomes {name}.")
        parameters = entry.get("inputSchema")
        if not isinstance(parameters, Mapping):
            notes.append(f"{name} has no inputSchema: it is taken to want no arguments.")
            parameters = _EMPTY
        tools.append(tool(name, _description(entry), parameters))
        if isinstance(entry.get("outputSchema"), Mapping):
            results[name] = entry["outputSchema"]
    return Imported(tuple(tools), results, tuple(notes))


def is_tool_list(value: Any) -> bool:
    """Whether a value looks like what an MCP server lists."""
    if isinstance(value, Mapping):
        result = value.get("result", value)
        value = result.get("tools") if isinstance(result, Mapping) else None
    return isinstance(value, list) and any(
        isinstance(each, Mapping) and "inputSchema" in each for each in value
    )


def _listed(value: Any) -> tuple[list[Any], tuple[str, ...], list[str]]:
    """The array, the steps to it, and what is to be said of the whole."""
    steps: tuple[str, ...] = ()
    notes: list[str] = []
    if isinstance(value, Mapping) and "error" in value:
        raise ImportFailed("$.error: the MCP server answered with an error, and lists no tools.")
    for key in ("result", "tools"):
        if isinstance(value, Mapping) and key in value:
            if value.get("nextCursor"):
                notes.append("The list goes on (nextCursor): import its other pages too.")
            value, steps = value[key], (*steps, key)
    if not isinstance(value, list):
        raise ImportFailed(
            f"{json_path(steps)} must be an array of MCP tools, not {shown(value)}: "
            "paste the answer to tools/list."
        )
    if not value:
        raise ImportFailed(f"{json_path(steps)} lists no tools: there is nothing to import.")
    return value, steps, notes


def _name(entry: Any, path: str) -> str:
    if not isinstance(entry, Mapping):
        raise ImportFailed(f"{path} must be a tool, an object, not {shown(entry)}.")
    name = entry.get("name")
    if not isinstance(name, str) or not name:
        raise ImportFailed(f"{path}.name is missing: a tool needs a name.")
    return name


def _description(entry: Mapping[str, Any]) -> str:
    """The description, else the title, which MCP keeps for people."""
    said: Iterator[Any] = (entry.get(key) for key in ("description", "title"))
    return next((each for each in said if isinstance(each, str) and each), "")
