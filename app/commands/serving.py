"""An ASGI application on a socket, from its address being told until Ctrl+C."""

from __future__ import annotations

import socket
import sys

import uvicorn
from starlette.types import ASGIApp


class _AnnouncedServer(uvicorn.Server):
    """Says its line once it answers, and can be ended: not a moment before."""

    def __init__(self, config: uvicorn.Config, line: str) -> None:
        super().__init__(config)
        self._line = line

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            print(self._line, flush=True)


def serve_until_ended(
    application: ASGIApp, listener: socket.socket, line: str, *, grace_s: int
) -> None:
    """Serves the application, and prints `line` once it does.

    When it is told to end, running answers have `grace_s` seconds left. Raises KeyboardInterrupt
    after Ctrl+C.
    """
    config = uvicorn.Config(
        application,
        loop="uvloop" if sys.platform != "win32" else "asyncio",
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        timeout_graceful_shutdown=grace_s,
    )
    _AnnouncedServer(config, line).run(sockets=[listener])
