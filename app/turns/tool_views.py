"""Declared tools, findings, imports and rules as JSON values, for a page or a script."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from app.tools.findings import Finding
from app.tools.importing import Imported
from app.tools.mocks import written_rule
from app.tools.texts_beside import CheckedRules, CheckedSchema
from app.tools.tools_text import CheckedTools


def checked_tools_view(checked: CheckedTools) -> dict[str, Any]:
    """The tools of a text, and what is found in it; `warned` are those that a warning is about."""
    warned = {_tool_index(each.path) for each in checked.warnings}
    tools = [
        {**_tool_view(tool["function"]), "warned": at in warned or (None in warned)}
        for at, tool in enumerate(checked.tools)
    ]
    return {"tools": tools, **_findings_view(checked)}


def checked_schema_view(checked: CheckedSchema) -> dict[str, Any]:
    """What is found in the schema of an answer."""
    return _findings_view(checked)


def checked_rules_view(checked: CheckedRules) -> dict[str, Any]:
    """What is wrong with rules, and how many there are."""
    return {"errors": _views(checked.errors), "count": checked.count}


def imported_view(imported: Imported) -> dict[str, Any]:
    """Imported tools as the text that a person goes on with; rules and schemas as values."""
    return {
        "tools": json.dumps(imported.tools, indent=2, ensure_ascii=False),
        "results": dict(imported.results),
        "mocks": [written_rule(rule) for rule in imported.mocks],
        "notes": list(imported.notes),
    }


def _findings_view(checked: CheckedTools | CheckedSchema) -> dict[str, Any]:
    return {"errors": _views(checked.errors), "warnings": _views(checked.warnings)}


def _views(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    return [
        {
            "key": each.key,
            "path": each.path,
            "line": each.line,
            "column": each.column,
            "values": dict(each.values),
            "message": each.message,
        }
        for each in findings
    ]


def _tool_view(function: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": function["name"],
        "description": function.get("description") or "",
        "parameters": function.get("parameters") or {},
    }


def _tool_index(path: str) -> int | None:
    """The place in the array of the tool that a path leads into; None where the text is one."""
    number = path[2 : path.index("]")] if path.startswith("$[") else ""
    return int(number) if number.isdecimal() else None
