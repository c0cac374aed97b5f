"""Waiting for a deployment: our own poller, since truss's gives up on statuses that pass."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final

from deploy.errors import CredentialsError, DeployError, NotFoundError
from deploy.management import Management, UnreachableError
from deploy.progress import duration_text
from deploy.statuses import Status, status_of

_NEW_S: Final = 60.0
"""For so long a new deployment may be unknown to the API, and one that was started, inactive."""

_LOST_S: Final = 300.0
"""For so long the API may not answer."""

_WAKE_S: Final = 15.0
"""A deployment that still sleeps is asked to wake again so often."""

WOKEN: Final = Status("WOKEN", "Asked to wake", billed=False)
"""What one that sleeps is told as once it was asked, and was not found to be on its way yet."""

_STOPPED: Final = frozenset({"INACTIVE", "DEACTIVATING"})


async def wait_until_serving(
    management: Management,
    model_id: str,
    deployment_id: str,
    *,
    timeout_s: float,
    poll_s: float,
    on_phase: Callable[[Status], None],
    started: bool = False,
    ends_at: float | None = None,
    new_s: float = _NEW_S,
    lost_s: float = _LOST_S,
    wake_s: float = _WAKE_S,
) -> Mapping[str, Any]:
    """Returns the deployment once it serves; whatever it goes through is told to `on_phase`.

    One that is scaled to zero is woken, again each `wake_s`. One that is unhealthy may yet become
    active. With `started` it was just activated, and may be told as inactive for `new_s`; for as
    long one that is new may not be known, and for `lost_s` nothing may answer. `ends_at` is the
    loop's time at which it ends, where `timeout_s` began to count before.

    Raises DeployError where it fails, does not serve in `timeout_s` or nothing answers for too
    long, NotFoundError where it is gone, CredentialsError where the key is refused.
    """
    poller = _Poller(management, model_id, deployment_id, on_phase, wake_s)
    clock = asyncio.get_running_loop().time
    new_until = clock() + new_s
    try:
        async with asyncio.timeout_at(clock() + timeout_s if ends_at is None else ends_at):
            while True:
                deployment = await poller.look(clock, new_until=new_until, lost_s=lost_s)
                status = poller.status
                if deployment is not None and status is not None:
                    if status.ends == "serving":
                        return deployment
                    passing = started and status.name in _STOPPED and clock() < new_until
                    if status.ends == "failed" and not passing:
                        raise DeployError(_failed(status, model_id, deployment_id))
                await asyncio.sleep(poll_s)
    except TimeoutError:
        raise DeployError(
            f"It does not serve after {duration_text(timeout_s)}{poller.seen}. "
            "Read its log with python -m deploy logs "
            f"--model-id {model_id} --deployment-id {deployment_id}."
        ) from None


class _Poller:
    """Looks at one deployment, again and again; `status` is what was last seen of it."""

    def __init__(
        self,
        management: Management,
        model_id: str,
        deployment_id: str,
        on_phase: Callable[[Status], None],
        wake_s: float,
    ) -> None:
        self.status: Status | None = None
        self._management = management
        self._ids = (model_id, deployment_id)
        self._on_phase = on_phase
        self._wake_s = wake_s
        self._told: str | None = None
        self._lost_since: float | None = None
        self._woken_at: float | None = None
        self._asked = False
        self._refusal: str | None = None

    @property
    def seen(self) -> str:
        """What was last seen, for a sentence; empty where nothing was."""
        if self.status is None:
            return ""
        refused = f"; it was not woken: {self._refusal.rstrip('.')}" if self._refusal else ""
        return f" (it is: {self.status.words}, {self.status.billing}{refused})"

    async def look(
        self, clock: Callable[[], float], *, new_until: float, lost_s: float
    ) -> Mapping[str, Any] | None:
        """The deployment; None where nothing was told of it that counts."""
        try:
            deployment = await self._management.deployment(*self._ids)
        except NotFoundError:
            if self.status is not None or clock() >= new_until:
                raise
            self._tell(Status("NEW", "Not known to the API yet", billed=True))
            return None
        except UnreachableError as error:
            self._lost_since = self._lost_since or clock()
            if clock() - self._lost_since >= lost_s:
                raise DeployError(
                    f"{error} Nothing was told for {duration_text(lost_s)}, and the deployment "
                    f"may be billed: {_look_command(*self._ids)}."
                ) from None
            billed = self.status is None or self.status.billed
            self._tell(Status("LOST", "Baseten does not answer; asking again", billed))
            return None
        self._lost_since = None
        self.status = status_of(str(deployment.get("status")))
        if self.status.name == "SCALED_TO_ZERO":
            self._tell(WOKEN if self._asked else self.status)
            await self._wake(clock())
        else:
            self._asked, self._refusal = False, None
            self._tell(self.status)
        return deployment

    async def _wake(self, now: float) -> None:
        """Asks it to wake, unless it was asked just now. Raises CredentialsError."""
        if self._woken_at is not None and now - self._woken_at < self._wake_s:
            return
        self._woken_at = now
        try:
            await self._management.wake(*self._ids)
        except CredentialsError:
            raise
        except DeployError as error:
            # One that is still on its way to zero refuses, such as with 409; it is asked again.
            self._refusal = str(error)
        else:
            self._asked, self._refusal = True, None
            self._tell(WOKEN)

    def _tell(self, status: Status) -> None:
        if status.name != self._told:
            self._told = status.name
            self._on_phase(status)


async def wait_until_promoted(
    management: Management,
    model_id: str,
    deployment_id: str,
    environment: str,
    *,
    timeout_s: float,
    poll_s: float,
) -> bool:
    """Whether the environment points at the deployment within the time.

    Raises CredentialsError, and DeployError where the deployment cannot take over any more.
    """
    try:
        async with asyncio.timeout(timeout_s):
            while True:
                with suppress(UnreachableError):
                    if await points_at(management, model_id, environment, deployment_id):
                        return True
                    deployment = await management.deployment(model_id, deployment_id)
                    status = status_of(str(deployment.get("status")))
                    if status.ends == "failed":
                        raise DeployError(_failed(status, model_id, deployment_id))
                await asyncio.sleep(poll_s)
    except TimeoutError:
        return False


async def points_at(
    management: Management, model_id: str, environment: str, deployment_id: str
) -> bool:
    """Whether the environment's current deployment is this one. Raises NotFoundError."""
    current = (await management.environment(model_id, environment)).get("current_deployment")
    return isinstance(current, Mapping) and current.get("id") == deployment_id


async def wait_until_stopped(
    management: Management, model_id: str, deployment_id: str, *, timeout_s: float, poll_s: float
) -> Status:
    """The last status seen: one that is not billed, unless the time ran out."""
    status = status_of("DEACTIVATING")
    with suppress(TimeoutError):
        async with asyncio.timeout(timeout_s):
            while True:
                with suppress(UnreachableError):
                    deployment = await management.deployment(model_id, deployment_id)
                    status = status_of(str(deployment.get("status")))
                    if status.ends == "failed" and not status.billed:
                        return status
                await asyncio.sleep(poll_s)
    return status


def _failed(status: Status, model_id: str, deployment_id: str) -> str:
    named = f"--model-id {model_id} --deployment-id {deployment_id}"
    then = "python -m deploy start" if status.name in _STOPPED else "python -m deploy logs"
    what = "start it with" if status.name in _STOPPED else "see why with"
    return f"{status.words} ({status.name}), {status.billing}: {what} {then} {named}."


def _look_command(model_id: str, deployment_id: str) -> str:
    return f"python -m deploy status --model-id {model_id} --deployment-id {deployment_id}"
