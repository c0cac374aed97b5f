"""`python -m deploy space`: writes the UI as a Hugging Face Space, and uploads it."""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from deploy import exit_status
from deploy.argument_types import add_poll_argument, add_timeout_argument
from deploy.confirming import confirmed, require_answerable
from deploy.credentials import read_settings
from deploy.errors import DeployError, UsageError
from deploy.output import Output
from deploy.progress import Progress
from deploy.space.environment import SpaceEnvironment, environment_of
from deploy.space.folder import Staged, is_fresh, is_staged, stage, strangers
from deploy.space.hub import Hub, SpaceNow, Steps, Upload, Uploaded, checked_name, stage_words


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds where the Space goes, and of which kind it is."""
    parser.description = (
        "Writes the page as a complete Gradio Space, and uploads it to the Hugging Face Hub. "
        "Numbers and switches of the settings become its variables, which everybody can read who "
        "sees the Space; keys, addresses and names become its secrets."
    )
    parser.add_argument("--stage", type=Path, metavar="DIR", help="write it to this folder")
    parser.add_argument("--push", metavar="OWNER/NAME", help="upload it as this Space")
    parser.add_argument(
        "--sign-in",
        action="store_true",
        help="people can sign in with Hugging Face (hf_oauth); whether they must is said by "
        "GLM_REQUIRE_SIGN_IN, GLM_ALLOWED_USERS or GLM_ALLOWED_ORGANISATIONS, which imply this",
    )
    parser.add_argument(
        "--license",
        default="other",
        metavar="ID",
        help="license in the front matter, an identifier of the Hub such as mit; default other",
    )
    parser.add_argument(
        "--bucket",
        metavar="OWNER/NAME",
        help="mount this bucket, made where it is missing, so that chats outlast a restart",
    )
    parser.add_argument(
        "--public", action="store_true", help="everybody sees a new Space; else its owner alone"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument(
        "--no-wait", action="store_true", help="end once it is uploaded, before it is built"
    )
    add_timeout_argument(parser, 900.0)
    add_poll_argument(parser, 3.0)


async def run(arguments: argparse.Namespace, output: Output) -> int:
    """Stages and uploads; OK once the Space runs, or is on its way when the time is over."""
    if arguments.stage is None and arguments.push is None:
        raise UsageError(
            "Say what to do: --stage DIR writes the Space, --push OWNER/NAME uploads it."
        )
    environment = environment_of(read_settings())
    with _folder(arguments.stage) as folder:
        staged = stage(
            folder,
            license_id=arguments.license,
            sign_in=arguments.sign_in or environment.sign_in,
        )
        if arguments.push is None:
            output.result(_staged_value(staged), _staged_text(staged, environment))
            return exit_status.OK
        return await _push(arguments, output, staged, environment)


async def _push(
    arguments: argparse.Namespace, output: Output, staged: Staged, environment: SpaceEnvironment
) -> int:
    space = checked_name(arguments.push)
    bucket = None if arguments.bucket is None else checked_name(arguments.bucket)
    if not arguments.yes:
        require_answerable()
    hub = Hub.of_environment()
    now = await hub.look(space)
    _require_replaceable(space, now)
    upload = Upload(space, now, staged, environment, not arguments.public, bucket)
    output.note(_plan_text(upload, public=arguments.public))
    if not arguments.yes and not confirmed("\nUpload this?"):
        output.note("Nothing was uploaded.")
        return exit_status.FAILED
    uploaded = await _uploaded(hub, upload, arguments, output)
    output.result(_value(upload, uploaded), _text(upload, uploaded))
    return exit_status.FAILED if _has_failed(uploaded.stage) else exit_status.OK


async def _uploaded(
    hub: Hub, upload: Upload, arguments: argparse.Namespace, output: Output
) -> Uploaded:
    """Uploads it, with its progress shown; however that ends, what was done is said."""
    steps = Steps()
    wait_s = 0.0 if arguments.no_wait else arguments.timeout
    try:
        with Progress(output, None) as progress:
            return await hub.push(
                upload, steps, progress.phase, wait_s=wait_s, poll_s=arguments.poll
            )
    except DeployError as error:
        raise type(error)(f"{error} {_done(upload.space, steps.done)}") from None
    except asyncio.CancelledError:
        output.error(f"Interrupted. {_done(upload.space, steps.done)}")
        raise


@contextmanager
def _folder(named: Path | None) -> Iterator[Path]:
    """The folder to stage in: the named one, else one for as long as the block runs."""
    if named is not None:
        yield named
        return
    with tempfile.TemporaryDirectory(prefix="glm-space-") as folder:
        yield Path(folder)


def _require_replaceable(space: str, now: SpaceNow) -> None:
    """Raises UsageError where an upload would replace what this has not staged."""
    if now.exists and not is_fresh(now.files) and not is_staged(now.files):
        other = next(iter(sorted(strangers(now.files)) or sorted(now.files)))
        raise UsageError(
            f"The Space {space} exists and holds what this does not write, such as {other}: name "
            "another, or delete that one first."
        )


def _plan_text(upload: Upload, *, public: bool) -> str:
    """What would be done, before it is."""
    seen = "private, for its owner alone" if upload.now.private else "public"
    if upload.now.exists:
        lines = [f"The Space {upload.space}, which exists ({seen}), is given:"]
        if public and upload.now.private:
            lines[0] += " (it stays private: change that on its page)"
    else:
        seen = "public" if not upload.private else "private, for its owner alone"
        lines = [f"The Space {upload.space} is made, {seen}, and given:"]
    size = f"{upload.staged.size / 1_000_000:.1f} MB"
    lines.append(f"  files      {len(upload.staged.files)}, {size}")
    if upload.deleted:
        lines.append(f"  deleted    {', '.join(upload.deleted)}")
    lines.append(f"  secrets    {_names(upload.environment.secrets)}")
    variables = upload.environment.variables
    lines.append(f"  variables  {_names([f'{name}={value}' for name, value in variables.items()])}")
    if upload.bucket is not None:
        lines.append(f"  bucket     {upload.bucket}, private where it is made")
    if upload.untouched:
        lines.append(f"It keeps what it has beside these: {_names(upload.untouched)}.")
    if upload.environment.left_out:
        lines.append(f"Of this machine alone, not given: {_names(upload.environment.left_out)}.")
    lines.append(f"Its chats are answered by {upload.environment.asks}.")
    return "\n".join(lines)


def _staged_text(staged: Staged, environment: SpaceEnvironment) -> str:
    given = [*environment.secrets, *environment.variables]
    lines = [
        f"Staged {len(staged.files)} files in {staged.folder}; no setting is among them.",
        "Try it: pip install -r requirements.txt and python space.py, in that folder.",
        f"Next: python -m deploy space --push OWNER/NAME, which also gives it {_names(given)}."
        if given
        else "Next: python -m deploy space --push OWNER/NAME.",
    ]
    return "\n".join(lines)


def _staged_value(staged: Staged) -> dict[str, Any]:
    return {"folder": str(staged.folder), "files": [str(name) for name in staged.files]}


def _text(upload: Upload, uploaded: Uploaded) -> str:
    lines = [
        f"Uploaded {len(upload.staged.files)} files to {uploaded.url}",
        f"Secrets set: {_names(upload.environment.secrets)}",
        f"Variables set: {_names(upload.environment.variables)}",
    ]
    words = stage_words(uploaded.stage)
    if _has_failed(uploaded.stage):
        kind = "build" if uploaded.stage == "BUILD_ERROR" else "container"
        reason = f" ({' '.join(uploaded.reason.split())})" if uploaded.reason else ""
        lines.append(f"{words}{reason}: read why at {uploaded.url}?logs={kind}")
    elif uploaded.stage == "RUNNING":
        lines.append("It runs: open that address.")
    else:
        lines.append(f"{words}: see that address.")
    return "\n".join(lines)


def _value(upload: Upload, uploaded: Uploaded) -> dict[str, Any]:
    return {
        "space": upload.space,
        "url": uploaded.url,
        "created": not upload.now.exists,
        "commit": uploaded.commit,
        "stage": uploaded.stage,
        "reason": uploaded.reason,
        "files": len(upload.staged.files),
        "deleted": upload.deleted,
        "secrets": list(upload.environment.secrets),
        "variables": dict(upload.environment.variables),
        "untouched": upload.untouched,
        "left_out": list(upload.environment.left_out),
        "bucket": upload.bucket,
    }


def _has_failed(stage: str) -> bool:
    return stage in ("NO_APP_FILE", "DELETING") or stage.endswith("_ERROR")


def _done(space: str, done: Sequence[str]) -> str:
    """What stands at the Hub when an upload has not come to its end."""
    if not done:
        return "Nothing was changed at the Hub."
    return (
        f"Done by then: {', '.join(done)}. The same command goes on with {space}; what is there "
        "can be deleted on its page."
    )


def _names(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"
