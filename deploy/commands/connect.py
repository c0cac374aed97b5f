"""`python -m deploy connect`: points the UI at a deployment that exists."""

from __future__ import annotations

import argparse
import asyncio
import re
from collections.abc import Sequence
from contextlib import aclosing
from typing import Final
from urllib.parse import urlsplit

from app.chat.turn import Turn, TurnBuilder
from app.connections import BASETEN_API_URL, Connection
from app.deployment import DeploymentRecord
from app.endpoint import Endpoint
from app.settings import Settings
from deploy import exit_status
from deploy.argument_types import add_waiting_arguments
from deploy.calls import Call, request_of
from deploy.credentials import Credentials, find_credentials, read_settings
from deploy.errors import DeployError, NotFoundError, UsageError
from deploy.management import Management
from deploy.model_server import endpoint_settings
from deploy.output import Output
from deploy.record import connection_of, require_writable_record, write_record
from deploy.target import Target, add_target_arguments, find_target
from deploy.waiting import points_at
from deploy.watching import told_when_interrupted, watch_until_serving

_HOST: Final = re.compile(r"model-([A-Za-z0-9]{3,40})\.api\.baseten\.co")
_PLACE: Final = re.compile(
    r"(?:/environments/(?P<environment>[A-Za-z0-9_-]{1,60})|/(?P<named>production|development)"
    r"|/deployment/(?P<deployment>[A-Za-z0-9]{3,40}))?(?:/.*)?"
)
_LOOPBACK: Final = re.compile(r"/model-([A-Za-z0-9]{3,40})(/.*)?")
_CALL_S: Final = 180.0
"""For so long the tiny call may take: it may have to wait for sixteen others."""

_TINY: Final = Call("Say hello.")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds which deployment is meant, as ids or as an address, and for how long it may take."""
    parser.description = (
        "Wakes or waits for the deployment where it does not serve, which is billed; checks its "
        "name and makes one tiny call; then writes the record by which the UI asks it."
    )
    parser.add_argument(
        "url",
        nargs="?",
        metavar="URL",
        help="address of the model, such as "
        "https://model-abc1d2ef.api.baseten.co/environments/production/sync/v1",
    )
    add_target_arguments(parser)
    add_waiting_arguments(parser)


async def run(arguments: argparse.Namespace, output: Output) -> int:
    """Connects the UI; OK once the record is written."""
    settings = read_settings()
    credentials = find_credentials(settings)
    if arguments.url is not None:
        _read_address(arguments, credentials)
    require_writable_record()
    async with Management(credentials) as management:
        target = await find_target(arguments, management)
        watched = await watch_until_serving(
            management, target, output, timeout_s=arguments.timeout, poll_s=arguments.poll
        )
        billed = watched.text.splitlines()
        with told_when_interrupted(output, lambda: f"Nothing was written. {' '.join(billed)}"):
            environment = await _environment(management, target, arguments)
            served = await management.served_models(target.model_id, target.deployment_id)
            name = _served_name(served, settings, output)
            connection = connection_of(
                credentials, target.model_id, target.deployment_id, environment
            )
            turn = await _called(connection, settings, name)
    record = DeploymentRecord(
        model_id=target.model_id,
        deployment_id=target.deployment_id,
        environment=environment,
        base_url=connection.base_url,
        served_name=name,
    )
    path = write_record(record)
    missing = settings.baseten_api_key is None
    lines = [
        f"The UI now asks {name} at {connection.base_url} (written to {path}).",
        f"A tiny call was answered after {turn.timings.total_s:.1f} s.",
        *([_KEY_MISSING.format(source=credentials.source)] if missing else []),
        *_shadowed(settings),
        f"Next: python -m app. {watched.text.splitlines()[-1]}",
    ]
    value = {
        **watched.as_json(),
        **record.model_dump(),
        "record": str(path),
        "seconds_of_call": round(turn.timings.total_s, 3),
        "key_for_the_page": not missing,
    }
    output.result(value, "\n".join(lines))
    return exit_status.OK


_KEY_MISSING: Final = (
    "The page does not read the {source}: set BASETEN_API_KEY in the environment or in .env."
)


def _read_address(arguments: argparse.Namespace, credentials: Credentials) -> None:
    """Turns the address into the ids that it names. Raises UsageError for one of another's."""
    if arguments.model_id or arguments.deployment_id or arguments.environment:
        raise UsageError("Name the model by its address or by --model-id and the like, not both.")
    try:
        parts = urlsplit(arguments.url)
        host = parts.hostname or ""
    except ValueError:
        host, parts = "", urlsplit("")
    path = parts.path
    named = _HOST.fullmatch(host) if parts.scheme == "https" else None
    if named is None and credentials.api_url != BASETEN_API_URL:
        own = f"{parts.scheme}://{parts.netloc}" == credentials.api_url
        named = _LOOPBACK.fullmatch(path) if own else None
        path = (named[2] or "") if named else path
    place = _PLACE.fullmatch(path)
    if named is None or place is None:
        raise UsageError(
            "That is no address of a model on Baseten, such as https://model-abc1d2ef.api."
            "baseten.co/environments/production/sync/v1. For any other server set OPENAI_BASE_URL."
        )
    arguments.model_id = named[1]
    arguments.deployment_id = place["deployment"]
    arguments.environment = place["environment"] or place["named"]


async def _environment(
    management: Management, target: Target, arguments: argparse.Namespace
) -> str | None:
    """The environment by which it is asked: one that points at it, unless its id was given."""
    name: str | None = target.environment
    if name is None or (arguments.deployment_id and not arguments.environment):
        return None
    try:
        points = await points_at(management, target.model_id, name, target.deployment_id)
    except NotFoundError:
        points = False
    return name if points else None


def _served_name(served: Sequence[str], settings: Settings, output: Output) -> str:
    """The name to ask for; says so where it is another than the app's. Raises DeployError."""
    if not served:
        raise DeployError(
            "The model's server lists no model: read its log with python -m deploy logs."
        )
    if settings.model in served:
        return settings.model
    output.note(
        f"The server knows its model as {served[0]}, not as {settings.model}: the UI asks for "
        "that from now on."
    )
    return served[0]


async def _called(connection: Connection, settings: Settings, model: str) -> Turn:
    """One tiny answer. Raises DeployError where none comes."""
    builder = TurnBuilder()
    request = request_of(_TINY, None, model=model, stream=True)
    # It always thinks: its answer may be cut, but one that begins is one that works.
    request.body["max_tokens"] = 64
    reached = endpoint_settings(connection, settings, model)
    try:
        async with (
            asyncio.timeout(_CALL_S),
            Endpoint(reached) as endpoint,
            aclosing(endpoint.stream(request)) as events,
        ):
            async for event in events:
                builder.add(event)
    except TimeoutError:
        raise DeployError(
            f"The model serves, but its answer has no end after {_CALL_S:g} s: nothing was "
            "written. Read its log with python -m deploy logs."
        ) from None
    turn = builder.turn()
    if turn.failure is not None:
        raise DeployError(
            f"The model serves, but does not answer ({turn.failure.message}): nothing was written."
        )
    if not turn.complete:
        raise DeployError(
            "The model serves, but its answer broke off: nothing was written. Try again."
        )
    return turn


def _shadowed(settings: Settings) -> list[str]:
    """What in the environment is asked in place of the record."""
    names = {"baseten_model_id": "BASETEN_MODEL_ID", "openai_base_url": "OPENAI_BASE_URL"}
    return [
        f"{variable} is set, and wins over the record: unset it."
        for field, variable in names.items()
        if getattr(settings, field) is not None
    ]
