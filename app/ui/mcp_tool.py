"""The endpoint `chat` as a tool over MCP, for owners who switch it on.

Gradio brings the session manager and the tool's schema; the call itself is ours. Gradio's own
would give Python's text of the object, and would be asked for as if by this machine, so that all
visitors were one.
"""

from __future__ import annotations

from typing import Any

import gradio as gr
from mcp import types
from starlette.requests import Request

from app.turns.single import SingleTurns
from app.ui.chat_api import answer

_KEPT = (types.PingRequest, types.ListToolsRequest)


def serve_mcp_tool(page: gr.Blocks, turns: SingleTurns) -> None:
    """Answers calls of the tool of a page that is mounted with `mcp_server=True`.

    What else Gradio would answer goes: to read a resource it asks an address that the caller's
    Host header names. Raises RuntimeError where Gradio has put up no server.
    """
    if page.mcp_server_obj is None:
        raise RuntimeError(page.mcp_error or "Gradio has put up no MCP server.")
    server = page.mcp_server_obj.mcp_server
    for kind in tuple(server.request_handlers):
        if kind not in _KEPT:
            del server.request_handlers[kind]
    (tool,) = page.mcp_server_obj.tool_to_endpoint

    @server.call_tool()  # type: ignore[untyped-decorator]
    async def call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The object, which the client gets as JSON; what is raised, as a text."""
        if name != tool:
            raise ValueError(f"There is no tool {name}; call {tool}.")
        request: Any = server.request_context.request
        if not isinstance(request, Request):
            raise TypeError("The call came without a request.")
        known = {key: arguments[key] for key in ("effort", "tools", "system") if key in arguments}
        return await answer(turns, request, message=arguments.get("message"), **known)
