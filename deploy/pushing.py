"""The push itself: the staged preset goes up through truss, in a process of its own."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from deploy.children import environment_for, run_child
from deploy.credentials import Credentials
from deploy.errors import (
    CredentialsError,
    DeployError,
    InvalidConfigError,
    NotFoundError,
    UsageError,
)
from deploy.other_clis import OTHER_CLIS, push_by_cli
from deploy.planning import Plan
from deploy.pushed import NotUploadedError, Pushed
from deploy.staging import staged

VIA: Final = ("truss", *OTHER_CLIS)
"""What a push may go through: truss as a package, or another program."""

_PROJECT: Final = Path(__file__).resolve().parents[1]
_REFUSALS: Final[Mapping[str, tuple[type[DeployError], str]]] = {
    "missing": (
        NotUploadedError,
        "truss is not installed ({message}): pip install '.[deploy]', or add --via baseten-cli.",
    ),
    "usage": (UsageError, "truss cannot push this: {message}."),
    "credentials": (CredentialsError, "Baseten refused the key: {message}."),
    "not_found": (NotFoundError, "Baseten does not know what was named: {message}."),
    "invalid_config": (InvalidConfigError, "Baseten refuses the preset: {message}."),
    "unreachable": (DeployError, "Baseten cannot be reached: {message}."),
    "upload": (NotUploadedError, "The upload was refused: {message}."),
    "other": (DeployError, "truss has failed: {message}."),
}


async def push(plan: Plan, via: str, credentials: Credentials) -> Pushed:
    """Pushes the plan's preset, and nothing beside it; `via` is one of VIA.

    Raises a DeployError of the kind that was wrong. Cancelling it ends the program that pushes:
    whether a deployment was made by then is not known here.
    """
    begun = False
    try:
        with staged(plan.preset) as directory:
            begun = True
            return await _push_folder(directory, plan, via, credentials)
    except OSError as error:
        kind = DeployError if begun else NotUploadedError
        raise kind(
            f"The preset cannot be handed to what pushes it ({error.strerror}): see whether there "
            "is room in the folder of temporary files, which TMPDIR names."
        ) from None


async def _push_folder(directory: Path, plan: Plan, via: str, credentials: Credentials) -> Pushed:
    team, environment = plan.wishes.team, plan.wishes.environment
    if via not in OTHER_CLIS:
        return await push_by_truss(
            directory, team=team, environment=environment, credentials=credentials
        )
    return await push_by_cli(
        OTHER_CLIS[via], directory, team=team, environment=environment, credentials=credentials
    )


async def push_by_truss(
    directory: Path, *, team: str | None, environment: str | None, credentials: Credentials
) -> Pushed:
    """Pushes a folder through the truss package, in a child process.

    Raises a DeployError of the kind that truss's error is.
    """
    question = {"directory": str(directory), "team": team, "environment": environment}
    ended = await run_child(
        [sys.executable, "-m", "deploy.truss_child"],
        directory=_PROJECT,
        environment=environment_for(credentials),
        secret=credentials.key.get_secret_value(),
        question=json.dumps(question).encode(),
    )
    try:
        answer = json.loads(ended.stdout)
    except ValueError:
        raise DeployError(
            f"truss ended with {ended.status} and no answer: {ended.stderr.strip()[-500:]}"
        ) from None
    error = answer.get("error")
    if error is not None:
        kind, sentence = _REFUSALS[error["kind"]]
        raise kind(sentence.format(message=" ".join(error["message"].split()).rstrip(".")))
    return Pushed(answer["model_id"], answer["deployment_id"], ended.stderr)
