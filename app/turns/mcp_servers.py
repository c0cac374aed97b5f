"""The MCP servers that the owner of the playground lists: asked for their tools, never to run one.

A visitor names none: what is asked is what stands in the settings, and nothing that it leads to.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any, NoReturn
from urllib.parse import urlsplit

from app.tools.importing import Imported, ImportFailed, tools_from_mcp
from app.tools.json_text import compact

TIME_LIMIT_S = 20.0
"""Seconds for all that is asked of one server."""

_MOST_PAGES = 20
_MOST_BYTES = 8_000_000
"""Of one answer of a server; a list of tools has thousands."""


@dataclass(frozen=True, slots=True)
class MCPServer:
    """One server, by its address (streamable HTTP)."""

    url: str

    @property
    def name(self) -> str:
        """What a visitor is shown: no path, which may hold a secret."""
        return urlsplit(self.url).netloc.rpartition("@")[2]

    async def tools(self) -> Imported:
        """What it lists. Raises ImportFailed."""
        why = [f"it has not answered within {TIME_LIMIT_S:g} s"]
        try:
            async with asyncio.timeout(TIME_LIMIT_S) as limit:

                def refuse(reason: str) -> NoReturn:
                    # Its client goes on waiting, whatever is raised in it while it reads.
                    why.insert(0, reason)
                    limit.reschedule(asyncio.get_running_loop().time())
                    raise ValueError(reason)

                listed = await _list_tools(self.url, refuse)
        except TimeoutError:
            raise ImportFailed(f"{self.name} gives no tools: {why[0]}. Try again later.") from None
        except Exception as error:  # whatever a server of others does, and its client raises
            cause = _cause(error)
            raise ImportFailed(f"{self.name} cannot be asked for its tools ({cause}).") from None
        return await asyncio.to_thread(tools_from_mcp, compact({"tools": listed}))


@dataclass(frozen=True, slots=True)
class MCPServers:
    """All that are listed."""

    servers: tuple[MCPServer, ...] = ()

    @classmethod
    def of(cls, addresses: str) -> MCPServers:
        """Those of a text of addresses with spaces between. Raises ValueError for what is none."""
        urls = addresses.split()
        wrong = next((url for url in urls if not _is_address(url)), None)
        if wrong is not None:
            raise ValueError("GLM_MCP_SERVERS takes addresses that begin with http:// or https://.")
        return cls(tuple(map(MCPServer, urls)))

    def view(self) -> list[dict[str, str]]:
        """What a visitor chooses among."""
        return [{"id": str(at), "name": server.name} for at, server in enumerate(self.servers)]

    def find(self, wanted: str) -> MCPServer | None:
        """The one of an id, if there is one."""
        known = {str(at): server for at, server in enumerate(self.servers)}
        return known.get(wanted)


async def _list_tools(url: str, refuse: Callable[[str], NoReturn]) -> list[dict[str, Any]]:
    # The package is an extra, which only those need who list servers.
    import httpx
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    class Bounded(httpx.AsyncByteStream):
        """The bytes of an answer, as far as they are taken: not all say how many will come."""

        def __init__(self, whole: httpx.AsyncByteStream) -> None:
            self._whole = whole

        async def __aiter__(self) -> AsyncIterator[bytes]:
            taken = 0
            async for data in self._whole:
                taken += len(data)
                if taken > _MOST_BYTES:
                    refuse("its answer is too large")
                yield data

        async def aclose(self) -> None:
            await self._whole.aclose()

    async def look_at(response: httpx.Response) -> None:
        if response.is_redirect:
            refuse("it leads elsewhere")
        if response.headers.get("content-encoding", "identity") != "identity":
            refuse("its answer is packed, and may be of any size")
        if isinstance(response.stream, httpx.AsyncByteStream):
            response.stream = Bounded(response.stream)

    found: list[dict[str, Any]] = []
    async with (
        httpx.AsyncClient(
            timeout=TIME_LIMIT_S,
            headers={"Accept-Encoding": "identity"},
            event_hooks={"response": [look_at]},
        ) as client,
        streamable_http_client(url, http_client=client) as (reading, writing, _),
        ClientSession(reading, writing) as session,
    ):
        await session.initialize()
        cursor: str | None = None
        for _page in range(_MOST_PAGES):
            page = await session.list_tools(cursor)
            found += [each.model_dump(mode="json", exclude_none=True) for each in page.tools]
            cursor = page.nextCursor
            if cursor is None:
                break
    return found


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _cause(error: BaseException) -> str:
    """The first error of a group, by its kind: its words may hold the address."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return type(error).__name__
