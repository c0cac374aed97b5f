"""The simulator in this process: served on a loopback port of its own while a block runs."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from starlette.types import ASGIApp

from app.simulator import SimulatorSettings, create_simulator


class _QuietServer(uvicorn.Server):
    """A server beside another one, which alone answers to signals."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leaves the process's signals alone."""
        yield


@asynccontextmanager
async def running_simulator(settings: SimulatorSettings) -> AsyncGenerator[str]:
    """Serves the simulator on a free port of 127.0.0.1; gives its base URL, `/v1` included."""
    async with on_loopback(create_simulator(settings)) as url:
        yield f"{url}/v1"


@asynccontextmanager
async def on_loopback(application: ASGIApp) -> AsyncGenerator[str]:
    """Serves an application on a free port of 127.0.0.1; gives its address, without a slash."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        application,
        log_level="warning",
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=1,
    )
    server = _QuietServer(config)
    task = asyncio.create_task(server.serve(sockets=[listener]), name="simulator")
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await task
        listener.close()
