"""The HTTP routes of tools: checked as they are typed, imported and exported. None is ever run.

The work is done in threads: a text may be large, and whoever waits for a turn must not wait for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from fastapi import APIRouter, Request
from pydantic import ConfigDict, Field, model_validator

from app.tools.exporting import tools_as_python
from app.tools.importing import (
    Imported,
    ImportFailed,
    import_tools,
    tools_from_json,
    tools_from_mcp,
    tools_from_openapi,
    tools_from_python,
)
from app.tools.mocks import Mocks
from app.tools.texts_beside import check_answer_schema, check_rules
from app.tools.tools_text import check_tools
from app.tools.toolset import ToolSet, ToolSetError, parse_mocks, toolset_text
from app.turns.errors import Refusal, refusals
from app.turns.mcp_servers import MCPServers
from app.turns.tool_options import Body
from app.turns.tool_views import (
    checked_rules_view,
    checked_schema_view,
    checked_tools_view,
    imported_view,
)
from app.turns.visitors import Owner, RateLimit, visitor_of

MAX_TEXT_BODY = 16_000_000
"""Bytes of a text's JSON: the longest that is taken, in UTF-8 and escaped."""

_IMPORT_FAILED = Refusal(422, "import_failed", "Nothing can be imported; the sentence says why.")
_EXPORT_FAILED = Refusal(422, "export_failed", "The tools have an error; the sentence says which.")
_NO_SERVER = Refusal(
    404, "no_mcp_server", "There is no such MCP server.", "Choose one of the list."
)
_SERVER_FAILED = Refusal(502, "mcp_failed", "The MCP server gives no tools; the sentence says why.")

_IMPORTERS: Final[Mapping[str, Callable[[str], Imported]]] = {
    "auto": import_tools,
    "json": tools_from_json,
    "python": tools_from_python,
    "openapi": tools_from_openapi,
    "mcp": tools_from_mcp,
}


class CheckedText(Body):
    """One text to look at: tools, the schema of an answer, or rules."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"tools": '{"name": "now", "parameters": {}}'}]}
    )

    tools: str | None = None
    schema_text: str | None = None
    rules: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _has_one(cls, body: Any) -> Any:
        if isinstance(body, dict) and len(body) == 1 and "schema" in body:
            return {"schema_text": body["schema"]}
        if not isinstance(body, dict) or len(body) != 1 or "schema_text" in body:
            raise ValueError("send one text: tools, schema or rules")
        return body


class ImportedText(Body):
    """What tools are made of; `auto` finds out what it is."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"text": "def now(zone: str) -> str: ..."}]}
    )

    text: str
    kind: Literal["auto", "python", "openapi", "mcp", "json"] = "auto"


class DeclaredText(Body):
    """Tools as they are written."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"tools": '{"name": "now", "parameters": {}}'}]}
    )

    tools: str
    rules: str = Field("", description="The text of their rules: an array, or a tool-set file.")


class ChosenServer(Body):
    """One of the MCP servers that the owner of the playground lists."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"server": "0"}]})

    server: str


def tool_routes(servers: MCPServers, limit: RateLimit | None, *, public: bool) -> APIRouter:
    """The routes under `/api/tools`; `limit` counts the texts that a visitor has looked at."""
    router = APIRouter(prefix="/api/tools", tags=["tools"])

    def count(me: str, request: Request) -> None:
        if limit is not None:
            limit.take(visitor_of(request) if public else me)

    @router.post("/check", max_body_size=MAX_TEXT_BODY)
    async def check(me: Owner, body: CheckedText, request: Request) -> dict[str, Any]:
        """What is wrong with one text: `tools`, the `schema` of an answer, or `rules`.

        Answers `errors`, which the server would refuse, and `warnings`, each with its place; for
        tools also what they are, for rules their `count`.
        """
        count(me, request)
        return await asyncio.to_thread(_checked, body)

    @router.post("/import", max_body_size=MAX_TEXT_BODY, responses=refusals(_IMPORT_FAILED))
    async def import_text(me: Owner, body: ImportedText, request: Request) -> dict[str, Any]:
        """Tools from a Python function, an OpenAPI document, an MCP list, or JSON. Runs nothing.

        Answers `tools`, the text of OpenAI's array; `results` and `mocks`, where the text has
        them; and `notes` about what was left out.
        """
        count(me, request)
        return await asyncio.to_thread(_imported, body)

    @router.post("/export", max_body_size=MAX_TEXT_BODY, responses=refusals(_EXPORT_FAILED))
    async def export(me: Owner, body: DeclaredText, request: Request) -> dict[str, str]:
        """The tools as a Python module, with a function to write for each, and as `json`.

        That is a tool-set file where there are rules, or schemas of results; else the array.
        """
        count(me, request)
        return await asyncio.to_thread(_exported, body)

    @router.get("/mcp")
    async def list_servers(_me: Owner) -> dict[str, Any]:
        """The MCP servers whose tools can be imported: those that the owner lists."""
        return {"servers": servers.view()}

    @router.post("/mcp", responses=refusals(_NO_SERVER, _SERVER_FAILED))
    async def import_server(me: Owner, body: ChosenServer, request: Request) -> dict[str, Any]:
        """The tools of one of these servers, as of an import. None of them is called."""
        count(me, request)
        server = servers.find(body.server)
        if server is None:
            raise _NO_SERVER
        try:
            return imported_view(await server.tools())
        except ImportFailed as error:
            raise Refusal(502, "mcp_failed", str(error)) from None

    return router


def _checked(body: CheckedText) -> dict[str, Any]:
    if body.schema_text is not None:
        return checked_schema_view(check_answer_schema(body.schema_text))
    if body.rules is not None:
        return checked_rules_view(check_rules(body.rules))
    return checked_tools_view(check_tools(body.tools or ""))


def _imported(body: ImportedText) -> dict[str, Any]:
    try:
        return imported_view(_IMPORTERS[body.kind](body.text))
    except ImportFailed as error:
        raise Refusal(422, "import_failed", str(error)) from None


def _exported(body: DeclaredText) -> dict[str, str]:
    checked = check_tools(body.tools)
    if checked.errors:
        first = checked.errors[0]
        raise Refusal(
            422, "export_failed", f"Line {first.line}, column {first.column}: {first.message}"
        )
    try:
        mocks = parse_mocks(body.rules, {}) if body.rules.strip() else Mocks()
    except ToolSetError as error:
        raise Refusal(422, "export_failed", f"The rules have a mistake. {error}") from None
    return {
        "python": tools_as_python(checked.tools),
        "json": toolset_text(ToolSet(checked.tools, mocks.results, mocks.rules)),
    }
