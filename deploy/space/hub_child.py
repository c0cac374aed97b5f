"""The process that talks to the Hugging Face Hub: `python -m deploy.space.hub_child`.

A process of its own, since an upload of huggingface_hub cannot be stopped within one. The token and
the Hub's address come as its own variables, HF_TOKEN and HF_ENDPOINT.

    question  {"do": "look", "space"}
    answer    {"exists", "private", "files", "secrets", "variables", "volumes"}
    question  {"do": "push", "space", "folder", "files", "deleted", "secrets", "variables",
               "bucket", "mount", "volumes", "create", "private", "wait_s", "poll_s"}
    said      {"does"} before each step, {"did"} after it, {"stage"} while it is built
    answer    {"url", "commit", "stage", "reason"}
    either    {"error": {"kind", "message"}}
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import httpx2
from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi, Volume
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
    if isinstance(error, HFValidationError):
        return "usage"
    if isinstance(error, HfHubHTTPError):
        status = error.response.status_code
        if status in (401, 403) and not isinstance(error, RepositoryNotFoundError):
            return "credentials"
        return "not_found" if status in (401, 404) else "other"
    if isinstance(error, httpx2.TransportError):
        return "unreachable"
    # What huggingface_hub says of front matter that the Hub does not take.
    return "usage" if isinstance(error, ValueError) and "README.md" in str(error) else "other"


def _message(error: BaseException) -> str:
    """The server's own words, where it had some."""
    said = getattr(error, "server_message", None) or str(error) or type(error).__name__
    return " ".join(str(said).split())


def _look(api: HfApi, question: Mapping[str, Any], _say: Say) -> Mapping[str, Any]:
    space = question["space"]
    api.whoami()  # a token that is refused looks like a Space that is missing, later on
    try:
        info = api.space_info(space)
    except RepositoryNotFoundError:
        return {"exists": False}
    return {
        "exists": True,
        "private": bool(info.private),
        "files": [each.rfilename for each in info.siblings or ()],
        "secrets": sorted(api.get_space_secrets(space)),
        "variables": sorted(api.get_space_variables(space)),
        "volumes": [each.to_dict() for each in api.get_space_runtime(space).volumes or ()],
    }


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
    for name, value in question["secrets"].items():
        say({"does": "Setting secrets and variables"})
        api.add_space_secret(space, name, value)
        say({"did": f"set the secret {name}"})
    for name, value in question["variables"].items():
        say({"does": "Setting secrets and variables"})
        api.add_space_variable(space, name, value)
        say({"did": f"set the variable {name}"})
    say({"does": f"Uploading {len(question['files'])} files"})
    before = api.space_info(space).sha
    # One commit: of a folder that comes in parts, a Space would build the first part.
    commit = api.create_commit(
        space,
        list(_operations(question)),
        commit_message=_MESSAGE,
        repo_type="space",
    ).oid
    say({"did": "uploaded the files"})
    is_new = question["create"] or commit != before
    stage, reason = _wait(api, question, say, commit if is_new else None)
    return {"url": url, "commit": commit, "stage": stage, "reason": reason}


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
    while True:
        runtime = api.get_space_runtime(question["space"])
        passed_s = time.monotonic() - began_s
        has_begun = (
            has_begun
            or runtime.stage in _ON_THE_WAY
            or runtime.raw.get("sha") == commit
            or passed_s >= min(_SETTLING_S, question["wait_s"])
        )
        if has_begun:
            say({"stage": runtime.stage})
        if has_begun and runtime.stage not in _ON_THE_WAY:
            return runtime.stage, runtime.raw.get("errorMessage")
        if passed_s >= question["wait_s"]:
            return runtime.stage, None
        time.sleep(question["poll_s"])


if __name__ == "__main__":
    main()
