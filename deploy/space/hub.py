"""The Hugging Face Hub: what a Space holds now, and the upload of a staged folder to it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from dotenv import dotenv_values
from huggingface_hub import constants, get_token
from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined] # by its name alone
from pydantic import SecretStr

from app.connections import SettingsError, is_loopback, sendable
from app.model_server_settings import PROJECT
from deploy.children import run_child, stays_on_loopback
from deploy.errors import CredentialsError, DeployError, NotFoundError, UsageError
from deploy.space.environment import DATA
from deploy.space.upload import SpaceNow, Upload, Uploaded, stage_words

_NOT_SIGNED_IN: Final = (
    "There is no token of Hugging Face: set HF_TOKEN, or sign in with `hf auth login`. One that "
    "may write is made at https://huggingface.co/settings/tokens."
)
_REFUSALS: Final[Mapping[str, tuple[type[DeployError], str]]] = {
    "usage": (UsageError, "The Hub cannot take this: {message}."),
    "credentials": (
        CredentialsError,
        "The Hub refused: {message}. What a token may do: https://huggingface.co/settings/tokens.",
    ),
    "not_found": (NotFoundError, "The Hub does not know what was named: {message}."),
    "unreachable": (DeployError, "The Hub cannot be reached: {message}. Try again."),
    "other": (DeployError, "The Hub has failed: {message}."),
}


@dataclass(slots=True)
class Steps:
    """What an upload has done so far, in words, for one who stops it."""

    done: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Hub:
    """The Hub as the owner of a token."""

    token: SecretStr

    @classmethod
    def of_environment(cls, env_file: Path = PROJECT / ".env") -> Hub:
        """With HF_TOKEN of the environment or of `.env`, else with the token of a sign-in.

        Raises CredentialsError without one.
        """
        token = os.environ.get("HF_TOKEN") or dotenv_values(env_file).get("HF_TOKEN")
        token = token or get_token()
        if not token:
            raise CredentialsError(_NOT_SIGNED_IN)
        try:
            return cls(sendable(SecretStr(token), "HF_TOKEN"))
        except SettingsError as error:
            raise CredentialsError(str(error)) from None

    async def look(self, space: str, card: str) -> SpaceNow:
        """What a Space is now; the Hub checks the front matter of `card` as well.

        Raises a DeployError of the kind that was wrong.
        """
        question = {"do": "look", "space": space, "card": card}
        told = await self._ask(question, lambda _: None)
        owners = tuple(told["owners"])
        if not told["exists"]:
            return SpaceNow(exists=False, owners=owners)
        return SpaceNow(
            exists=True,
            owners=owners,
            private=told["private"],
            files=tuple(told["files"]),
            secrets=frozenset(told["secrets"]),
            variables=frozenset(told["variables"]),
            volumes=tuple(told["volumes"]),
        )

    async def push(
        self,
        upload: Upload,
        steps: Steps,
        on_step: Callable[[str], None],
        *,
        wait_s: float,
        poll_s: float,
    ) -> Uploaded:
        """Makes the Space where it is missing, gives it its settings and files, and waits for it.

        `steps` holds what was done, also where this raises or is cancelled, which stops it;
        `on_step` is told in words what is done now. Raises a DeployError of the kind that was
        wrong.
        """

        def told(line: Mapping[str, Any]) -> None:
            if "did" in line:
                steps.done.append(line["did"])
            elif "does" in line:
                on_step(line["does"])
            elif "stage" in line:
                on_step(stage_words(line["stage"]))

        environment = upload.environment
        answer = await self._ask(
            {
                "do": "push",
                "space": upload.space,
                "folder": str(upload.staged.folder),
                "files": [str(name) for name in upload.staged.files],
                "deleted": upload.deleted,
                "secrets": dict(environment.secrets),
                "variables": dict(environment.variables),
                "taken_out": upload.taken_out,
                "bucket": upload.bucket,
                "mount": DATA,
                "volumes": [one for one in upload.now.volumes if one["mountPath"] != DATA],
                "create": not upload.now.exists,
                "private": upload.private,
                "wait_s": wait_s,
                "poll_s": poll_s,
            },
            told,
        )
        return Uploaded(
            answer["url"],
            answer["commit"],
            answer["changed"],
            answer["stage"],
            answer["reason"],
        )

    async def _ask(
        self, question: Mapping[str, Any], told: Callable[[Mapping[str, Any]], None]
    ) -> Mapping[str, Any]:
        ended = await run_child(
            [sys.executable, "-m", "deploy.space.hub_child"],
            directory=PROJECT,
            environment=self._variables(),
            secret=self.token.get_secret_value(),
            question=json.dumps(question).encode(),
            on_line=lambda line: told(json.loads(line)),
        )
        try:
            answer = json.loads(ended.stdout.splitlines()[-1])
        except (ValueError, IndexError):
            raise DeployError(
                f"The upload ended with {ended.status} and no answer: {ended.stderr.strip()[-500:]}"
            ) from None
        error = answer.get("error")
        if error is not None:
            kind, sentence = _REFUSALS[error["kind"]]
            raise kind(sentence.format(message=error["message"].rstrip(".")))
        return dict(answer)

    def _variables(self) -> dict[str, str]:
        """The variables of the process that asks; on a loopback Hub it reaches nothing else."""
        variables = {
            **os.environ,
            "HF_TOKEN": self.token.get_secret_value(),
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
        }
        if is_loopback(urlsplit(constants.ENDPOINT).hostname or ""):
            # What large files go through knows no proxy, and could leave this machine.
            variables |= {**stays_on_loopback(constants.ENDPOINT), "HF_HUB_DISABLE_XET": "1"}
        return variables


def checked_name(given: str, option: str) -> str:
    """The name of a Space or a bucket, as OWNER/NAME or in the address of its page.

    Raises UsageError for another, which names the option.
    """
    name = given
    for page in ("spaces", "buckets"):
        name = name.removeprefix(f"{constants.ENDPOINT}/{page}/")
    try:
        validate_repo_id(name)
    except HFValidationError:
        name = ""
    if name.count("/") != 1:
        raise UsageError(
            f"{option} {given!r} is no OWNER/NAME, such as your-name/glm-playground: letters, "
            "digits, and single '-', '_' or '.' between them."
        )
    return name


def require_owner(space: str, owners: Sequence[str]) -> None:
    """Raises UsageError where the token's person cannot make the Space."""
    owner = space.partition("/")[0]
    if owner.lower() not in (each.lower() for each in owners):
        raise UsageError(
            f"{owner} is neither {owners[0]}, whose token this is, nor one of their "
            f"organisations ({', '.join(owners[1:]) or 'none'}): name another owner."
        )
