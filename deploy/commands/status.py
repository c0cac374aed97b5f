"""`python -m deploy status`: how the deployment is, whether it is billed, and what to do next."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, Final

from deploy import exit_status
from deploy.credentials import find_credentials
from deploy.deployments import (
    autoscaling_text,
    billing_text,
    dollars_per_hour,
    others_billed,
    others_text,
    price_of_deployment,
)
from deploy.errors import UsageError
from deploy.management import Management
from deploy.output import Output
from deploy.record import connection_of, recorded
from deploy.statuses import Status, status_of
from deploy.target import Target, add_target_arguments, find_target

_NEXT: Final[Mapping[str, str]] = {
    "SCALED_TO_ZERO": "wake",
    "INACTIVE": "start",
    "DEACTIVATING": "status",
    "UNHEALTHY": "logs",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds which deployment is meant."""
    parser.description = (
        "Tells how the deployment is, whether it is billed and at how much, its autoscaling, the "
        "environments that point at it, and its address. It wakes nothing."
    )
    add_target_arguments(parser)


async def run(arguments: argparse.Namespace, output: Output) -> int:
    """Tells it; OK whatever the status is."""
    credentials = find_credentials()
    async with Management(credentials) as management:
        target = await find_target(arguments, management)
        model = await management.model(target.model_id)
        environments = [
            str(one["name"])
            for one in await management.environments(target.model_id)
            if (one.get("current_deployment") or {}).get("id") == target.deployment_id
        ]
        price = await price_of_deployment(management, target.deployment)
        others = await others_billed(management, target)
    status = status_of(target.status)
    place = target.environment if target.environment in environments else None
    place = place or next(iter(environments), None)
    url = connection_of(credentials, target.model_id, target.deployment_id, place).base_url
    following = _next(status, target)
    billing = billing_text(status, price, target.deployment)
    lines = [
        f"{status.words} ({status.name}), {billing}.",
        *_described(model, target, environments, url),
        *([others_text(others, target)] if others else []),
        f"Next         {following}",
    ]
    value = {
        "model_id": target.model_id,
        "model_name": model.get("name"),
        "deployment_id": target.deployment_id,
        "status": status.name,
        "words": status.words,
        "billed": status.billed,
        "dollars_per_hour": dollars_per_hour(status, price, target.deployment),
        "price_source": price and price.source,
        "instance_type": target.deployment.get("instance_type_name"),
        "replicas": target.deployment.get("active_replica_count"),
        "autoscaling": target.deployment.get("autoscaling_settings"),
        "environments": environments,
        "base_url": url,
        "others_billed": [one["id"] for one in others],
        "next": following,
    }
    output.result(value, "\n".join(lines))
    return exit_status.OK


def _described(
    model: Mapping[str, Any], target: Target, environments: Sequence[str], url: str
) -> list[str]:
    deployment = target.deployment
    hardware = deployment.get("instance_type_name") or "unknown hardware"
    replicas = deployment.get("active_replica_count")
    scaling = deployment.get("autoscaling_settings")
    told = autoscaling_text(scaling) if isinstance(scaling, Mapping) else ""
    named = ", ".join(environments)
    return [
        f"Model        {model.get('name')} ({target.model_id})",
        f"Deployment   {target.deployment_id}, {hardware}, replicas running: {replicas}",
        f"Environment  {f'{named} (points at it)' if named else 'none points at it'}",
        f"Address      {url}",
        f"Autoscaling  {told or 'none yet'}",
    ]


def _next(status: Status, target: Target) -> str:
    if status.ends == "serving":
        return "python -m deploy call chat" if _is_recorded(target) else _of("connect", target)
    if status.ends == "failed":
        return _of(_NEXT.get(status.name, "logs"), target)
    return _of(_NEXT.get(status.name, "wait"), target)


def _of(command: str, target: Target) -> str:
    return f"python -m deploy {command} {target.arguments}"


def _is_recorded(target: Target) -> bool:
    try:
        record = recorded()
    except UsageError:
        return False
    return record is not None and record.deployment_id == target.deployment_id
