"""The key of a sign-in that truss has made: its environment variables, its file, the keyring.

The file is read as truss 0.18 writes it, without truss: a section for each remote, with its
`remote_url` and an `api_key`, or, after `truss login --browser`, `oauth_access_token`,
`oauth_refresh_token` and `oauth_expires_at`. Those may be in the system's keyring instead.
"""

from __future__ import annotations

import configparser
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from pydantic import SecretStr

from app.connections import is_loopback
from deploy.errors import CredentialsError

APP_URL: Final = "https://app.baseten.co"
"""What truss calls the remote of a Baseten account."""

_DEFAULT_REMOTE: Final = "baseten"
_KEYRING_SERVICE: Final = "baseten-truss"
_LEEWAY_S: Final = 60
_RENEW_S: Final = 90
_RENEW: Final = (
    "import sys; from truss.remote.remote_factory import RemoteFactory as factory; "
    "factory.create(sys.argv[1]).fetch_auth_header()"
)
_AGAIN: Final = "sign in again with truss login --browser, or set BASETEN_API_KEY"


@dataclass(frozen=True, slots=True)
class SignIn:
    """One sign-in of truss. `remote` names it in truss's file; None for its variables.

    `expires_at`, in seconds of Unix time, is set for one made in a browser.
    """

    key: SecretStr
    remote_url: str
    source: str
    remote: str | None = None
    expires_at: float | None = None

    @property
    def expired(self) -> bool:
        """Whether its key is too old to be sent."""
        return self.expires_at is not None and time.time() + _LEEWAY_S >= self.expires_at


def find_sign_in() -> SignIn | None:
    """The sign-in that truss would use; None where there is none.

    Raises CredentialsError where there is one that cannot be used.
    """
    sign_in = _of_variables() or _of_file()
    if sign_in is None or not sign_in.expired:
        return sign_in
    return renewed(sign_in)


def renewed(sign_in: SignIn) -> SignIn:
    """The same sign-in with a new key, which truss fetches and keeps, in a process of its own.

    Raises CredentialsError where that does not succeed.
    """
    renewable = sign_in.remote is not None and sign_in.remote_url == APP_URL
    fresh: SignIn | None = None
    # Of any other remote truss would send the refresh token to Baseten all the same.
    if renewable and sign_in.remote is not None:
        try:
            subprocess.run(  # noqa: S603 - the name is an argument, and no shell reads it
                [sys.executable, "-c", _RENEW, sign_in.remote],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=_RENEW_S,
                check=True,
            )
            fresh = _of_file()
        except (subprocess.SubprocessError, OSError):
            fresh = None
    if fresh is None or fresh.expired:
        raise CredentialsError(f"The {sign_in.source} has expired: {_AGAIN}.")
    return fresh


def trussrc_path() -> Path:
    """Where truss keeps its sign-ins."""
    return Path(os.environ.get("USER_TRUSSRC_PATH", "~/.trussrc")).expanduser()


def _of_variables() -> SignIn | None:
    url = os.environ.get("BASETEN_TRUSS_AUTH_REMOTE_URL")
    key = os.environ.get("BASETEN_TRUSS_AUTH_API_KEY")
    if not url or not key:
        return None
    source = "truss sign-in of BASETEN_TRUSS_AUTH_API_KEY"
    return SignIn(SecretStr(key), _checked(url, source), source)


def _of_file() -> SignIn | None:
    path = trussrc_path()
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, configparser.Error):
        raise CredentialsError(f"{path} cannot be read as truss writes it: {_AGAIN}.") from None
    sections = {
        name: dict(parser[name])
        for name in parser.sections()
        if parser[name].get("remote_provider", "baseten") == "baseten"
    }
    if not sections:
        return None
    name = _DEFAULT_REMOTE if _DEFAULT_REMOTE in sections else next(iter(sections))
    if name != _DEFAULT_REMOTE and len(sections) > 1:
        raise CredentialsError(
            f"{path} holds several sign-ins ({', '.join(sections)}), none of them named "
            f"{_DEFAULT_REMOTE}: set BASETEN_API_KEY to say whose key is meant."
        )
    return _of_section(name, sections[name], path)


def _of_section(name: str, section: Mapping[str, str], path: Path) -> SignIn:
    source = f"truss sign-in {name!r} of {path}"
    url = _checked(section.get("remote_url", ""), source)
    in_browser = section.get("auth_type") == "oauth" or "oauth_access_token" in section
    wanted = "oauth_access_token" if in_browser else "api_key"
    values: Mapping[str, Any] = section
    if wanted not in section and "auth_type" in section:
        values = _of_keyring(name, source)
    key = values.get(wanted)
    if not isinstance(key, str) or not key.strip():
        raise CredentialsError(f"The {source} holds no key: {_AGAIN}.")
    expires_at: float | None = None
    if in_browser:
        try:
            expires_at = float(values.get("oauth_expires_at", ""))
        except (TypeError, ValueError):
            expires_at = 0.0
    return SignIn(SecretStr(key), url, source, name, expires_at)


def _of_keyring(name: str, source: str) -> Mapping[str, Any]:
    """What the system's keyring holds of a sign-in. Raises CredentialsError where it does not."""
    disabled = os.environ.get("BASETEN_TRUSS_AUTH_KEYRING_DISABLED", "").lower()
    if disabled in ("1", "true", "yes"):
        raise CredentialsError(f"The {source} is in the keyring, which is disabled: {_AGAIN}.")
    try:
        import keyring
        import keyring.errors
    except ImportError:
        raise CredentialsError(
            f"The {source} is in the keyring, and the package that reads it comes with truss: "
            "pip install '.[deploy]', or set BASETEN_API_KEY."
        ) from None
    try:
        held = json.loads(keyring.get_password(_KEYRING_SERVICE, name) or "null")
    except (keyring.errors.KeyringError, ValueError):
        held = None
    if not isinstance(held, dict):
        raise CredentialsError(f"The {source} is not in the keyring: {_AGAIN}.")
    return held


def _checked(url: str, source: str) -> str:
    """The address of the remote. Raises CredentialsError for one that the key must not go to."""
    url = url.rstrip("/")
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        host = ""
    if url != APP_URL and not is_loopback(host):
        raise CredentialsError(
            f"The {source} is for another address than {APP_URL}, and its key is sent to no "
            f"other: {_AGAIN}."
        )
    return url
