"""What a push has come to, in words, with the next command."""

from __future__ import annotations

from collections.abc import Iterator

from app.deployment import DeploymentRecord
from deploy.planning import Plan
from deploy.progress import Progress, clock_text
from deploy.rollout import Served
from deploy.statuses import before_text, status_of


def served_text(plan: Plan, served: Served, record: DeploymentRecord, progress: Progress) -> str:
    """The words for a deployment that serves, and that the UI now asks."""

    def lines() -> Iterator[str]:
        cost = f", {progress.spent()}" if progress.spent() else ""
        yield f"It serves, after {clock_text(progress.elapsed_s())}{cost}."
        yield f"Model {record.model_id}, deployment {record.deployment_id}: {record.base_url}"
        yield from _beside(plan, served)
        yield from _not_scaled(served)
        yield "Next: python -m deploy verify; then python -m app, whose page asks it from now on."
        yield f"To stop paying: python -m deploy stop {served.pushed.arguments}"

    return "\n".join(lines())


def pushed_text(plan: Plan, served: Served) -> str:
    """The words for a deployment that is not waited for."""

    def lines() -> Iterator[str]:
        pushed = served.pushed
        yield f"Pushed: model {pushed.model_id}, deployment {pushed.deployment_id}; it is billed."
        yield from _beside(plan, served)
        yield from _not_scaled(served)
        yield f"Next: python -m deploy wait {pushed.arguments}"
        yield f"Then: python -m deploy connect {pushed.arguments}"
        yield f"To stop paying: python -m deploy stop {pushed.arguments}"

    return "\n".join(lines())


def _beside(plan: Plan, served: Served) -> Iterator[str]:
    """What serves the environments that do not point at the new deployment."""
    for one in plan.serving:
        if one.environment == served.environment:
            continue
        promoted = one.environment == plan.environment
        until = "takes over" if promoted else "is promoted"
        before = before_text(one.environment, one.deployment_id, status_of(one.status))
        yield f"Until this one {until}, {before}."
        if promoted:
            yield f"Once it has: python -m deploy connect --environment {one.environment}"


def _not_scaled(served: Served) -> Iterator[str]:
    if not served.scaled:
        yield (
            "Autoscaling was not read back as it was to be set: look at it with "
            f"python -m deploy scale {served.pushed.arguments}"
        )
