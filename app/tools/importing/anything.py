"""One way in for all that people paste: what a text is shows in how it begins."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from app.tools.errors import ToolSetError
from app.tools.importing.documents import read_document, read_json_document
from app.tools.importing.imported import Imported, ImportFailed
from app.tools.importing.mcp import is_tool_list, tools_of_list
from app.tools.importing.openapi import tools_of_document
from app.tools.importing.python_source import tools_from_python
from app.tools.tools_text import check_tools
from app.tools.toolset import read_toolset

_OPENAPI = re.compile(r"^(?:openapi|swagger)[ \t]*:", re.MULTILINE)
_PYTHON = re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]|^\w+[^=\n]*=[ \t]*\[", re.MULTILINE)
_WHAT_TO_DO = (
    "paste tools as JSON, a Python function, an OpenAPI document or the tools of an MCP server"
)
_TOOL_SET = ("tools", "results", "mocks")


def import_tools(text: str) -> Imported:
    """Tools from tools as JSON, a tool set, an OpenAPI document, an MCP list or Python source.

    Raises ImportFailed.
    """
    plain = text.removeprefix("\ufeff").lstrip()
    if not plain:
        raise ImportFailed(f"There is nothing to import: {_WHAT_TO_DO}.")
    if plain[0] in "{[":
        return tools_from_json(text)
    if _OPENAPI.search(text):
        return tools_of_document(read_document(text))
    if _PYTHON.search(text):
        return tools_from_python(text)
    raise ImportFailed(f"The text is nothing that tools are made of: {_WHAT_TO_DO}.")


def tools_from_json(text: str) -> Imported:
    """The same from a text that is to be JSON, whatever it holds. Raises ImportFailed."""
    value = read_json_document(text)
    if is_tool_list(value):
        return tools_of_list(value)
    if isinstance(value, Mapping):
        if "openapi" in value or "swagger" in value:
            return tools_of_document(value)
        if "jsonrpc" in value:
            return tools_of_list(value)
        if "tools" in value:
            return _from_tool_set(value)
    return _from_tools(text)


def _from_tool_set(value: Mapping[str, Any]) -> Imported:
    """A tool set, or the tools of a request that holds other things as well."""
    others = [key for key in value if key not in _TOOL_SET]
    try:
        read = read_toolset({"tools": value["tools"]} if others else value)
    except ToolSetError as error:
        raise ImportFailed(str(error)) from None
    notes = ("Only the tools are taken, not the rest of the request.",) if others else ()
    return Imported(read.tools, read.results, notes, read.mocks)


def _from_tools(text: str) -> Imported:
    checked = check_tools(text)
    if checked.errors:
        error = checked.errors[0]
        raise ImportFailed(f"In line {error.line}, column {error.column}: {error.message}")
    return Imported(checked.tools)
