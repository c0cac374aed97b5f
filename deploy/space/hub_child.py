"""The process that talks to the Hugging Face Hub: `python -m deploy.space.hub_child`.

A process of its own, since an upload of huggingface_hub cannot be stopped within one. The token and
the Hub's address come as its own variables, HF_TOKEN and HF_ENDPOINT.

    question  {"do": "look", "space", "card"}
    answer    {"exists", "owners", "private", "files", "secrets", "variables", "volumes"}
    question  {"do": "push", "space", "folder", "files", "deleted", "secrets", "variables",
               "taken_out", "bucket", "mount", "volumes", "create", "private", "wait_s", "poll_s"}
    said      {"does"} before each step, {"did"} after it, {"stage"} while it is built
    answer    {"url", "commit", "changed", "stage", "reason"}
    either    {"error": {"kind", "message"}}
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import httpx2
from huggingface_hub import (
    CommitOperationAdd,
    CommitOperationDelete,
    HfApi,
    RepoCard,
    SpaceRuntime,
    Volume,
)
from huggingface_hub.errors import HfHubHTTPError, HFValidationError, RepositoryNotFoundError

from deploy.child_answers import Say, answer

Kind: TypeAlias = Literal["usage", "credentials", "not_found", "unreachable", "other"]

_MESSAGE: Final = "Stage the GLM Playground"
_ON_THE_WAY: Final = frozenset(
    {"BUILDING", "RUNNING_BUILDING", "APP_STARTING", "RUNNING_APP_STARTING"}
)
_SETTLING_S: Final = 20.0
"""So long a Space may tell of what it ran before, once it was given new files or settings."""


def main() -> None:
    """Answers the one question."""
    answer(_answer)


def _answer(question: Mapping[str, Any], say: Say) -> Mapping[str, Any]:
    do = _look if question["do"] == "look" else _push
    try:
        return do(HfApi(), question, say)
    except Exception as error:  # told by its kind to the process that asked
        return {"error": {"kind": kind_of(error), "message": _message(error)}}


def kind_of(error: BaseException) -> Kind:
    """What an error of huggingface_hub is about."""
    if isinstance(error, HFValidationError | _CardError):
        return "usage"
    if isinstance(error, HfHubHTTPError):
        status = error.response.status_code
        if status in (401, 403) and not isinstance(error, RepositoryNotFoundError):
            return "credentials"
        return "not_found" if status in (401, 404) else "other"
    return "unreachable" if isinstance(error, httpx2.TransportError) else "other"


def _message(error: BaseException) -> str:
    """The server's own words, where it had some, without advice for programmers."""
    said = getattr(error, "server_message", None) or str(error) or type(error).__name__
    return " ".join(str(said).partition("For more information check")[0].split())


def _look(api: HfApi, question: Mapping[str, Any], _say: Say) -> Mapping[str, Any]:
    space = question["space"]
    person = api.whoami()  # a token that is refused looks like a Space that is missing, later on
    owners = [person["name"], *(one["name"] for one in person.get("orgs", ()))]
    _check_card(question["card"])
    try:
        info = api.space_info(space)
    except RepositoryNotFoundError:
        return {"exists": False, "owners": owners}
    return {
        "exists": True,
        "owners": owners,
        "private": bool(info.private),
        "files": [each.rfilename for each in info.siblings or ()],
        "secrets": sorted(api.get_space_secrets(space)),
        "variables": sorted(api.get_space_variables(space)),
        "volumes": [each.to_dict() for each in api.get_space_runtime(space).volumes or ()],
    }


def _check_card(card: str) -> None:
    """Raises _CardError where the Hub does not take the front matter."""
    try:
        RepoCard(card).validate(repo_type="space")
    except ValueError as error:
        try:
            told = [str(one["message"]) for one in json.loads(str(error))["errors"]]
        except (ValueError, KeyError, TypeError):
            told = [str(error)]
        raise _CardError("; ".join(told)) from None


class _CardError(Exception):
    """The front matter is not as the Hub wants it."""


def _push(api: HfApi, question: Mapping[str, Any], say: Say) -> Mapping[str, Any]:
    """Settings before files: what is built then starts with them, once."""
    space = question["space"]
    url = f"{api.endpoint}/spaces/{space}"
    if question["create"]:
        say({"does": f"Making the Space {space}"})
        api.create_repo(space, repo_type="space", space_sdk="gradio", private=question["private"])
        say({"did": "made the Space"})
    bucket = question["bucket"]
    if bucket is not None:
        say({"does": f"Mounting the bucket {bucket}"})
        api.create_bucket(bucket, private=True, exist_ok=True)
        volumes = [Volume(**each) for each in question["volumes"]]
        mounted = Volume(type="bucket", source=bucket, mount_path=question["mount"])
        api.set_space_volumes(space, [*volumes, mounted])
        say({"did": f"mounted the bucket {bucket}"})
    _set_settings(api, question, say)
    say({"does": f"Uploading what has changed of {len(question['files'])} files"})
    before = api.space_info(space).sha
    # One commit: of a folder that comes in parts, a Space would build the first part.
    commit = api.create_commit(
        space,
        list(_operations(question)),
        commit_message=_MESSAGE,
        repo_type="space",
    ).oid
    say({"did": "uploaded the files"})
    changed = commit != before
    stage, reason = _wait(api, question, say, commit if changed else None)
    return {"url": url, "commit": commit, "changed": changed, "stage": stage, "reason": reason}


def _set_settings(api: HfApi, question: Mapping[str, Any], say: Say) -> None:
    space = question["space"]
    # First: a Space in which a name is both a secret and a variable does not start.
    for kind, name in question["taken_out"]:
        say({"does": "Taking out settings that no longer hold"})
        if kind == "secret":
            api.delete_space_secret(space, name)
        else:
            api.delete_space_variable(space, name)
        say({"did": f"took out the {kind} {name}"})
    for name, value in question["secrets"].items():
        say({"does": "Setting secrets and variables"})
        api.add_space_secret(space, name, value)
        say({"did": f"set the secret {name}"})
    for name, value in question["variables"].items():
        say({"does": "Setting secrets and variables"})
        api.add_space_variable(space, name, value)
        say({"did": f"set the variable {name}"})


def _operations(
    question: Mapping[str, Any],
) -> Iterator[CommitOperationAdd | CommitOperationDelete]:
    folder = Path(question["folder"])
    for name in question["files"]:
        yield CommitOperationAdd(path_in_repo=name, path_or_fileobj=folder / name)
    for name in question["deleted"]:
        yield CommitOperationDelete(path_in_repo=name, is_folder=False)


def _wait(
    api: HfApi, question: Mapping[str, Any], say: Say, commit: str | None
) -> tuple[str, str | None]:
    """The stage at which the Space stays, or is when the time is over, and why where it failed."""
    began_s = time.monotonic()
    has_begun = commit is None
    stage = "LOST"
    while True:
        runtime = _runtime(api, question["space"])
        passed_s = time.monotonic() - began_s
        if runtime is None:
            say({"does": "The Hub does not answer; asking again"})
        else:
            stage = runtime.stage
            has_begun = (
                has_begun
                or stage in _ON_THE_WAY
                or runtime.raw.get("sha") == commit
                or passed_s >= min(_SETTLING_S, question["wait_s"])
            )
            if has_begun:
                say({"stage": stage})
                if stage not in _ON_THE_WAY:
                    return stage, runtime.raw.get("errorMessage")
        if passed_s >= question["wait_s"]:
            return stage, None
        time.sleep(question["poll_s"])


def _runtime(api: HfApi, space: str) -> SpaceRuntime | None:
    """What the Space does now; None where asking again may tell."""
    try:
        return api.get_space_runtime(space)
    except httpx2.TransportError:
        return None
    except HfHubHTTPError as error:
        if error.response.status_code == 429 or error.response.status_code >= 500:
            return None
        raise


if __name__ == "__main__":
    main()
