"""What came of a push, whichever program made it."""

from __future__ import annotations

from dataclasses import dataclass

from deploy.errors import DeployError


class NotUploadedError(DeployError):
    """The push ended before a deployment was asked for."""


@dataclass(frozen=True, slots=True)
class Pushed:
    """The new deployment, and what the program that pushed it had to say."""

    model_id: str
    deployment_id: str
    remarks: str = ""

    @property
    def arguments(self) -> str:
        """The arguments that name it to the other commands."""
        return f"--model-id {self.model_id} --deployment-id {self.deployment_id}"
