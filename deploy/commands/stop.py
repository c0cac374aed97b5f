"""`python -m deploy stop`: deactivates the deployment, so that nothing of it is billed."""

from __future__ import annotations

import argparse

from deploy import exit_status
from deploy.argument_types import add_poll_argument, add_timeout_argument
from deploy.credentials import find_credentials
from deploy.deployments import others_billed, others_text
from deploy.management import Management
from deploy.output import Output
from deploy.statuses import status_of
from deploy.target import add_target_arguments, find_target
from deploy.waiting import wait_until_stopped
from deploy.watching import told_when_interrupted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds which deployment is meant, and for how long it may take."""
    parser.description = (
        "Deactivates the deployment: its replicas end, also amid an answer, and no request is "
        "answered until it is started again. It keeps its ids, and the record stays."
    )
    add_target_arguments(parser)
    add_timeout_argument(parser, 600.0)
    add_poll_argument(parser, 3.0)


async def run(arguments: argparse.Namespace, output: Output) -> int:
    """Stops it; OK once it is not billed."""
    async with Management(find_credentials()) as management:
        target = await find_target(arguments, management)
        again = f"python -m deploy start {target.arguments}"
        status = status_of(target.status)
        unconfirmed = f"{target.name} was told to stop. See whether it has with: "
        unconfirmed += f"python -m deploy status {target.arguments}"
        if status.ends != "failed":
            output.note(
                f"{target.name} is being stopped: it answers no request until it is started again."
            )
            with told_when_interrupted(output, lambda: unconfirmed):
                await management.deactivate(target.model_id, target.deployment_id)
        if status.ends != "failed" or status.billed:
            with told_when_interrupted(output, lambda: unconfirmed):
                status = await wait_until_stopped(
                    management,
                    target.model_id,
                    target.deployment_id,
                    timeout_s=arguments.timeout,
                    poll_s=arguments.poll,
                )
        others = await others_billed(management, target)
    lines = [
        f"{target.name} is stopped and not billed. To start it again: {again}"
        if not status.billed
        else f"{unconfirmed}. It is still billed ({status.words.lower()}).",
        *([others_text(others, target)] if others else []),
    ]
    value = {
        "model_id": target.model_id,
        "deployment_id": target.deployment_id,
        "status": status.name,
        "billed": status.billed,
        "others_billed": [one["id"] for one in others],
    }
    output.result(value, "\n".join(lines))
    return exit_status.FAILED if status.billed else exit_status.OK
