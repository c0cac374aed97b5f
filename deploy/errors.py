"""What ends a command: one sentence that says what is wrong and what to do.

DeployError
  UsageError            the arguments, or a file that they name, cannot be used
  CredentialsError      no key, or one that is refused
  NotFoundError         no such model, deployment, environment or record
  InvalidConfigError    a preset that must not be pushed

No text of these holds a key.
"""

from __future__ import annotations

from typing import ClassVar

from deploy import exit_status


class DeployError(Exception):
    """The command has failed; the text is for its reader, `status` for its caller."""

    status: ClassVar[int] = exit_status.FAILED


class UsageError(DeployError):
    """The arguments cannot be used."""

    status = exit_status.USAGE


class CredentialsError(DeployError):
    """There is no key, or the one there is was refused."""

    status = exit_status.CREDENTIALS


class NotFoundError(DeployError):
    """What was named does not exist."""

    status = exit_status.NOT_FOUND


class InvalidConfigError(DeployError):
    """The preset must not be pushed as it is."""

    status = exit_status.INVALID_CONFIG
