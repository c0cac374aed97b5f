"""`python -m deploy wait`: until the deployment serves, or has failed."""

from __future__ import annotations

import argparse

from deploy import exit_status
from deploy.argument_types import add_waiting_arguments
from deploy.credentials import find_credentials
from deploy.management import Management
from deploy.output import Output
from deploy.target import add_target_arguments, find_target
from deploy.watching import watch_until_serving


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds which deployment is meant, and for how long."""
    parser.description = (
        "Waits until the deployment serves, phase by phase; one that is scaled to zero is woken."
    )
    add_target_arguments(parser)
    add_waiting_arguments(parser)


async def run(arguments: argparse.Namespace, output: Output) -> int:
    """Waits; OK once it serves."""
    async with Management(find_credentials()) as management:
        target = await find_target(arguments, management)
        watched = await watch_until_serving(
            management, target, output, timeout_s=arguments.timeout, poll_s=arguments.poll
        )
    output.result(watched.as_json(), watched.text)
    return exit_status.OK
