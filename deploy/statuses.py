"""What Baseten's statuses of a deployment mean: plain words, whether it is billed, how it ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Ending: TypeAlias = Literal["serving", "failed"]


@dataclass(frozen=True, slots=True)
class Status:
    """One status. `ends`: what a deployment has come to with it; None while something goes on.

    `billed`: whether the hardware costs money with it, as far as that is known.
    """

    name: str
    words: str
    billed: bool
    ends: Ending | None = None

    @property
    def billing(self) -> str:
        """Whether it is billed, as words that follow a status."""
        return "billed" if self.billed else "not billed"


_KNOWN: Final = (
    Status("BUILDING", "Building the image", billed=True),
    Status("DEPLOYING", "Deploying", billed=True),
    Status("LOADING_MODEL", "Loading the model", billed=True),
    Status("WAKING_UP", "Waking up", billed=True),
    Status("ACTIVE", "Serving", billed=True, ends="serving"),
    Status("UPDATING", "Serving, while it is being updated", billed=True, ends="serving"),
    Status("UNHEALTHY", "Running, but unhealthy", billed=True),
    Status("SCALED_TO_ZERO", "Asleep, scaled to zero", billed=False),
    Status("DEACTIVATING", "Stopping", billed=True, ends="failed"),
    Status("INACTIVE", "Stopped", billed=False, ends="failed"),
    Status("BUILD_FAILED", "The build failed", billed=False, ends="failed"),
    Status("BUILD_STOPPED", "The build was stopped", billed=False, ends="failed"),
    Status("DEPLOY_FAILED", "The deployment failed", billed=False, ends="failed"),
    Status("FAILED", "Failed", billed=False, ends="failed"),
)

STATUSES: Final[Mapping[str, Status]] = {status.name: status for status in _KNOWN}
"""The statuses that are known; Baseten's list is open.

Source: Baseten's management API, and its pricing page: a build, a load, an idle replica and an
unhealthy one are billed; what is scaled to zero or inactive is not.
"""


def before_text(environment: str, deployment_id: str, status: Status) -> str:
    """What an environment is while another deployment is about to take it over."""
    costs = "; both are billed while they run" if status.billed else ""
    return (
        f"{environment} is deployment {deployment_id} ({status.words.lower()}, {status.billing})"
        f"{costs}"
    )


def status_of(name: str) -> Status:
    """A status by its name; one that is not known goes on, and may be billed."""
    return STATUSES.get(name) or Status(name, f"In the state {name}", billed=True)
