"""`python -m deploy space`: writes the UI as a Hugging Face Space, and uploads it."""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy import exit_status
from deploy.argument_types import add_poll_argument, add_timeout_argument
from deploy.confirming import confirmed, require_answerable
from deploy.credentials import read_settings
from deploy.errors import DeployError, UsageError
from deploy.output import Output
from deploy.progress import Progress
from deploy.space.environment import SIGN_IN, SpaceEnvironment, environment_of
from deploy.space.folder import Staged, is_fresh, is_staged, stage, strangers
from deploy.space.hub import Hub, Steps, checked_name, require_owner
from deploy.space.upload import SpaceNow, Upload, Uploaded, has_failed, is_on_its_way
from deploy.space.upload_text import (
    done_text,
    plan_text,
    staged_text,
    uploaded_text,
    uploaded_value,
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds where the Space goes, and of which kind it is."""
    parser.description = (
        "Writes the page as a complete Gradio Space, and uploads it to the Hugging Face Hub. "
        "Numbers and switches of the settings become its variables, which everybody can read who "
        "sees the Space; keys, addresses and names become its secrets."
    )
    parser.epilog = (
        "Exit status: 0 it runs, or was staged; 1 it failed or does not run within the time; "
        "2 bad arguments; 3 no token or a refused one; 4 not found; 130 interrupted."
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
    """Stages and uploads; OK once it is staged, or runs."""
    environment = environment_of(read_settings())
    if arguments.push is None:
        return _stage(arguments, output, environment)
    space = checked_name(arguments.push, "--push")
    bucket = None if arguments.bucket is None else checked_name(arguments.bucket, "--bucket")
    hub = Hub.of_environment()
    with _folder(arguments.stage) as folder:
        staged = _staged(folder, arguments, sign_in=environment.sign_in)
        if arguments.stage is not None:
            output.note(f"Staged {len(staged.files)} files in {staged.folder}.")
        now = await hub.look(space, (staged.folder / "README.md").read_text("utf-8"))
        _require_replaceable(space, now)
        if now.names & SIGN_IN and not environment.sign_in:
            # What it keeps asks people to sign in, which the front matter must offer.
            staged = _staged(folder, arguments, sign_in=True)
        upload = Upload(space, now, staged, environment, not arguments.public, bucket)
        output.note(plan_text(upload, public=arguments.public))
        if not arguments.yes:
            require_answerable()
            if not confirmed("\nUpload this?"):
                raise DeployError("Nothing was uploaded.")
        uploaded = await _uploaded(hub, upload, arguments, output)
    waited = not arguments.no_wait
    text = uploaded_text(upload, uploaded, waited=waited)
    output.result(uploaded_value(upload, uploaded), text)
    late = waited and is_on_its_way(uploaded.stage)
    return exit_status.FAILED if late or has_failed(uploaded.stage) else exit_status.OK


def _stage(arguments: argparse.Namespace, output: Output, environment: SpaceEnvironment) -> int:
    if arguments.stage is None:
        raise UsageError(
            "Say what to do: --stage DIR writes the Space, --push OWNER/NAME uploads it."
        )
    without_push = {"--bucket": arguments.bucket, "--public": arguments.public}
    for option, given in without_push.items():
        if given:
            raise UsageError(f"{option} is for an upload: add --push OWNER/NAME.")
    staged = _staged(arguments.stage, arguments, sign_in=environment.sign_in)
    value = {"folder": str(staged.folder), "files": len(staged.files), "bytes": staged.size}
    output.result(value, staged_text(staged, environment))
    return exit_status.OK


def _staged(folder: Path, arguments: argparse.Namespace, *, sign_in: bool) -> Staged:
    return stage(folder, license_id=arguments.license, sign_in=arguments.sign_in or sign_in)


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
        raise type(error)(f"{error} {done_text(upload.space, steps.done)}") from None
    except asyncio.CancelledError:
        output.error(f"Interrupted. {done_text(upload.space, steps.done)}")
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
    """Raises UsageError where the token cannot make the Space, or it is somebody's other one."""
    if not now.exists:
        require_owner(space, now.owners)
    elif not is_fresh(now.files) and not is_staged(now.files):
        other = next(iter(sorted(strangers(now.files)) or sorted(now.files)))
        raise UsageError(
            f"The Space {space} exists and holds what was not staged here, such as {other}: name "
            "another, or delete that one first."
        )
