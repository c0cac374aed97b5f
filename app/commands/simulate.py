"""`python -m app simulate`: the simulated model server alone."""

from __future__ import annotations

import argparse
import socket
import sys

from app.commands.serving import serve_until_ended
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
    settings = SimulatorSettings(tokens_per_second=arguments.tokens_per_second)
    line = f"Simulated model server: http://{arguments.host}:{port}/v1"
    serve_until_ended(create_simulator(settings), listener, line, grace_s=1)
    return 0
