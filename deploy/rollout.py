"""A push from the upload until it serves: what it has come to, and what is left if it fails."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from deploy.autoscaling import differing
from deploy.deployments import left_text
from deploy.errors import (
    CredentialsError,
    DeployError,
    InvalidConfigError,
    NotFoundError,
    UsageError,
)
from deploy.management import Management, UnreachableError
from deploy.planning import Plan
from deploy.prices import Price
from deploy.progress import Progress
from deploy.pushed import NotUploadedError, Pushed
from deploy.pushing import push
from deploy.statuses import Status, status_of
from deploy.target import Target
from deploy.waiting import wait_until_promoted, wait_until_serving

NEW: Final = status_of("BUILDING")
"""What a deployment is taken for before anything was told of it: it is billed."""

_TRIES: Final = 12
"""How often something that the platform does by and by is looked at, a poll apart."""

_REFUSALS: Final = 3
"""So many refusals in a row are taken as meant: a single one may be a gateway's."""

_SCALING_S: Final = 5.0
"""What one attempt at autoscaling may take of the time of all; the wait goes on without it."""

_LOOK_S: Final = 1.0
"""Between two looks for a deployment that may be made yet."""

_REFUSED: Final = (
    UsageError,
    CredentialsError,
    NotFoundError,
    InvalidConfigError,
    NotUploadedError,
)
"""Ends of a push that come before a deployment, or in place of it."""

NOTHING_MADE: Final = "No deployment was made, and nothing new is billed."
MAY_BE_MADE: Final = (
    "No deployment is known yet, but one may still be made, and is then billed: look at "
    "https://app.baseten.co/models in a minute."
)
ALL_LISTED: Final = "What else there is stands at https://app.baseten.co/models."
NOT_READ: Final = (
    "Whether a deployment was made, and is billed, could not be read: look at "
    "https://app.baseten.co/models."
)


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


@dataclass(frozen=True, slots=True)
class Made:
    """A deployment that came up during a push, and how it was then."""

    pushed: Pushed
    status: Status


class Rollout:
    """One push under way. While `run` goes on, `left` tells what an interruption leaves.

    `pushed` is its deployment, from when it is known.
    """

    def __init__(
        self, management: Management, plan: Plan, via: str, waiting: Waiting, progress: Progress
    ) -> None:
        self.pushed: Pushed | None = None
        self._management = management
        self._plan = plan
        self._via = via
        self._waiting = waiting
        self._progress = progress
        self._refused = False
        self._status = NEW
        self._ends_at = 0.0

    async def run(self) -> Served:
        """Pushes, sets autoscaling, and waits as told; the time counts from the upload's end.

        Raises a DeployError of the kind that was wrong.
        """
        pushed = await self._push()
        self._progress.phase("Setting autoscaling", billed=True)
        scaled = await self._scale(pushed)
        if not self._waiting.until_serving:
            return Served(pushed, None, scaled)
        await self._wait(pushed)
        environment = await self._environment(pushed)
        # An environment that it took over may have brought settings of its own.
        return Served(pushed, environment, await self._scale(pushed))

    async def left(self, within_s: float) -> str:
        """What goes on without this command: whether it is billed, and how to stop it.

        `within_s` bounds the look for a deployment that the push did not come to tell of.
        """
        if self.pushed is None:
            return await left_by_push(
                self._management, self._plan, refused=self._refused, within_s=within_s
            )
        return _left(self.pushed, self._status, self._plan.price)

    async def _push(self) -> Pushed:
        self._progress.phase("Checking and uploading the preset", billed=False)
        try:
            pushed = await push(self._plan, self._via, self._management.credentials)
        except _REFUSED:
            self._refused = True
            raise
        self.pushed = pushed
        self._ends_at = asyncio.get_running_loop().time() + self._waiting.timeout_s
        return pushed

    async def _wait(self, pushed: Pushed) -> None:
        def on_phase(status: Status) -> None:
            self._status = status
            self._progress.phase(status.words, billed=status.billed)

        await wait_until_serving(
            self._management,
            pushed.model_id,
            pushed.deployment_id,
            timeout_s=self._waiting.timeout_s,
            poll_s=self._waiting.poll_s,
            on_phase=on_phase,
            ends_at=self._ends_at,
        )

    async def _environment(self, pushed: Pushed) -> str | None:
        """The plan's environment, once it points at the deployment; None where it does not."""
        environment = self._plan.environment
        if environment is None:
            return None
        self._progress.phase(f"Waiting for {environment} to point at it", billed=True)
        taken_over = await wait_until_promoted(
            self._management,
            pushed.model_id,
            pushed.deployment_id,
            environment,
            timeout_s=self._at_most_s(_TRIES * self._waiting.poll_s),
            poll_s=self._waiting.poll_s,
        )
        return environment if taken_over else None

    async def _scale(self, pushed: Pushed) -> bool:
        return await set_autoscaling(
            self._management,
            pushed,
            self._plan.autoscaling,
            poll_s=self._waiting.poll_s,
            within_s=self._at_most_s(_TRIES * (self._waiting.poll_s + _SCALING_S)),
        )

    def _at_most_s(self, seconds: float) -> float:
        """So many seconds, or what is left of the time in which it is to serve."""
        rest_s = self._ends_at - asyncio.get_running_loop().time()
        return max(0.0, min(rest_s, seconds))


async def set_autoscaling(
    management: Management,
    pushed: Pushed,
    wanted: Mapping[str, int],
    *,
    poll_s: float,
    within_s: float,
) -> bool:
    """Sets autoscaling and reads it back; whether it was read as wanted within the time.

    The platform takes it in by and by, a new deployment may be unknown for some seconds, and the
    API may not answer: it is tried again. Raises CredentialsError.
    """
    refusals = 0
    with suppress(TimeoutError):
        async with asyncio.timeout(within_s):
            for _ in range(_TRIES):
                try:
                    if await _is_scaled(management, pushed, wanted):
                        return True
                    await management.set_autoscaling(pushed.model_id, pushed.deployment_id, wanted)
                    if await _is_scaled(management, pushed, wanted):
                        return True
                    refusals = 0
                except (NotFoundError, UnreachableError):
                    pass
                except CredentialsError:
                    raise
                except DeployError:
                    # Such as while it fails; whoever waits for it is told why.
                    refusals += 1
                    if refusals == _REFUSALS:
                        return False
                await asyncio.sleep(poll_s)
    return False


async def made_meanwhile(management: Management, plan: Plan) -> Sequence[Made]:
    """The deployments of the plan's model that were not there when the plan was made.

    Raises what the management client raises.
    """
    return [
        Made(Pushed(str(model["id"]), str(one["id"])), status_of(str(one.get("status"))))
        for model in await management.models(plan.preset.model_name)
        if model.get("team_name") in (None, plan.team)
        for one in await management.deployments(str(model["id"]))
        if one["id"] not in plan.deployments
    ]


async def left_by_push(
    management: Management, plan: Plan, *, refused: bool, within_s: float
) -> str:
    """What a push that did not end well has left on the account, and how to stop it.

    A request to deploy may have been under way, and come to something after its asker has gone:
    unless the push was `refused`, it is looked again for as long as the time lasts.
    """
    text = NOT_READ
    with suppress(TimeoutError, DeployError):
        async with asyncio.timeout(within_s):
            while True:
                with suppress(UnreachableError):
                    made = await made_meanwhile(management, plan)
                    if made:
                        told = (_left_by_somebody(one, plan.price) for one in made)
                        return "\n".join((*told, ALL_LISTED))
                    if refused:
                        return NOTHING_MADE
                    text = MAY_BE_MADE
                await asyncio.sleep(_LOOK_S)
    return text


def _left_by_somebody(made: Made, price: Price | None) -> str:
    """The words for one that another push may have made: to stop it is for the reader to decide."""
    return (
        f"Made since this push began, by it or by another: {_left(made.pushed, made.status, price)}"
    )


def _left(pushed: Pushed, status: Status, price: Price | None) -> str:
    target = Target(pushed.model_id, pushed.deployment_id, None, {})
    text = left_text(target, status, price)
    if status.ends is not None:
        return text
    return f"{text}\nTo wait for it again: python -m deploy wait {pushed.arguments}"


async def _is_scaled(management: Management, pushed: Pushed, wanted: Mapping[str, int]) -> bool:
    now = await management.autoscaling(pushed.model_id, pushed.deployment_id)
    return not differing(wanted, now)
