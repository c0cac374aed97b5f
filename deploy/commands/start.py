"""`python -m deploy start`: activates a deployment that was stopped, and waits until it serves."""

from __future__ import annotations

import argparse

from deploy import exit_status
from deploy.argument_types import add_waiting_arguments
from deploy.credentials import find_credentials
from deploy.management import Management
from deploy.output import Output
from deploy.statuses import status_of
from deploy.target import add_target_arguments, find_target
from deploy.watching import told_when_interrupted, unknown_text, watch_until_serving


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds which deployment is meant, and for how long it may take."""
    parser.description = (
        "Activates a deployment that was stopped, which is billed from then on, and waits until "
        "it serves."
    )
    add_target_arguments(parser)
    add_waiting_arguments(parser)


async def run(arguments: argparse.Namespace, output: Output) -> int:
    """Starts it; OK once it serves."""
    async with Management(find_credentials()) as management:
        target = await find_target(arguments, management)
        stopped = status_of(target.status).ends == "failed"
        if stopped:
            output.note(f"{target.name} starts, and is billed from now on.")
            left = unknown_text(target, "started, and is then billed")
            with told_when_interrupted(output, lambda: left):
                await management.activate(target.model_id, target.deployment_id)
        watched = await watch_until_serving(
            management,
            target,
            output,
            timeout_s=arguments.timeout,
            poll_s=arguments.poll,
            started=stopped,
        )
    output.result(watched.as_json(), watched.text)
    return exit_status.OK
