"""What is told of a deployment: what it costs as it is, and what goes on without a command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from deploy.errors import CredentialsError, DeployError
from deploy.management import Management
from deploy.prices import Price, dollars, price_of
from deploy.statuses import Status, status_of
from deploy.target import Target


async def price_of_deployment(
    management: Management, deployment: Mapping[str, Any]
) -> Price | None:
    """What one replica of it costs; None where that is not known. Raises CredentialsError."""
    kind = deployment.get("instance_type_name")
    if not isinstance(kind, str):
        return None
    try:
        live = await management.prices()
    except CredentialsError:
        raise
    except DeployError:
        live = []
    return price_of(kind, live)


def dollars_per_hour(
    status: Status, price: Price | None, deployment: Mapping[str, Any]
) -> float | None:
    """What the deployment costs as it is: all its replicas; None where that is not known."""
    if not status.billed:
        return 0.0
    if price is None:
        return None
    replicas = deployment.get("active_replica_count")
    return price.dollars_per_hour * max(1, replicas if isinstance(replicas, int) else 1)


def billing_text(status: Status, price: Price | None, deployment: Mapping[str, Any]) -> str:
    """Whether it is billed, and at how much, such as "billed at $52.00 an hour"."""
    rate = dollars_per_hour(status, price, deployment)
    return f"billed at {dollars(rate)} an hour" if rate else status.billing


def left_text(target: Target, status: Status, price: Price | None) -> str:
    """What goes on without the command: whether it is billed, and how to stop it."""
    stop = f"To stop paying: python -m deploy stop {target.arguments}"
    if status.name == "WOKEN":
        return f"{target.name} was asked to wake, and is billed once it does. {stop}"
    if status.name == "SCALED_TO_ZERO":
        return f"{target.name} sleeps, and is billed once something wakes it. {stop}"
    if not status.billed:
        return f"{target.name} is not billed as it is."
    rate = f" at {dollars(price.dollars_per_hour)} an hour" if price is not None else ""
    return f"{target.name} goes on without this command and is billed{rate}. {stop}"


async def others_billed(management: Management, target: Target) -> Sequence[Mapping[str, Any]]:
    """The other deployments of the model that are billed; none where that cannot be read."""
    try:
        deployments = await management.deployments(target.model_id)
    except DeployError:
        return ()
    return [
        one
        for one in deployments
        if one.get("id") != target.deployment_id and status_of(str(one.get("status"))).billed
    ]


def others_text(others: Sequence[Mapping[str, Any]], target: Target) -> str:
    """A line for each other deployment that is billed, with how to stop it."""
    return "\n".join(
        f"Billed too: deployment {one['id']} ({status_of(str(one.get('status'))).words.lower()}). "
        f"To stop it: python -m deploy stop --model-id {target.model_id} "
        f"--deployment-id {one['id']}"
        for one in others
    )


def autoscaling_text(settings: Any) -> str:
    """The settings in one line; empty where there are none yet, or none that can be read."""
    if not isinstance(settings, Mapping) or not settings:
        return ""
    return (
        f"{settings.get('min_replica')} to {settings.get('max_replica')} replicas, "
        f"{settings.get('concurrency_target')} requests at once for each (target utilization "
        f"{settings.get('target_utilization_percentage')} %), window "
        f"{settings.get('autoscaling_window')} s, scaled down after "
        f"{settings.get('scale_down_delay')} s without a request"
    )
