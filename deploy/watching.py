"""A wait that is watched: its phases are shown, and however it ends, what is billed is said."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from deploy.deployments import left_text, price_of_deployment
from deploy.errors import DeployError
from deploy.management import Management
from deploy.output import Output
from deploy.prices import Price
from deploy.progress import Progress, clock_text
from deploy.statuses import Status, status_of
from deploy.target import Target
from deploy.waiting import wait_until_serving


@dataclass(frozen=True, slots=True)
class Watched:
    """A deployment that serves: how long that took, and what it cost, where it is known."""

    target: Target
    deployment: Mapping[str, Any]
    price: Price | None
    seconds: float
    spent: str

    def as_json(self) -> dict[str, Any]:
        """The same for a program."""
        status = status_of(str(self.deployment.get("status")))
        return {
            "model_id": self.target.model_id,
            "deployment_id": self.target.deployment_id,
            "environment": self.target.environment,
            "status": status.name,
            "billed": status.billed,
            "dollars_per_hour": self.price and round(self.price.dollars_per_hour, 4),
            "seconds": round(self.seconds, 1),
            "spent": self.spent or None,
        }

    @property
    def text(self) -> str:
        """The same for a reader, with what comes next."""
        cost = f", {self.spent} so far" if self.spent else ""
        return (
            f"{self.target.name} serves, and is billed while it does "
            f"(after {clock_text(self.seconds)}{cost}).\n"
            f"To stop paying: python -m deploy stop {self.target.arguments}"
        )


def unknown_text(target: Target, what: str) -> str:
    """What is to be said of a deployment that may or may not have been told something.

    `what` ends "it may have been": such as "started, and is then billed".
    """
    return (
        f"{target.name} may have been {what}. To see whether it is billed: python -m deploy status "
        f"{target.arguments}. To stop paying: python -m deploy stop {target.arguments}"
    )


@contextmanager
def told_when_interrupted(output: Output, left: Callable[[], str]) -> Iterator[None]:
    """Says what is left where Ctrl-C ends the block."""
    try:
        yield
    except asyncio.CancelledError:
        output.error(f"Interrupted. {left()}")
        raise


async def watch_until_serving(
    management: Management,
    target: Target,
    output: Output,
    *,
    timeout_s: float,
    poll_s: float,
    started: bool = False,
) -> Watched:
    """Waits, as `wait_until_serving` does, and shows it.

    Raises its DeployErrors, with what is still billed and how to stop it.
    """
    price: Price | None = None
    # One that was just started is told as stopped for a while, and is billed all the same.
    seen = status_of("DEPLOYING" if started else target.status)

    def on_phase(status: Status) -> None:
        nonlocal seen
        if not (started and status.name in ("INACTIVE", "DEACTIVATING")):
            seen = status
        progress.phase(status.words, billed=status.billed)

    with told_when_interrupted(output, lambda: left_text(target, seen, price)):
        price = await price_of_deployment(management, target.deployment)
        progress = Progress(output, price.dollars_per_hour if price is not None else None)
        try:
            with progress:
                deployment = await wait_until_serving(
                    management,
                    target.model_id,
                    target.deployment_id,
                    timeout_s=timeout_s,
                    poll_s=poll_s,
                    on_phase=on_phase,
                    started=started,
                )
        except DeployError as error:
            raise type(error)(f"{error}\n{left_text(target, seen, price)}") from None
    return Watched(target, deployment, price, progress.elapsed_s(), progress.spent())
