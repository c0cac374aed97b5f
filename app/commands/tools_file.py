"""The file of tools that `ask` is given: whatever tools can be imported from."""

from __future__ import annotations

import sys
from pathlib import Path

from app.commands.files import BadArguments, read_text
from app.tools.importing import ImportFailed, import_tools
from app.tools.json_text import compact
from app.tools.tools_text import check_tools
from app.tools.toolset import ToolSet


def read_tools_file(path: Path) -> ToolSet:
    """The tools of a file, and what is to be said about them on stderr. Raises BadArguments."""
    try:
        imported = import_tools(read_text(path))
    except ImportFailed as error:
        raise BadArguments(f"{path} holds no tools that can be used. {error}") from None
    checked = check_tools(compact(list(imported.tools)))
    if checked.errors:
        raise BadArguments(f"{path} holds a tool that cannot be sent. {checked.errors[0].message}")
    for note in imported.notes:
        print(note, file=sys.stderr)
    for warning in checked.warnings:
        print(warning.message, file=sys.stderr)
    return ToolSet(imported.tools, imported.results, imported.mocks)
