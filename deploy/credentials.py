"""The key of the Baseten account, where it comes from, and the two addresses that it may go to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pydantic import SecretStr

from app.connections import BASETEN_API_URL, SettingsError, baseten_api, sendable
from app.settings import Settings, load_settings
from deploy.errors import CredentialsError, UsageError
from deploy.trussrc import APP_URL, SignIn, find_sign_in, renewed

_NONE: Final = """\
There is no key of a Baseten account. Give one in any of three ways:
  in the environment      export BASETEN_API_KEY=…
  in .env                 a line BASETEN_API_KEY=…, in the project's folder
  by signing in to truss  .venv/bin/truss login --browser
Keys are made at https://app.baseten.co/settings/api_keys. The preset's page begins with
baseten auth login, which signs in the Baseten CLI, for push --via baseten-cli."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """A key, and where it goes: the management API, and the remote that truss pushes to.

    `source` says where it is from. `sign_in` is set where that is truss, which can renew it.
    """

    key: SecretStr
    source: str
    api_url: str
    remote_url: str
    sign_in: SignIn | None = None

    def renewed(self) -> Credentials:
        """These, or, where their key expires, the same with a new one. Raises CredentialsError.

        It may take some seconds: call it outside of the event loop.
        """
        if self.sign_in is None or not self.sign_in.expired:
            return self
        return _of_sign_in(renewed(self.sign_in), self.api_url)


def read_settings() -> Settings:
    """The settings of this process. Raises UsageError where they cannot be used."""
    try:
        return load_settings()
    except SettingsError as error:
        raise UsageError(str(error)) from None


def find_credentials(settings: Settings | None = None) -> Credentials:
    """The key of the environment or of `.env`, else that of a truss sign-in.

    Raises CredentialsError where there is none, with the ways to give one, and UsageError for a
    management API that is not Baseten's.
    """
    settings = settings or read_settings()
    try:
        api_url = baseten_api(settings.baseten_api_url)
    except SettingsError as error:
        raise UsageError(str(error)) from None
    if settings.baseten_api_key is not None:
        key = _sendable(settings.baseten_api_key, "BASETEN_API_KEY")
        remote_url = APP_URL if api_url == BASETEN_API_URL else api_url
        return Credentials(key, "BASETEN_API_KEY", api_url, remote_url)
    sign_in = find_sign_in()
    if sign_in is None:
        raise CredentialsError(_NONE)
    return _of_sign_in(sign_in, api_url)


def _of_sign_in(sign_in: SignIn, api_url: str) -> Credentials:
    """A sign-in to a loopback remote stays there, as does one that is used on a loopback API."""
    remote_url = sign_in.remote_url
    if api_url != BASETEN_API_URL:
        remote_url = api_url
    elif remote_url != APP_URL:
        api_url = remote_url
    key = _sendable(sign_in.key, f"The {sign_in.source}")
    return Credentials(key, sign_in.source, api_url, remote_url, sign_in)


def _sendable(key: SecretStr, name: str) -> SecretStr:
    try:
        return sendable(key, name)
    except SettingsError as error:
        raise CredentialsError(str(error)) from None
