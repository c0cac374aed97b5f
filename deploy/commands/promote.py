"""`python -m deploy promote`: makes an environment point at the deployment."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from deploy import exit_status
from deploy.argument_types import add_waiting_arguments, environment_name
from deploy.autoscaling import SETTINGS, differing, set_and_read_back
from deploy.credentials import Credentials, find_credentials
from deploy.deployments import others_billed, others_text
from deploy.errors import DeployError, NotFoundError, UsageError
from deploy.management import Management
from deploy.output import Output
from deploy.record import connection_of, recorded, write_record
from deploy.statuses import Status, before_text, status_of
from deploy.target import PRODUCTION, Target, add_target_arguments, find_target
from deploy.waiting import points_at, wait_until_promoted
from deploy.watching import told_when_interrupted, unknown_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds which deployment is meant, the environment, and for how long it may take."""
    parser.description = (
        "Makes an environment point at the deployment, once that serves. Until then the one "
        "before goes on serving, and both are billed; then that one is scaled down."
    )
    add_target_arguments(parser, environment=False)
    parser.add_argument(
        "--environment",
        dest="into",
        type=environment_name,
        default=PRODUCTION,
        metavar="NAME",
        help="environment of the model; default production",
    )
    add_waiting_arguments(parser)


async def run(arguments: argparse.Namespace, output: Output) -> int:
    """Promotes it; OK once the environment points at it, FAILED where that takes longer."""
    name: str = arguments.into
    credentials = find_credentials()
    async with Management(credentials) as management:
        target = await find_target(arguments, management)
        before, seen = await _current(management, target, name)
        wanted = _settings_of(target.deployment)
        promoted = target
        if before != target.deployment_id:
            if before is not None:
                now_there = before_text(name, before, seen)
                output.note(f"Until {target.deployment_id} serves, {now_there}.")
            left = unknown_text(target, f"promoted to {name}")
            with told_when_interrupted(output, lambda: left):
                answer = await management.promote(target.model_id, target.deployment_id, name)
            # An environment that redeploys on promotion makes a new deployment of it.
            new_id = str(answer.get("id") or target.deployment_id)
            promoted = Target(target.model_id, new_id, name, answer)
        if not await _taken_over(management, promoted, name, arguments, output):
            concurrency = wanted.get("concurrency_target", 1)
            raise DeployError(
                f"The promotion is pending: {name} still is deployment {before}, and both are "
                f"billed while they run. See later with python -m deploy status "
                f"{promoted.arguments}; {name} may then have brought its own autoscaling: "
                f"python -m deploy scale --concurrency-target {concurrency} {promoted.arguments}"
            )
        left = (
            f"{name} points at deployment {promoted.deployment_id}. Its autoscaling may be that of "
            f"{name}; to see it: python -m deploy scale {promoted.arguments}"
        )
        with told_when_interrupted(output, lambda: left):
            now = await management.autoscaling(promoted.model_id, promoted.deployment_id)
            changed = differing(wanted, now)
            if changed:
                now = await set_and_read_back(
                    management,
                    promoted.model_id,
                    promoted.deployment_id,
                    {key: wanted[key] for key in changed},
                    poll_s=arguments.poll,
                )
            others = await others_billed(management, promoted)
    late = differing(wanted, now)
    followed = _rewritten(credentials, target, promoted, name)
    connection = connection_of(credentials, promoted.model_id, promoted.deployment_id, name)
    lines = [f"{name} points at deployment {promoted.deployment_id}: {connection.base_url}"]
    if changed and not late:
        lines.append(f"{name} had brought its own autoscaling; the deployment's was put back.")
    if late:
        lines.append(
            f"Autoscaling is not as it was before: set it with python -m deploy scale "
            f"{promoted.arguments}."
        )
    if others:
        lines.append(others_text(others, promoted))
    if not followed:
        lines.append(
            "The UI asks what its record names. To point it here: python -m deploy connect "
            f"--model-id {promoted.model_id} --environment {name}"
        )
    value = {
        "model_id": promoted.model_id,
        "deployment_id": promoted.deployment_id,
        "environment": name,
        "before": before,
        "base_url": connection.base_url,
        "autoscaling": dict(now),
        "record_updated": followed,
    }
    output.result(value, "\n".join(lines))
    return exit_status.FAILED if late else exit_status.OK


async def _current(management: Management, target: Target, name: str) -> tuple[str | None, Status]:
    """The deployment that the environment points at, if it does, and how that is.

    Raises NotFoundError with those that there are.
    """
    environments = await management.environments(target.model_id)
    for one in environments:
        if one.get("name") == name:
            current = one.get("current_deployment")
            if not isinstance(current, Mapping):
                return None, status_of("INACTIVE")
            return str(current["id"]), status_of(str(current.get("status")))
    there = ", ".join(str(one.get("name")) for one in environments)
    raise NotFoundError(
        f"Model {target.model_id} has no environment {name}: it has {there or 'none'}. Create it "
        "on the model's page of https://app.baseten.co first."
    )


async def _taken_over(
    management: Management,
    promoted: Target,
    name: str,
    arguments: argparse.Namespace,
    output: Output,
) -> bool:
    model_id, deployment_id = promoted.model_id, promoted.deployment_id
    left = (
        f"The promotion goes on, and both deployments are billed while they run. To stop the new "
        f"one: python -m deploy stop {promoted.arguments}"
    )
    with told_when_interrupted(output, lambda: left):
        if await points_at(management, model_id, name, deployment_id):
            return True
        output.note(f"Waiting until {name} points at deployment {deployment_id}.")
        return await wait_until_promoted(
            management,
            model_id,
            deployment_id,
            name,
            timeout_s=arguments.timeout,
            poll_s=arguments.poll,
        )


def _settings_of(deployment: Mapping[str, Any]) -> dict[str, int]:
    """The autoscaling that the deployment had, as far as it can be set."""
    had = deployment.get("autoscaling_settings")
    if not isinstance(had, Mapping):
        return {}
    return {one.name: had[one.name] for one in SETTINGS if isinstance(had.get(one.name), int)}


def _rewritten(credentials: Credentials, target: Target, promoted: Target, name: str) -> bool:
    """Lets a record of this deployment name the environment; whether there was one."""
    try:
        record = recorded()
    except UsageError:
        return False
    known = (target.deployment_id, promoted.deployment_id)
    if record is None or record.deployment_id not in known:
        return False
    connection = connection_of(credentials, promoted.model_id, promoted.deployment_id, name)
    changes = {
        "deployment_id": promoted.deployment_id,
        "environment": name,
        "base_url": connection.base_url,
    }
    write_record(record.model_copy(update=changes))
    return True
