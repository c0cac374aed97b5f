"""`python -m deploy logs`: what the deployment has written, and what it goes on writing."""

from __future__ import annotations

import argparse
import asyncio

from deploy import exit_status
from deploy.argument_types import add_poll_argument
from deploy.credentials import find_credentials
from deploy.deployments import left_text, price_of_deployment
from deploy.errors import UsageError
from deploy.log_lines import MOST, LogReader, line_text
from deploy.management import Management, UnreachableError
from deploy.output import Output
from deploy.statuses import status_of
from deploy.target import Target, add_target_arguments, find_target
from deploy.watching import told_when_interrupted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds which deployment is meant, how many lines, and whether to go on."""
    parser.description = "Prints the newest lines of the deployment's log, the oldest first."
    add_target_arguments(parser)
    parser.add_argument("--follow", action="store_true", help="go on until Ctrl-C")
    parser.add_argument(
        "--limit",
        type=int,
        default=100,
        metavar="N",
        help=f"lines at most, 1 to {MOST}; default 100",
    )
    add_poll_argument(parser, 2.0)


async def run(arguments: argparse.Namespace, output: Output) -> int:
    """Prints them; with `--follow` it ends by being interrupted."""
    if not 1 <= arguments.limit <= MOST:
        raise UsageError(f"--limit must be a whole number from 1 to {MOST}.")
    if arguments.follow and arguments.json:
        raise UsageError("--follow never comes to the one object of --json: leave one of them out.")
    async with Management(find_credentials()) as management:
        target = await find_target(arguments, management)
        reader = LogReader(management, target)
        lines = await reader.next(arguments.limit)
        if arguments.follow:
            for line in lines:
                output.piece(f"{line_text(line)}\n")
            await _follow(reader, management, target, output, arguments.poll)
    if not lines:
        output.note("The log of the last half hour is empty.")
    value = {
        "model_id": target.model_id,
        "deployment_id": target.deployment_id,
        "logs": [dict(line) for line in lines],
    }
    output.result(value, "\n".join(map(line_text, lines)))
    return exit_status.OK


async def _follow(
    reader: LogReader, management: Management, target: Target, output: Output, poll_s: float
) -> None:
    """Prints what comes, until it is cancelled; while nothing answers, it asks again."""
    price = await price_of_deployment(management, target.deployment)
    status = status_of(target.status)
    lost = False
    with told_when_interrupted(output, lambda: left_text(target, status, price)):
        while True:
            await asyncio.sleep(poll_s)
            try:
                lines = await reader.next()
            except UnreachableError:
                if not lost:
                    output.note("Baseten does not answer; asking again.")
                lost = True
                continue
            lost = False
            for line in lines:
                output.piece(f"{line_text(line)}\n")
