"""A push from the upload until it serves: what it has come to, and what is left if it fails."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from deploy.autoscaling import differing
from deploy.deployments import left_text
from deploy.errors import CredentialsError, DeployError, NotFoundError
from deploy.management import Management, UnreachableError
from deploy.planning import Plan
from deploy.prices import Price
from deploy.progress import Progress
from deploy.pushed import Pushed
from deploy.pushing import push
from deploy.statuses import Status, status_of
from deploy.target import Target
from deploy.waiting import wait_until_promoted, wait_until_serving

NEW: Final = status_of("BUILDING")
"""What a deployment is taken for before anything was told of it: it is billed."""

_TRIES: Final = 12
"""How often something that the platform does by and by is looked at, a poll apart."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """How a deployment is waited for: seconds in all, seconds between two looks, or not at all."""

    timeout_s: float
    poll_s: float
    until_serving: bool = True


@dataclass(frozen=True, slots=True)
class Served:
    """How a push has ended well.

    environment  the one that points at the deployment; None: its own address is to be used
    scaled       whether autoscaling was read back as it was wanted
    """

    pushed: Pushed
    environment: str | None
    scaled: bool


class Rollout:
    """One push under way. While `run` goes on, `left` tells what an interruption leaves."""

    def __init__(self, management: Management, plan: Plan, via: str) -> None:
        self._management = management
        self._plan = plan
        self._via = via
        self._pushed: Pushed | None = None
        self._status = NEW

    async def run(self, progress: Progress, waiting: Waiting) -> Served:
        """Pushes, sets autoscaling, and waits as told.

        Raises a DeployError of the kind that was wrong.
        """
        progress.phase("Checking and uploading the preset", billed=False)
        pushed = self._pushed = await push(self._plan, self._via, self._management.credentials)
        progress.phase("Setting autoscaling", billed=True)
        scaled = await set_autoscaling(
            self._management, pushed, self._plan.autoscaling, poll_s=waiting.poll_s
        )
        if not waiting.until_serving:
            return Served(pushed, None, scaled)

        def on_phase(status: Status) -> None:
            self._status = status
            progress.phase(status.words, billed=status.billed)

        await wait_until_serving(
            self._management,
            pushed.model_id,
            pushed.deployment_id,
            timeout_s=waiting.timeout_s,
            poll_s=waiting.poll_s,
            on_phase=on_phase,
        )
        environment = self._plan.environment
        if environment is not None:
            progress.phase(f"Waiting for {environment} to point at it", billed=True)
            taken_over = await wait_until_promoted(
                self._management,
                pushed.model_id,
                pushed.deployment_id,
                environment,
                timeout_s=_TRIES * waiting.poll_s,
                poll_s=waiting.poll_s,
            )
            environment = environment if taken_over else None
        # An environment that it took over may have brought settings of its own.
        scaled = await set_autoscaling(
            self._management, pushed, self._plan.autoscaling, poll_s=waiting.poll_s
        )
        return Served(pushed, environment, scaled)

    async def left(self) -> str:
        """What goes on without this command: whether it is billed, and how to stop it."""
        if self._pushed is None:
            return await left_by_push(self._management, self._plan)
        return _left(self._pushed, self._status, self._plan.price)


async def set_autoscaling(
    management: Management, pushed: Pushed, wanted: Mapping[str, int], *, poll_s: float
) -> bool:
    """Sets autoscaling and reads it back; whether it is as wanted.

    The platform takes it in by and by, a new deployment may be unknown for some seconds, and the
    API may not answer: it is tried again. Raises CredentialsError.
    """
    for attempt in range(_TRIES):
        if attempt:
            await asyncio.sleep(poll_s)
        try:
            if await _is_scaled(management, pushed, wanted):
                return True
            await management.set_autoscaling(pushed.model_id, pushed.deployment_id, wanted)
            if await _is_scaled(management, pushed, wanted):
                return True
        except (NotFoundError, UnreachableError):
            continue
        except CredentialsError:
            raise
        except DeployError:
            # Refused as it is, such as while it fails; whoever waits for it is told why.
            return False
    return False


async def made_meanwhile(management: Management, plan: Plan) -> Pushed | None:
    """The deployment that a push has made although it did not come to say so, if any.

    Raises what the management client raises.
    """
    for model in await management.models(plan.preset.model_name):
        if model.get("team_name") not in (None, plan.team):
            continue
        for deployment in await management.deployments(model["id"]):
            if deployment["id"] not in plan.deployments:
                return Pushed(model["id"], deployment["id"])
    return None


async def left_by_push(management: Management, plan: Plan) -> str:
    """What a push that did not end well has left on the account, and how to stop it."""
    try:
        made = await made_meanwhile(management, plan)
    except DeployError:
        return (
            "Whether a deployment was made, and is billed, could not be read: look at "
            "https://app.baseten.co/models."
        )
    if made is None:
        return "No deployment was made, and nothing new is billed."
    return _left(made, NEW, plan.price)


def _left(pushed: Pushed, status: Status, price: Price | None) -> str:
    target = Target(pushed.model_id, pushed.deployment_id, None, {})
    text = left_text(target, status, price)
    if status.ends is not None:
        return text
    return f"{text}\nTo wait for it again: python -m deploy wait {pushed.arguments}"


async def _is_scaled(management: Management, pushed: Pushed, wanted: Mapping[str, int]) -> bool:
    now = await management.autoscaling(pushed.model_id, pushed.deployment_id)
    return not differing(wanted, now)
