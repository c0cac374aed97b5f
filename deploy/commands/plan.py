"""`python -m deploy plan`: what a push would do and cost. It changes nothing."""

from __future__ import annotations

import argparse

from deploy import exit_status
from deploy.credentials import find_credentials, read_settings
from deploy.management import Management
from deploy.output import Output
from deploy.plan_text import plan_text
from deploy.planning import make_plan
from deploy.preset import add_preset_arguments, findings, load_preset
from deploy.wishes import add_wish_arguments, wishes_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the preset, and what a push would be asked for."""
    parser.description = "Says what a push would do and what that costs, and does nothing."
    add_preset_arguments(parser)
    add_wish_arguments(parser)


async def run(arguments: argparse.Namespace, output: Output) -> int:
    """Makes the plan and prints it; INVALID_CONFIG where the preset must not be pushed."""
    preset = load_preset(arguments.preset, arguments.set)
    settings = read_settings()
    found = findings(preset, settings.model)
    async with Management(find_credentials(settings)) as management:
        plan = await make_plan(management, preset, wishes_of(arguments), found)
    output.result(plan.as_json(), plan_text(plan))
    if any(one.severity == "error" for one in found):
        return exit_status.INVALID_CONFIG
    return exit_status.OK
