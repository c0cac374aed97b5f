"""`python -m deploy plan`: what a push would do and cost. It changes nothing."""

from __future__ import annotations

import argparse

from deploy import exit_status
from deploy.credentials import find_credentials, read_settings
from deploy.management import Management
from deploy.output import Output
from deploy.plan_text import missing_secret_text, plan_text
from deploy.planning import Plan, make_plan
from deploy.preset import add_preset_arguments, findings, load_preset
from deploy.wishes import add_wish_arguments, wishes_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the preset, and what a push would be asked for."""
    parser.description = "Says what a push would do and what that costs, and does nothing."
    add_preset_arguments(parser)
    add_wish_arguments(parser)


async def run(arguments: argparse.Namespace, output: Output) -> int:
    """Makes the plan and prints it; the status is that with which a push would end at once."""
    preset = load_preset(arguments.preset, arguments.set)
    settings = read_settings()
    found = findings(preset, settings.model)
    async with Management(find_credentials(settings)) as management:
        plan = await make_plan(management, preset, wishes_of(arguments), found)
    status, then = _then(plan)
    value = {**plan.as_json(), "would_be_pushed": status == exit_status.OK}
    output.result(value, f"{plan_text(plan)}\n{then}")
    return status


def _then(plan: Plan) -> tuple[int, str]:
    """How a push of this plan would end before it began, and what to do next."""
    if any(one.severity == "error" for one in plan.findings):
        return exit_status.INVALID_CONFIG, "It would not be pushed: correct the errors above."
    if plan.missing_secrets:
        missing = "; ".join(missing_secret_text(name, plan.team) for name in plan.missing_secrets)
        return exit_status.NOT_FOUND, f"It would not be pushed: {missing}"
    return exit_status.OK, "Next: python -m deploy push, with the same arguments."
