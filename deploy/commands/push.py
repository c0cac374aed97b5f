"""`python -m deploy push`: deploys the preset, waits until it serves, connects the UI to it."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from app.deployment import DeploymentRecord
from deploy import exit_status
from deploy.argument_types import add_waiting_arguments
from deploy.confirming import confirmed, require_answerable
from deploy.credentials import Credentials, find_credentials, read_settings
from deploy.errors import DeployError, NotFoundError
from deploy.management import Management
from deploy.other_clis import OTHER_CLIS, find_program
from deploy.output import Output
from deploy.plan_text import missing_secret_text, plan_text
from deploy.planning import Plan, make_plan
from deploy.preset import add_preset_arguments, findings, load_preset, require_valid
from deploy.progress import Progress
from deploy.push_text import pushed_text, served_text
from deploy.pushing import VIA
from deploy.record import connection_of, require_writable_record, write_record
from deploy.rollout import NOT_READ, Rollout, Served, Waiting
from deploy.wishes import add_wish_arguments, wishes_of

_LEFT_INTERRUPTED_S: Final = 5.0
_LEFT_FAILED_S: Final = 15.0
"""How long a deployment is looked for that may have been made: somebody waits, or nobody does."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the preset, what is asked of the push, and how it is waited for."""
    parser.description = (
        "Shows the plan and asks; then deploys the preset, sets autoscaling, waits until it "
        "serves, and writes the record that the UI reads."
    )
    add_preset_arguments(parser)
    add_wish_arguments(parser)
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument(
        "--via",
        choices=VIA,
        default="truss",
        help="what pushes: the truss package (default), or the command baseten or truss",
    )
    parser.add_argument(
        "--no-wait", action="store_true", help="end once it is pushed, without a record"
    )
    add_waiting_arguments(parser)


async def run(arguments: argparse.Namespace, output: Output) -> int:
    """Pushes; OK once it serves, or at once with `--no-wait`."""
    if not arguments.yes:
        require_answerable()
    if arguments.via in OTHER_CLIS:
        find_program(OTHER_CLIS[arguments.via])
    preset = load_preset(arguments.preset, arguments.set)
    settings = read_settings()
    require_valid(preset, settings.model)
    if not arguments.no_wait:
        require_writable_record()
    wishes = wishes_of(arguments)
    async with Management(find_credentials(settings)) as management:
        plan = await make_plan(management, preset, wishes, findings(preset, settings.model))
        output.note(plan_text(plan))
        _require_secrets(plan)
        if not arguments.yes and not confirmed("\nPush this, and be billed for it?"):
            output.error("Nothing was pushed.")
            return exit_status.FAILED
        price = plan.price
        progress = Progress(output, price.dollars_per_hour if price is not None else None)
        waiting = Waiting(arguments.timeout, arguments.poll, not arguments.no_wait)
        rollout = Rollout(management, plan, arguments.via, waiting, progress)
        async with _told_what_is_left(rollout, output):
            with progress:
                served = await rollout.run()
            written = (
                _written(plan, served, management.credentials) if waiting.until_serving else None
            )
    for line in filter(str.strip, served.pushed.remarks.splitlines()):
        output.note(f"{arguments.via}: {line}")
    value = _value(plan, served, progress)
    if written is None:
        output.result(value, pushed_text(plan, served))
    else:
        record, path = written
        value |= {"base_url": record.base_url, "served_name": record.served_name}
        output.result({**value, "record": str(path)}, served_text(plan, served, record, progress))
    return exit_status.OK if served.scaled else exit_status.FAILED


@asynccontextmanager
async def _told_what_is_left(rollout: Rollout, output: Output) -> AsyncIterator[None]:
    """However the block fails, what is left is said: it is billed.

    Raises a DeployError where it failed, and CancelledError where it was interrupted.
    """
    try:
        yield
    except asyncio.CancelledError:
        output.error(f"Interrupted.\n{await _left(rollout, output, _LEFT_INTERRUPTED_S)}")
        raise
    except Exception as error:
        kind = type(error) if isinstance(error, DeployError) else DeployError
        # The text of one that was not foreseen could hold a key.
        why = error if isinstance(error, DeployError) else f"It failed ({type(error).__name__})."
        raise kind(f"{why}\n{await _left(rollout, output, _LEFT_FAILED_S)}") from None


async def _left(rollout: Rollout, output: Output, within_s: float) -> str:
    if rollout.pushed is None:
        output.note("Seeing whether a deployment was made.")
    try:
        return await rollout.left(within_s)
    except (asyncio.CancelledError, KeyboardInterrupt):
        return NOT_READ


def _require_secrets(plan: Plan) -> None:
    """Raises NotFoundError where a start would fail, billed, for a secret that does not exist."""
    if plan.missing_secrets:
        missing = "; ".join(missing_secret_text(name, plan.team) for name in plan.missing_secrets)
        raise NotFoundError(f"Nothing was pushed: {missing}. Then push again.")


def _written(plan: Plan, served: Served, credentials: Credentials) -> tuple[DeploymentRecord, Path]:
    """The record, and its file. Raises DeployError, with how to write it later."""
    pushed = served.pushed
    connection = connection_of(
        credentials, pushed.model_id, pushed.deployment_id, served.environment
    )
    record = DeploymentRecord(
        model_id=pushed.model_id,
        deployment_id=pushed.deployment_id,
        environment=served.environment,
        base_url=connection.base_url,
        served_name=plan.preset.served_name,
    )
    try:
        return record, write_record(record)
    except DeployError as error:
        raise type(error)(
            f"It serves, but the page cannot be told: {error}\n"
            f"Then: python -m deploy connect {pushed.arguments}"
        ) from None


def _value(plan: Plan, served: Served, progress: Progress) -> dict[str, Any]:
    return {
        "model_id": served.pushed.model_id,
        "deployment_id": served.pushed.deployment_id,
        "environment": served.environment,
        "autoscaling": dict(plan.autoscaling) if served.scaled else None,
        "seconds": round(progress.elapsed_s(), 1),
        "spent": progress.spent() or None,
    }
