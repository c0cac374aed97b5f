"""A push by another program: `baseten model push`, or `truss push`, as the preset's page shows."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from app.connections import BASETEN_API_URL
from deploy.children import Ended, environment_for, run_child
from deploy.credentials import Credentials
from deploy.errors import (
    CredentialsError,
    DeployError,
    InvalidConfigError,
    NotFoundError,
    UsageError,
)
from deploy.pushed import Pushed
from deploy.truss_child import CODES


@dataclass(frozen=True, slots=True)
class OtherCli:
    """A program that pushes the folder in which it is run.

    to_environment  what is added for an environment, the preset's instance type being kept
    ids             finds the model's id and the deployment's in what it answers as JSON
    refusals        what its exit status says about a failure
    """

    program: str
    words: Sequence[str]
    to_environment: Callable[[str], Sequence[str]]
    ids: Callable[[Mapping[str, Any]], tuple[str, str]]
    refusals: Mapping[int, type[DeployError]]
    install: str


# Source: its exit codes and flags, https://docs.baseten.co/reference/cli/baseten/model.
_BASETEN: Final = OtherCli(
    program="baseten",
    words=("model", "push", "--output", "json"),
    to_environment=lambda name: ("--environment", name, "--override-env-instance-type"),
    ids=lambda answer: (answer["model"]["id"], answer["deployment"]["id"]),
    refusals={2: UsageError, 3: CredentialsError, 4: NotFoundError, 5: InvalidConfigError},
    install="brew tap basetenlabs/baseten && brew install baseten, or download it from "
    "https://github.com/basetenlabs/baseten-cli/releases",
)
# Source: truss 0.18.36, `truss push --help`; it ends with 1 whatever was wrong.
_TRUSS: Final = OtherCli(
    program="truss",
    words=("push", "--output", "json", "--non-interactive"),
    to_environment=lambda name: ("--environment", name, "--no-preserve-env-instance-type"),
    ids=lambda answer: (answer["model_id"], answer["model_version_id"]),
    refusals={2: UsageError},
    install="pip install '.[deploy]', or uv tool install truss",
)
OTHER_CLIS: Final[Mapping[str, OtherCli]] = {"baseten-cli": _BASETEN, "truss-cli": _TRUSS}
"""The programs by the word that `--via` takes."""


def find_program(cli: OtherCli) -> str:
    """Where the program is: on PATH, or beside this interpreter. Raises UsageError for neither."""
    beside = str(Path(sys.executable).parent)
    found = shutil.which(cli.program) or shutil.which(cli.program, path=beside)
    if found is None:
        raise UsageError(f"There is no program {cli.program} here. Install it: {cli.install}.")
    return found


async def push_by_cli(
    cli: OtherCli,
    directory: Path,
    *,
    team: str | None,
    environment: str | None,
    credentials: Credentials,
) -> Pushed:
    """Runs the program in the staged folder, and reads which deployment it made.

    It is given the same key as the rest of the push, so that the account is the same. Raises
    UsageError where it is not installed, and a DeployError of the kind that its exit status says.
    """
    words = [find_program(cli), *cli.words]
    if environment is not None:
        words += cli.to_environment(environment)
    if team is not None:
        words += ["--team", team]
    addresses = {"BASETEN_REMOTE_URL": credentials.remote_url}
    if credentials.api_url != BASETEN_API_URL:
        addresses["BASETEN_MANAGEMENT_API_URL_OVERRIDE"] = credentials.api_url
    ended = await run_child(
        words,
        directory=directory,
        environment=environment_for(credentials, **addresses),
        secret=credentials.key.get_secret_value(),
    )
    answer = _json_of(ended.stdout)
    if ended.status != 0:
        raise _refusal(cli, ended, answer)
    try:
        model_id, deployment_id = cli.ids(answer)
    except (KeyError, TypeError):
        raise DeployError(
            f"{cli.program} ended well, but did not say which deployment it made: it answered "
            f"{ended.stdout[:200]!r}."
        ) from None
    return Pushed(str(model_id), str(deployment_id), ended.stderr)


def _json_of(text: str) -> Mapping[str, Any]:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _refusal(cli: OtherCli, ended: Ended, answer: Mapping[str, Any]) -> DeployError:
    error = answer.get("error")
    told: Mapping[str, Any] = error if isinstance(error, dict) else {}
    lines = [line.strip() for line in ended.stderr.splitlines() if line.strip()]
    message = str(told.get("message") or (lines[-1] if lines else f"exit status {ended.status}"))
    kind = cli.refusals.get(ended.status, DeployError)
    code = CODES.get(told.get("error_code") or told.get("status_code"))
    if code == "credentials":
        kind = CredentialsError
    elif code == "not_found":
        kind = NotFoundError
    return kind(f"{cli.program} has failed: {message.rstrip('.')}.")
