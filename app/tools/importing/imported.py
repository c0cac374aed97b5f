"""What comes of an import, whatever it was made from."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.tools.mocks import Mock

_MAX_NAME = 64
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_OTHERS = re.compile(r"[^a-zA-Z0-9_-]+")


class ImportFailed(ValueError):  # noqa: N818 - it is about the import, and nothing of it is kept
    """Nothing could be imported: one sentence, with where and what to do."""


@dataclass(frozen=True, slots=True)
class Imported:
    """Tools as the OpenAI array has them, and schemas of their results by the tools' names.

    `notes` say in a sentence each what was left out, or could not be told. `mocks` are there where
    a tool set was imported.
    """

    tools: tuple[dict[str, Any], ...]
    results: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    mocks: tuple[Mock, ...] = ()


def tool(name: str, description: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """One tool in its envelope; an empty description is left out."""
    function: dict[str, Any] = {"name": name}
    if description:
        function["description"] = description
    return {"type": "function", "function": {**function, "parameters": dict(parameters)}}


def tool_name(text: str, taken: Container[str]) -> str:
    """A name that every server takes, made of a text, and not one of those taken."""
    plain = text if _NAME.fullmatch(text) else _OTHERS.sub("_", text).strip("_")[:_MAX_NAME]
    plain = plain or "tool"
    name, number = plain, 2
    while name in taken:
        ending = f"_{number}"
        name, number = plain[: _MAX_NAME - len(ending)] + ending, number + 1
    return name
