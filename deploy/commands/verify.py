"""`python -m deploy verify`: does the endpoint do what the preset promises?"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Final

import httpx2

from app.connections import Connection
from app.endpoint import Endpoint, EndpointSettings
from deploy import exit_status
from deploy.argument_types import add_timeout_argument
from deploy.confirming import confirmed
from deploy.errors import CredentialsError, DeployError
from deploy.model_server import (
    add_server_arguments,
    endpoint_settings,
    find_server,
    is_of_baseten,
)
from deploy.output import Output
from deploy.preset import add_preset_arguments, load_preset
from deploy.verify import report
from deploy.verify.battery import CHECKS, chosen
from deploy.verify.check import Check, Cost, Result, cost_of
from deploy.verify.outcomes import DifferenceError
from deploy.verify.promises import Promises
from deploy.verify.running import results
from deploy.verify.subject import Subject
from deploy.verify.wire import Wire

_SHORTEST_KEY: Final = 8
"""A shorter one, such as `none`, is no secret, and may be a piece of ordinary words."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The server, the preset that it is held to, and which checks are made."""
    parser.description = (
        "Asks the endpoint for all that the preset promises, one check after the other: each "
        "passes, differs (with what was seen) or is skipped (with why). It says before how much "
        "that takes, and asks before what costs most. Exit status: 0 nothing differs, 1 something "
        "does. Checks: " + ", ".join(check.name for check in CHECKS) + "."
    )
    add_server_arguments(parser)
    add_preset_arguments(parser)
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help="make this check alone; may be given several times",
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="leave out what costs most: many answers at once, and over-long requests",
    )
    parser.add_argument("--yes", action="store_true", help="do not ask before what costs most")
    add_timeout_argument(parser, 300.0, "that a check, or the look before the first, may take")


async def run(arguments: argparse.Namespace, output: Output) -> int:
    """Makes the checks, telling how each ends.

    When it is interrupted, what was seen so far is reported first.
    """
    promises = Promises.of(load_preset(arguments.preset, arguments.set), arguments.model)
    checks = chosen(arguments.only, quick=arguments.quick)
    connection, settings = await find_server(arguments.base_url)
    reached = endpoint_settings(connection, settings, promises.model)
    async with Endpoint(reached) as endpoint, Wire(reached) as wire:
        await _ready_within(arguments.timeout, endpoint, wire, connection)
        _announce(checks, connection, promises, output)
        agreed = arguments.yes or _agrees(checks, promises, output)
        subject = Subject(promises, wire, endpoint, wants_key=_has_gate(connection))
        seen: list[Result] = []
        try:
            made = results(checks, subject, timeout_s=arguments.timeout, with_costly=agreed)
            async with aclosing(made) as ended:
                async for result in ended:
                    seen.append(_without_key(result, reached))
                    output.piece(f"{report.line(seen[-1])}\n")
        finally:
            _tell(seen, checks, connection, promises, output)
    differs = any(result.outcome == "differs" for result in seen)
    return exit_status.FAILED if differs else exit_status.OK


async def _ready_within(
    timeout_s: float, endpoint: Endpoint, wire: Wire, connection: Connection
) -> None:
    """Raises what `_ready` raises, and DeployError where nothing is told in the time."""
    try:
        async with asyncio.timeout(timeout_s):
            await _ready(endpoint, wire, connection)
    except TimeoutError:
        raise DeployError(
            f"{connection.label} did not answer in {timeout_s:g} s: see whether it works, or give "
            "it longer with --timeout."
        ) from None


async def _ready(endpoint: Endpoint, wire: Wire, connection: Connection) -> None:
    """Raises CredentialsError or DeployError where the battery would find nothing out."""
    state = await endpoint.state()
    if state.state in ("asleep", "waking"):
        raise DeployError(
            "The model does not serve yet, and to wake it is billed: run python -m deploy wake, "
            "then this again."
        )
    # A request to one that does not work may be held for minutes: Baseten has told enough.
    if state.state == "unreachable" and connection.kind == "baseten":
        raise DeployError(state.message)
    try:
        reply = await wire.get("/models")
    except httpx2.HTTPError:
        raise DeployError(state.message or f"{connection.label} does not answer.") from None
    except DifferenceError as error:
        raise DeployError(f"The list of models of {connection.label}: {error}.") from None
    if reply.status in (401, 403):
        raise CredentialsError(
            f"{connection.label} refuses the key, or misses one (HTTP {reply.status}): set "
            f"{'BASETEN_API_KEY' if _has_gate(connection) else 'OPENAI_API_KEY'}."
        )
    if state.state == "unreachable":
        raise DeployError(state.message)


def _announce(
    checks: Sequence[Check], connection: Connection, promises: Promises, output: Output
) -> None:
    output.note(
        f"{connection.base_url} is held to what the preset promises of {promises.model}: "
        f"{_told(len(checks), 'check')}, {_worded(cost_of(checks, promises))}."
    )


def _agrees(checks: Sequence[Check], promises: Promises, output: Output) -> bool:
    """Whether what is costly may be asked for; nobody to ask means no."""
    costly = [check for check in checks if check.costly]
    if not costly:
        return False
    names = ", ".join(check.name for check in costly)
    output.note(f"Of this, {_worded(cost_of(costly, promises))} for {names}.")
    # Started with a closed input, Python has none.
    if sys.stdin is None or not sys.stdin.isatty():
        return False
    return confirmed("Make these too?")


def _has_gate(connection: Connection) -> bool:
    return connection.kind == "baseten" or is_of_baseten(connection.base_url)


def _without_key(result: Result, settings: EndpointSettings) -> Result:
    """A server may repeat its key in what it says."""
    key = settings.api_key.get_secret_value() if settings.api_key else ""
    if len(key) < _SHORTEST_KEY:
        return result
    return replace(result, seen=result.seen.replace(key, "[API key]"))


def _tell(
    seen: Sequence[Result],
    checks: Sequence[Check],
    connection: Connection,
    promises: Promises,
    output: Output,
) -> None:
    told = {"base_url": connection.base_url, "model": promises.model}
    output.result({**told, **report.as_json(seen, len(checks))}, report.summary(seen, len(checks)))


def _worded(cost: Cost) -> str:
    tokens = f"at most {cost.tokens:,} tokens" if cost.tokens else "no tokens to speak of"
    return f"about {_told(cost.requests, 'request')} and {tokens}"


def _told(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"
