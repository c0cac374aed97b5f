"""The command line: which commands there are, and how one is run and ended."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Final, Protocol, cast

from deploy import exit_status
from deploy.errors import DeployError
from deploy.output import Output

COMMANDS: Final[Mapping[str, str]] = {
    "check": "validate the preset, and say what is wrong with it",
    "explain": "print every engine flag with its value and what it does",
    "plan": "say what a push would do and cost, and do nothing",
    "push": "deploy the preset, wait for it, connect the UI to it",
    "status": "tell how the deployment is, and whether it is billed",
    "logs": "print the deployment's logs",
    "wait": "wait until the deployment serves",
    "wake": "wake a deployment that is scaled to zero",
    "scale": "show or change autoscaling",
    "stop": "deactivate the deployment, so that nothing is billed",
    "start": "activate the deployment again",
    "promote": "make an environment point at the deployment",
    "connect": "point the UI at a deployment that exists",
    "call": "call the model as the preset's page shows, or print that call as cURL",
    "verify": "check that an endpoint does what the preset promises",
    "space": "write the UI as a Hugging Face Space, and upload it",
}


class Command(Protocol):
    """A module of `deploy.commands`, named like its command."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Adds what the command takes, and sets its description; `--json` is there already."""

    async def run(self, arguments: argparse.Namespace, output: Output) -> int:
        """Does it; returns the exit status. Raises DeployError where it fails."""


def run(words: Sequence[str]) -> int:
    """Runs the command that the words name; returns its exit status."""
    named = next((word for word in words if word in COMMANDS), None)
    # Only the command that is meant is imported: some of them need much that others do not.
    command = cast("Command", import_module(f"deploy.commands.{named}")) if named else None
    try:
        arguments = _parser(named, command).parse_args(words)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else exit_status.USAGE
    if command is None:
        _parser(None, None).print_help()
        return exit_status.USAGE
    output = Output(arguments.json)
    try:
        return asyncio.run(command.run(arguments, output))
    except DeployError as error:
        output.error(str(error))
        return error.status
    except KeyboardInterrupt:
        return exit_status.INTERRUPTED


def _parser(named: str | None, command: Command | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m deploy",
        description="Puts GLM-5.3-Flash on eight H100s at Baseten, and the UI on a Space.",
        epilog="Exit status: 0 done, 1 failed, 2 bad arguments, 3 no key or a refused one, "
        "4 not found, 5 a preset that must not be pushed, 130 interrupted.",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, what in COMMANDS.items():
        one = commands.add_parser(name, help=what)
        one.add_argument("--json", action="store_true", help="print one JSON object, nothing else")
        if command is not None and name == named:
            command.add_arguments(one)
    return parser
