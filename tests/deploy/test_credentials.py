"""Whose key is used, and where it never goes."""

from __future__ import annotations

import json
import time
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend

from app.settings import Settings
from deploy import exit_status
from deploy.command_line import run
from deploy.credentials import find_credentials
from deploy.errors import CredentialsError, UsageError

KEY = "test-key-not-real-of-truss"
APP = "https://app.baseten.co"
VARIABLES = (
    "BASETEN_API_KEY",
    "BASETEN_API_URL",
    "BASETEN_TRUSS_AUTH_REMOTE_URL",
    "BASETEN_TRUSS_AUTH_API_KEY",
    "BASETEN_TRUSS_AUTH_KEYRING_DISABLED",
)


@pytest.fixture
def trussrc(loopback_only: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where truss's file would be; nothing else names a key."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setitem(Settings.model_config, "env_file", tmp_path / ".env")
    path = tmp_path / "trussrc"
    monkeypatch.setenv("USER_TRUSSRC_PATH", str(path))
    return path


def section(name: str = "baseten", url: str = APP, **more: object) -> str:
    lines = [f"[{name}]", "remote_provider = baseten", f"remote_url = {url}"]
    return "\n".join([*lines, *(f"{key} = {value}" for key, value in more.items()), ""])


def oauth(expires_in_s: float) -> dict[str, object]:
    return {
        "auth_type": "oauth",
        "oauth_access_token": KEY,
        "oauth_refresh_token": "refresh-not-real",
        "oauth_expires_at": int(time.time() + expires_in_s),
    }


def test_the_environment_comes_first(trussrc: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trussrc.write_text(section(api_key=KEY))
    monkeypatch.setenv("BASETEN_API_KEY", "test-key-not-real")
    found = find_credentials()
    assert found.key.get_secret_value() == "test-key-not-real"
    assert (found.api_url, found.remote_url) == ("https://api.baseten.co", APP)
    assert "test-key-not-real" not in repr(found)


def test_the_env_file_is_read(trussrc: Path) -> None:
    (trussrc.parent / ".env").write_text(f"BASETEN_API_KEY={KEY}\n")
    assert find_credentials().key.get_secret_value() == KEY


@pytest.mark.parametrize(
    "text",
    [
        section(api_key=KEY),
        section(auth_type="api_key", api_key=KEY),
        section("mine", api_key=KEY),
        section("other", api_key="not-this") + section(api_key=KEY),
        section(**oauth(3600)),
    ],
    ids=["old", "key", "only one", "baseten among several", "browser"],
)
def test_a_sign_in_of_truss_is_taken(trussrc: Path, text: str) -> None:
    trussrc.write_text(text)
    found = find_credentials()
    assert found.key.get_secret_value() == KEY
    assert str(trussrc) in found.source
    assert KEY not in repr(found)


def test_the_variables_of_truss_are_a_sign_in_too(
    trussrc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BASETEN_TRUSS_AUTH_REMOTE_URL", APP)
    monkeypatch.setenv("BASETEN_TRUSS_AUTH_API_KEY", KEY)
    assert find_credentials().key.get_secret_value() == KEY


class Held(KeyringBackend):
    """A keyring in memory."""

    priority = 1.0

    def __init__(self, held: str | None) -> None:
        super().__init__()
        self.held = held

    def get_password(self, service: str, username: str) -> str | None:
        return self.held if (service, username) == ("baseten-truss", "baseten") else None

    def set_password(self, service: str, username: str, password: str) -> None:
        raise AssertionError("Nothing of ours writes a key.")


def test_a_sign_in_may_be_in_the_keyring(trussrc: Path) -> None:
    trussrc.write_text(section(auth_type="oauth"))
    before = keyring.get_keyring()
    try:
        keyring.set_keyring(Held(json.dumps(oauth(3600))))
        assert find_credentials().key.get_secret_value() == KEY
        keyring.set_keyring(Held(None))
        with pytest.raises(CredentialsError, match="not in the keyring"):
            find_credentials()
    finally:
        keyring.set_keyring(before)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (section(url="https://baseten.example", api_key=KEY), "another address"),
        (section(url=f"https://{KEY}.example", api_key=KEY), "another address"),
        (section("a", api_key=KEY) + section("b", api_key=KEY), "several sign-ins"),
        (section(), "holds no key"),
        ("no section", "cannot be read"),
        (section(url="http://127.0.0.1:9", **oauth(-5)), "has expired"),
    ],
    ids=["host", "key as host", "several", "empty", "malformed", "expired on loopback"],
)
def test_a_sign_in_that_cannot_be_used_is_said(trussrc: Path, text: str, said: str) -> None:
    trussrc.write_text(text)
    with pytest.raises(CredentialsError, match=said) as error:
        find_credentials()
    assert KEY not in str(error.value)
    assert "\n" not in str(error.value)


def test_truss_renews_a_sign_in_that_has_expired_and_keeps_it_itself(
    trussrc: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trussrc.write_text(section(**oauth(-5)))
    renewed = section(**{**oauth(3600), "oauth_access_token": "renewed-not-real"})
    stands_in = tmp_path / "stand-in" / "truss" / "remote"
    stands_in.mkdir(parents=True)
    (stands_in.parent / "__init__.py").touch()
    (stands_in / "__init__.py").touch()
    (stands_in / "remote_factory.py").write_text(
        "class RemoteFactory:\n"
        "    @staticmethod\n"
        "    def create(name):\n"
        "        assert name == 'baseten'\n"
        "        return RemoteFactory()\n"
        "    def fetch_auth_header(self):\n"
        f"        open({str(trussrc)!r}, 'w').write({renewed!r})\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "stand-in"))
    assert find_credentials().key.get_secret_value() == "renewed-not-real"


def test_a_sign_in_on_loopback_stays_there(trussrc: Path) -> None:
    trussrc.write_text(section(url="http://127.0.0.1:9", api_key=KEY))
    found = find_credentials()
    assert (found.api_url, found.remote_url) == ("http://127.0.0.1:9", "http://127.0.0.1:9")


def test_another_management_api_is_refused(trussrc: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BASETEN_API_KEY", KEY)
    monkeypatch.setenv("BASETEN_API_URL", "https://baseten.example")
    with pytest.raises(UsageError, match="BASETEN_API_URL"):
        find_credentials()


def test_with_none_all_three_ways_are_named(
    trussrc: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["status"]) == exit_status.CREDENTIALS
    said = capsys.readouterr().err
    for way in ("BASETEN_API_KEY", ".env", "truss login --browser", "baseten auth login"):
        assert way in said
