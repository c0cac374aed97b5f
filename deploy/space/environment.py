"""Which settings a Space is given: those of this environment, as its secrets and variables.

Variables can be read by everyone who sees a public Space, and are copied with it; secrets are
neither. So numbers and switches are variables, and all that is text (keys, addresses, names) is
a secret.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, Final
from urllib.parse import urlsplit

from pydantic import SecretStr

from app.connections import Connection, SettingsError, is_loopback
from app.settings import Settings
from deploy.errors import UsageError

DATA: Final = "/data"
"""Where a bucket is mounted."""

SERVER: Final = frozenset(
    {
        "BASETEN_API_KEY",
        "BASETEN_MODEL_ID",
        "BASETEN_ENVIRONMENT",
        "BASETEN_DEPLOYMENT_ID",
        "OPENAI_BASE_URL",
        "OPENAI_API_KEY",
        "GLM_MODEL",
    }
)
"""The settings that name the model server: one of a server before would name another."""

SIGN_IN: Final = frozenset(
    {"GLM_REQUIRE_SIGN_IN", "GLM_ALLOWED_USERS", "GLM_ALLOWED_ORGANISATIONS"}
)
PASSWORDS: Final = "GLM_AUTH"
"""People come in by either of these two, never by both."""

_OF_THIS_MACHINE: Final = frozenset(
    {"server_name", "server_port", "root_path", "deployment_file", "baseten_api_url"}
)
_REACHED: Final = (80, 443, 8080)
"""Ports of other hosts that a Space reaches. Source: the Hub's page on the network of Spaces."""

_DEFAULT_PORTS: Final[Mapping[str, int]] = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class SpaceEnvironment:
    """Secrets and variables by their names. `left_out` are settings that stay on this machine.

    `asks` is the model server, None where none is named; `billed` says whether it is one that is
    billed while it serves.
    """

    secrets: Mapping[str, str] = field(repr=False)
    variables: Mapping[str, str]
    left_out: tuple[str, ...]
    asks: str | None
    billed: bool

    @property
    def names(self) -> frozenset[str]:
        """All that is given."""
        return frozenset((*self.secrets, *self.variables))

    @property
    def sign_in(self) -> bool:
        """Whether people have to sign in with Hugging Face."""
        return bool(self.names & SIGN_IN)


def environment_of(settings: Settings) -> SpaceEnvironment:
    """What these settings are on a Space. Raises UsageError where it could not work with them."""
    try:
        connection = settings.connection()
        passwords = settings.passwords()
    except SettingsError as error:
        raise UsageError(str(error)) from None
    if passwords and (
        settings.require_sign_in or settings.allowed_users or settings.allowed_organisations
    ):
        raise UsageError(
            "GLM_AUTH is set together with sign-in by Hugging Face: unset one of the two."
        )
    _check_reach(settings, connection)
    secrets: dict[str, str] = {}
    variables: dict[str, str] = {}
    left_out: list[str] = []
    for name in sorted(settings.model_fields_set):
        variable = str(type(settings).model_fields[name].alias)
        value = getattr(settings, name)
        if name in _OF_THIS_MACHINE or (name == "data_folder" and not _is_mounted(value)):
            left_out.append(variable)
        elif isinstance(value, bool | int | float):
            variables[variable] = str(value).lower().removesuffix(".0")
        elif value is not None:
            secrets[variable] = _text(value)
    if connection.kind == "baseten":
        secrets |= _of_record(settings, connection.model)
    return SpaceEnvironment(
        secrets,
        variables,
        tuple(left_out),
        None if connection.kind == "simulator" else connection.label,
        connection.kind == "baseten",
    )


def _of_record(settings: Settings, model: str) -> dict[str, str]:
    """What the record of a deployment says, which is not uploaded, where no variable says it."""
    record = settings.record()
    if record is None:
        return {}
    of_record = {"BASETEN_MODEL_ID": record.model_id, "GLM_MODEL": model}
    if settings.model_fields_set & {"baseten_environment", "baseten_deployment_id"}:
        return of_record
    if record.environment:
        return of_record | {"BASETEN_ENVIRONMENT": record.environment}
    return of_record | {"BASETEN_DEPLOYMENT_ID": record.deployment_id}


def _check_reach(settings: Settings, connection: Connection) -> None:
    """Raises UsageError for an address that a Space cannot reach."""
    if connection.base_url:
        by = "OPENAI_BASE_URL" if connection.kind == "compatible" else "BASETEN_API_URL"
        _check_address(f"The model server of {by}", connection.base_url)
    for address in settings.mcp_servers.split():
        _check_address("An MCP server of GLM_MCP_SERVERS", address)
    if settings.database_url is not None:
        url = settings.database_url.get_secret_value()
        if url.startswith("sqlite"):
            raise UsageError(
                "DATABASE_URL names a file of this machine: unset it, and mount a bucket with "
                "--bucket, so that chats outlast a restart of the Space."
            )
        _check_address("The database of DATABASE_URL", url, default_port=5432)


def _check_address(what: str, address: str, *, default_port: int | None = None) -> None:
    try:
        parts = urlsplit(address)
        port = parts.port or default_port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        raise UsageError(f"{what} has an address that cannot be read: mend it.") from None
    if _is_near(parts.hostname or "localhost"):
        raise UsageError(
            f"{what} is at an address of this machine or of its own network, which a Space does "
            "not reach: give one that can be reached from outside, or unset it."
        )
    if port not in _REACHED:
        raise UsageError(
            f"{what} is asked on port {port}, and a Space reaches ports 80, 443 and 8080 alone: "
            "serve it on one of them, or unset it."
        )


def _is_near(host: str) -> bool:
    if is_loopback(host):
        return True
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return host.endswith((".local", ".localhost", ".internal"))


def _is_mounted(folder: Any) -> bool:
    return PurePosixPath(str(folder)).is_relative_to(DATA)


def _text(value: Any) -> str:
    return value.get_secret_value() if isinstance(value, SecretStr) else str(value)
