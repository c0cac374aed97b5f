"""What the tests of `deploy` share: a Baseten on loopback, and no way to any other."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.fake_baseten import API_KEY, FakeBaseten
from tests.deploy.guard import sitecustomize


@pytest.fixture
def loopback_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Refuses every address but loopback, here and in child processes; the test then fails.

    Gives the file that names what was refused.
    """
    refused = tmp_path / "refused.txt"
    monkeypatch.setenv(sitecustomize.STRANGERS, str(refused))
    monkeypatch.setenv("PYTHONPATH", str(Path(sitecustomize.__file__).parent), prepend=os.pathsep)
    yield refused
    assert not refused.exists(), refused.read_text("utf-8")


@pytest.fixture
def baseten(
    loopback_only: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[FakeBaseten]:
    """An empty Baseten on loopback, which the environment names, and no file of the user's."""
    for name in list(os.environ):
        if name.startswith(("AWS_", "BASETEN_", "OPENAI_", "GLM_DEPLOYMENT")):
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USER_TRUSSRC_PATH", str(home / "trussrc"))
    monkeypatch.setenv("BASETEN_TRUSS_AUTH_KEYRING_DISABLED", "1")
    monkeypatch.setenv("GLM_DEPLOYMENT_FILE", str(tmp_path / "deployment.json"))
    monkeypatch.setenv("BASETEN_API_KEY", API_KEY)
    with FakeBaseten() as server:
        monkeypatch.setenv("BASETEN_API_URL", server.url)
        yield server
