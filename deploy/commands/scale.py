"""`python -m deploy scale`: shows autoscaling, or changes it and reads it back."""

from __future__ import annotations

import argparse

from deploy import exit_status
from deploy.argument_types import add_poll_argument
from deploy.autoscaling import SETTINGS, check, differing, set_and_read_back
from deploy.credentials import find_credentials
from deploy.deployments import autoscaling_text
from deploy.management import Management
from deploy.output import Output
from deploy.target import add_target_arguments, find_target
from deploy.watching import told_when_interrupted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds which deployment is meant, and the settings."""
    parser.description = (
        "Shows the autoscaling of the deployment; with any setting, changes that one and says "
        "what holds afterwards."
    )
    add_target_arguments(parser)
    for setting in SETTINGS:
        parser.add_argument(
            setting.option, dest=setting.name, type=int, metavar="N", help=setting.help
        )
    add_poll_argument(parser, 2.0)


async def run(arguments: argparse.Namespace, output: Output) -> int:
    """Shows or changes it; FAILED where a change was accepted and does not hold yet."""
    given = {setting.name: getattr(arguments, setting.name) for setting in SETTINGS}
    wanted = {name: value for name, value in given.items() if value is not None}
    check(wanted, {})
    async with Management(find_credentials()) as management:
        target = await find_target(arguments, management)
        now = await management.autoscaling(target.model_id, target.deployment_id)
        check(wanted, now)
        if wanted:
            left = (
                f"{target.name} may have been changed. To see: python -m deploy scale "
                f"{target.arguments}"
            )
            with told_when_interrupted(output, lambda: left):
                now = await set_and_read_back(
                    management,
                    target.model_id,
                    target.deployment_id,
                    wanted,
                    poll_s=arguments.poll,
                )
    late = differing(wanted, now)
    lines = [f"{target.name}: {autoscaling_text(now) or 'no autoscaling yet'}."]
    if late:
        said = ", ".join(f"{name} is {value}, not {wanted[name]}" for name, value in late.items())
        lines.append(f"The change was accepted, but does not hold yet: {said}. Look again later.")
    least = now.get("min_replica")
    if isinstance(least, int) and least > 0:
        lines.append(
            "With at least one replica it never sleeps, and is billed all the time. To let it "
            f"sleep: python -m deploy scale --min 0 {target.arguments}"
        )
    value = {
        "model_id": target.model_id,
        "deployment_id": target.deployment_id,
        "autoscaling": dict(now),
        "holds": not late,
    }
    output.result(value, "\n".join(lines))
    return exit_status.FAILED if late else exit_status.OK
