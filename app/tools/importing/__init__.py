"""Tools from what people have: Python functions, OpenAPI documents, MCP servers, tool sets.

Pure: nothing that is given is run, and nothing that it names is fetched.
"""

from __future__ import annotations

from app.tools.importing.anything import import_tools, tools_from_json
from app.tools.importing.imported import Imported, ImportFailed
from app.tools.importing.mcp import tools_from_mcp
from app.tools.importing.openapi import tools_from_openapi
from app.tools.importing.python_source import tools_from_python

__all__ = [
    "ImportFailed",
    "Imported",
    "import_tools",
    "tools_from_json",
    "tools_from_mcp",
    "tools_from_openapi",
    "tools_from_python",
]
