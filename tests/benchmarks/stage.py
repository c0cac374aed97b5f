"""Everything that a benchmark needs, running: the upstream, the app, what it is compared with."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Any

import aiohttp

from tests.benchmarks.clients import TurnClient, Upstream
from tests.benchmarks.processes import Program, running

GRACE_S = 2.0
_IDLE_S = 2.0
_WARM_UP_S = 60.0


@dataclass(slots=True)
class Server:
    """A process whose CPU time is compared, and what it uses while nobody asks for anything."""

    name: str
    program: Program
    idle: float = 0.0

    async def rest(self) -> None:
        """Measures `idle`, in seconds of CPU a second."""
        before = self.program.cpu_seconds()
        await asyncio.sleep(_IDLE_S)
        self.idle = (self.program.cpu_seconds() - before) / _IDLE_S


@dataclass(frozen=True, slots=True)
class Stage:
    """The upstream's watch and the app, with a session for clients."""

    session: aiohttp.ClientSession
    upstream: Upstream
    upstream_url: str
    app: Server

    def visitor(self) -> TurnClient:
        """A new visitor of the app."""
        return TurnClient(self.session, self.app.program.url)

    async def cost(self, server: Server, work: Awaitable[Any]) -> float:
        """Seconds of a server's CPU time for each chunk that was sent while the work was done.

        What the server uses when idle is taken off.
        """
        loop = asyncio.get_running_loop()
        chunks, cpu, began = await self.upstream.chunks(), server.program.cpu_seconds(), loop.time()
        await work
        spent = server.program.cpu_seconds() - cpu - server.idle * (loop.time() - began)
        return spent / (await self.upstream.chunks() - chunks)


@asynccontextmanager
async def open_stage() -> AsyncGenerator[Stage]:
    """The upstream and the app in processes of their own, warmed up."""
    connector = aiohttp.TCPConnector(limit=0)
    with TemporaryDirectory(prefix="glm-bench-") as folder:
        async with _staged(folder, connector) as stage:
            yield stage


@asynccontextmanager
async def _staged(folder: str, connector: aiohttp.TCPConnector) -> AsyncGenerator[Stage]:
    async with (
        aiohttp.ClientSession(connector=connector) as session,
        running("tests.benchmarks.upstream", ready="Upstream:") as upstream,
    ):
        environment = {
            "OPENAI_BASE_URL": f"{upstream.url}/v1",
            "GRADIO_SERVER_NAME": "127.0.0.1",
            "GRADIO_SERVER_PORT": "0",
            "GLM_GRACE_S": f"{GRACE_S:g}",
            "GLM_PUBLIC": "false",
            "GLM_DATA_FOLDER": folder,
        }
        async with running("app", ready="http://127.0.0.1", environment=environment) as app:
            watch = Upstream(session, upstream.url)
            stage = Stage(session, watch, upstream.url, Server("the app", app))
            await watch.simulate("bench=200;speed=200")
            async with asyncio.timeout(_WARM_UP_S):
                await asyncio.gather(*(stage.visitor().turn() for _ in range(4)))
            await stage.app.rest()
            yield stage
