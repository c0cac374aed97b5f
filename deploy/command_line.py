"""The command line: which commands there are, and how one is run and ended."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Final, NoReturn, Protocol, cast

from deploy import exit_status
from deploy.errors import DeployError, UsageError
from deploy.interruptions import cancelled_by_signals
from deploy.output import ClosedOutputError, Output, standard_output

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

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


class ArgumentsError(UsageError):
    """Words that the command does not take; `usage` is how it is called."""

    def __init__(self, message: str, usage: str) -> None:
        super().__init__(message)
        self.usage = usage


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ArgumentsError(f"{self.prog}: error: {message}", self.format_usage())

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        # argparse's own lets go what cannot be written.
        stream = file or sys.stdout
        if stream is not None:
            stream.write(self.format_help())


def run(words: Sequence[str]) -> int:
    """Runs the command that the words name; returns its exit status.

    However it ends, that is told in a sentence; with `--json`, as the one object where the command
    had told none.
    """
    output = Output(_asks_for_json(words))
    try:
        return _told(words, output)
    except ClosedOutputError as error:
        if str(error):
            output.note(f"Standard output could not be written: {error}.")
        return exit_status.FAILED


def import_command(words: Sequence[str]) -> Command | None:
    """The command that the words name, and no other: some of them need much that others do not."""
    named = _named(words)
    return cast("Command", import_module(f"deploy.commands.{named}")) if named else None


def _told(words: Sequence[str], output: Output) -> int:
    """Runs it, and tells of what went wrong. Raises ClosedOutputError."""
    try:
        return _run(words, output)
    except (KeyboardInterrupt, asyncio.CancelledError):
        output.interrupted()
        return exit_status.INTERRUPTED
    except ClosedOutputError:
        raise
    except DeployError as error:
        if isinstance(error, ArgumentsError) and not output.as_json:
            output.note(error.usage.rstrip())
        output.error(str(error))
        return error.status
    except ModuleNotFoundError as error:
        output.error(
            f"{error.name} is not installed for this Python: run make deploy, then use "
            ".venv/bin/python -m deploy."
        )
        return exit_status.FAILED
    except Exception as error:
        # Its text could hold a key, and a traceback helps nobody who only wants to deploy.
        output.error(
            f"Something went wrong that was not foreseen ({type(error).__name__}): see with "
            "python -m deploy status what is deployed, and whether it is billed."
        )
        return exit_status.FAILED


def _run(words: Sequence[str], output: Output) -> int:
    command = import_command(words)
    named = _named(words)
    with standard_output():
        try:
            arguments = _parser(named, command).parse_args(words)
        except SystemExit as end:  # the help was asked for
            return end.code if isinstance(end.code, int) else exit_status.USAGE
        if command is None:
            _parser(None, None).print_help()
            return exit_status.USAGE
    return asyncio.run(_until_ended(command, arguments, output))


def _named(words: Sequence[str]) -> str | None:
    return next((word for word in words if word in COMMANDS), None)


async def _until_ended(command: Command, arguments: argparse.Namespace, output: Output) -> int:
    with cancelled_by_signals():
        return await command.run(arguments, output)


def _asks_for_json(words: Sequence[str]) -> bool:
    """Whether the words have `--json`, or what argparse takes for it, be the rest right or not."""
    options = words[: words.index("--")] if "--" in words else words
    return any(len(word) > 2 and "--json".startswith(word) for word in options)


def _parser(named: str | None, command: Command | None) -> argparse.ArgumentParser:
    parser = _Parser(
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
