"""Which model server `call` and `verify` ask: that of the record, or one that is named."""

from __future__ import annotations

import argparse
import asyncio
import re
from typing import Final
from urllib.parse import urlsplit

from pydantic import SecretStr

from app.connections import Connection, SettingsError, compatible
from app.deployment import read_record
from app.endpoint import EndpointSettings
from app.settings import Settings, compatible_connection
from deploy.credentials import find_credentials, read_settings
from deploy.errors import NotFoundError, UsageError

_OF_BASETEN: Final = re.compile(r"model-[a-z0-9]+\.api\.baseten\.co")
"""Hosts that are a model's own on Baseten."""

_NOT_NAMED: Final = (
    "No deployment is known: push one (python -m deploy push), point at one that exists "
    "(python -m deploy connect), set OPENAI_BASE_URL, or name a server with --base-url."
)


def add_server_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds `--base-url` and `--model`."""
    parser.add_argument(
        "--base-url",
        metavar="URL",
        help="server to ask in place of the deployment's record, with OPENAI_API_KEY if that is "
        "set; one of Baseten's gets BASETEN_API_KEY",
    )
    parser.add_argument("--model", metavar="NAME", help="model name to send")


async def find_server(
    base_url: str | None, *, needs_key: bool = True
) -> tuple[Connection, Settings]:
    """The server at that address, else the one that is configured or recorded; and the settings.

    BASETEN_API_KEY goes to Baseten's addresses alone, and wins there; where it is not set, a
    recorded deployment is asked with the key of a truss sign-in. Without `needs_key` nothing will
    be asked. Raises UsageError for settings that cannot be used, NotFoundError where nothing names
    a server, CredentialsError where a key is missing.
    """
    settings = read_settings()
    try:
        if base_url is not None:
            connection = compatible_connection(base_url, settings)
            if settings.baseten_api_key is not None and is_of_baseten(base_url):
                connection = compatible(base_url, settings.baseten_api_key)
            return connection, settings
        if settings.baseten_api_key is None and _names_deployment(settings):
            key = (await _found_key(settings)) if needs_key else SecretStr("not-sent")
            settings = settings.model_copy(update={"baseten_api_key": key})
        connection = settings.connection()
    except SettingsError as error:
        raise UsageError(str(error)) from None
    if connection.kind == "simulator":
        raise NotFoundError(_NOT_NAMED)
    return connection, settings


def _names_deployment(settings: Settings) -> bool:
    """Whether a deployment on Baseten is meant. Raises SettingsError for a record that is none."""
    if settings.openai_base_url is not None:
        return False
    named = settings.baseten_model_id is not None
    return named or read_record(settings.deployment_path()) is not None


async def _found_key(settings: Settings) -> SecretStr:
    return (await asyncio.to_thread(lambda: find_credentials(settings).renewed())).key


def is_of_baseten(base_url: str) -> bool:
    """Whether an address is a model's own on Baseten."""
    parts = urlsplit(base_url)
    return parts.scheme == "https" and _OF_BASETEN.fullmatch(parts.hostname or "") is not None


def endpoint_settings(connection: Connection, settings: Settings, model: str) -> EndpointSettings:
    """How that server is reached. Its failures are told, not tried over."""
    return EndpointSettings(
        base_url=connection.base_url,
        api_key=connection.api_key,
        model=model,
        status_url=connection.status_url,
        connect_timeout_s=settings.connect_timeout_s,
        silence_timeout_s=settings.silence_timeout_s,
        tries=1,
    )


def key_variable(connection: Connection, settings: Settings) -> str | None:
    """The environment variable that holds the server's key, for code that is printed."""
    if connection.kind == "baseten" or is_of_baseten(connection.base_url):
        return "BASETEN_API_KEY"
    return "OPENAI_API_KEY" if settings.openai_api_key is not None else None
