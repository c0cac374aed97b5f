"""`python -m app simulate`: the simulated model server alone."""

from __future__ import annotations

import argparse
import socket
import sys

import uvicorn

from app.simulator import SimulatorSettings, create_simulator


def simulate(arguments: argparse.Namespace) -> int:
    """Serves the simulator until it is told to end; returns 2 where the port is taken."""
    try:
        listener = socket.create_server((arguments.host, arguments.port), backlog=2048)
    except OSError as error:
        print(
            f"{arguments.host}:{arguments.port} cannot be served: {error.strerror}.",
            file=sys.stderr,
        )
        return 2
    port = listener.getsockname()[1]
    print(f"Simulated model server: http://{arguments.host}:{port}/v1", flush=True)
    settings = SimulatorSettings(tokens_per_second=arguments.tokens_per_second)
    config = uvicorn.Config(
        create_simulator(settings),
        loop="uvloop" if sys.platform != "win32" else "asyncio",
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=1,
    )
    uvicorn.Server(config).run(sockets=[listener])
    return 0
