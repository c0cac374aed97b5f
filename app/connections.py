"""Which model server is asked: its address, and the key that goes there and nowhere else."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias
from urllib.parse import SplitResult, urlsplit

from pydantic import SecretStr

BASETEN_API_URL: Final = "https://api.baseten.co"

_BASE_URL_FORM: Final = (
    "The base URL must start with http:// or https://, name a host and hold no query, "
    "such as http://127.0.0.1:8000/v1."
)
_API_URL_FORM: Final = (
    f"BASETEN_API_URL must be {BASETEN_API_URL} or, for tests, a loopback address such as "
    "http://127.0.0.1:8000: BASETEN_API_KEY goes to no other. Unset it."
)

ConnectionKind: TypeAlias = Literal["simulator", "baseten", "compatible"]


class SettingsError(ValueError):
    """The settings cannot be used; the text says what is wrong and what to do, never a value."""


@dataclass(frozen=True, slots=True)
class Connection:
    """One model server; `label` names it for a reader.

    The simulator has no address until it is started. `status_url` is where Baseten's management
    API tells the status of the deployment that is asked. `model` is the name under which the
    server knows its model, where that is known.
    """

    kind: ConnectionKind
    label: str
    base_url: str = ""
    api_key: SecretStr | None = None
    status_url: str = ""
    model: str = ""


def baseten(
    model_id: str,
    api_key: SecretStr,
    *,
    environment: str,
    deployment_id: str | None,
    api_url: str,
) -> Connection:
    """A model on Baseten: one deployment of it, else an environment, or what is in development.

    On a loopback `api_url` the model's own address is a path beside the management API.
    Raises SettingsError for an `api_url` of another's, and for a key that cannot be sent.

    Source: Baseten's inference URLs, and the management API's routes under `/v1/models`.
    """
    if deployment_id is not None:
        place, watched = f"deployment/{deployment_id}", f"deployments/{deployment_id}"
        label = deployment_id
    elif environment == "development":
        place, watched = "development", "deployments/development"
        label = environment
    else:
        place = watched = f"environments/{environment}"
        label = environment
    api_url = baseten_api(api_url)
    if api_url == BASETEN_API_URL:
        model_url = f"https://model-{model_id}.api.baseten.co"
    else:
        model_url = f"{api_url}/model-{model_id}"
    return Connection(
        "baseten",
        f"Baseten, model {model_id}, {label}",
        f"{model_url}/{place}/sync/v1",
        sendable(api_key, "BASETEN_API_KEY"),
        f"{api_url}/v1/models/{model_id}/{watched}",
    )


def baseten_api(api_url: str) -> str:
    """The address of Baseten's management API, without a slash at its end.

    Raises SettingsError for one of another's, since the key would go there.
    """
    api_url = api_url.rstrip("/")
    if api_url != BASETEN_API_URL and not is_loopback(
        _split(api_url, _API_URL_FORM).hostname or ""
    ):
        raise SettingsError(_API_URL_FORM)
    return api_url


def compatible(base_url: str, api_key: SecretStr | None) -> Connection:
    """An OpenAI-compatible server.

    Raises SettingsError for an address or a key that cannot be used.
    """
    parts = _split(base_url.strip(), _BASE_URL_FORM)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise SettingsError(_BASE_URL_FORM)
    if parts.username or parts.password:
        raise SettingsError(
            "The base URL holds a user or a password: leave them out, and set OPENAI_API_KEY."
        )
    key = sendable(api_key, "OPENAI_API_KEY") if api_key is not None else None
    return Connection("compatible", parts.netloc, base_url.strip().rstrip("/"), key)


def is_loopback(host: str) -> bool:
    """Whether a name or an address is this machine's own."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(re.sub(r"^\[|\]$", "", host)).is_loopback
    except ValueError:
        return False


def sendable(key: SecretStr, name: str) -> SecretStr:
    """The key without blanks around it. Raises SettingsError where no header can carry it."""
    text = key.get_secret_value().strip()
    if not text or not text.isascii() or not text.isprintable() or " " in text:
        raise SettingsError(
            f"{name} holds a character that no key has: copy it again, without spaces, quotes "
            "or line breaks."
        )
    return SecretStr(text)


def _split(url: str, form: str) -> SplitResult:
    """The parts of an address. Raises SettingsError, with the form that it must have."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - reading it checks it
    except ValueError:
        raise SettingsError(form) from None
    return parts
