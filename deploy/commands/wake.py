"""`python -m deploy wake`: wakes a deployment that is scaled to zero, and waits until it serves."""

from __future__ import annotations

import argparse

from deploy import exit_status
from deploy.argument_types import add_waiting_arguments
from deploy.credentials import find_credentials
from deploy.errors import CredentialsError, DeployError
from deploy.management import Management
from deploy.output import Output
from deploy.statuses import status_of
from deploy.target import Target, add_target_arguments, find_target
from deploy.watching import told_when_interrupted, unknown_text, watch_until_serving


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds which deployment is meant, and for how long it may take."""
    parser.description = (
        "Wakes a deployment that is scaled to zero and waits until it serves; both are billed. "
        "A request to it would be parked meanwhile, and lost after some time."
    )
    add_target_arguments(parser)
    add_waiting_arguments(parser)


async def run(arguments: argparse.Namespace, output: Output) -> int:
    """Wakes it; OK once it serves. Raises DeployError for one that is stopped or has failed."""
    async with Management(find_credentials()) as management:
        target = await find_target(arguments, management)
        status = status_of(target.status)
        if status.ends == "failed":
            raise DeployError(
                f"{target.name} does not sleep: {status.words.lower()} ({status.name}). Start it "
                f"with python -m deploy start {target.arguments}."
            )
        if status.name == "SCALED_TO_ZERO":
            left = unknown_text(target, "woken, and is then billed")
            with told_when_interrupted(output, lambda: left):
                await _wake(management, target)
        watched = await watch_until_serving(
            management, target, output, timeout_s=arguments.timeout, poll_s=arguments.poll
        )
    output.result(watched.as_json(), watched.text)
    return exit_status.OK


async def _wake(management: Management, target: Target) -> None:
    """Asks it to wake; one that is still on its way to zero refuses, and is asked again later."""
    try:
        await management.wake(target.model_id, target.deployment_id)
    except CredentialsError:
        raise
    except DeployError:
        return
