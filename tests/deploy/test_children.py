"""What a program that pushes for us is given, and what is taken out of what it says."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from pydantic import SecretStr

from deploy.children import environment_for, run_child
from deploy.credentials import Credentials

KEY = "test-key-not-real"
BASETEN = Credentials(SecretStr(KEY), "a test", "https://api.baseten.co", "https://app.baseten.co")
LOOPBACK = Credentials(SecretStr(KEY), "a test", "http://127.0.0.1:9", "http://127.0.0.1:9")


def test_no_other_key_goes_along(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another-key-not-real")
    monkeypatch.setenv("BASETEN_PROFILE", "of-another-account")
    monkeypatch.setenv("BASETEN_API_KEY", "older-key-not-real")
    given = environment_for(BASETEN)
    assert given["BASETEN_API_KEY"] == given["BASETEN_TRUSS_AUTH_API_KEY"] == KEY
    assert given["BASETEN_TRUSS_AUTH_REMOTE_URL"] == "https://app.baseten.co"
    assert not [name for name in given if name.startswith("AWS_")]
    assert "BASETEN_PROFILE" not in given


def test_the_users_proxy_is_kept_for_baseten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.invalid:3128")
    assert environment_for(BASETEN)["HTTPS_PROXY"] == "http://proxy.invalid:3128"


def test_on_loopback_nothing_finds_its_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.invalid:3128")
    given = environment_for(LOOPBACK)
    assert given["HTTPS_PROXY"] == given["https_proxy"] == LOOPBACK.remote_url
    assert "127.0.0.1" in given["NO_PROXY"]


async def test_the_key_is_taken_out_of_what_a_program_says(tmp_path: Path) -> None:
    code = "import os, sys; print(os.environ['KEY']); print(os.environ['KEY'], file=sys.stderr)"
    ended = await run_child(
        [sys.executable, "-c", f"{code}; sys.exit(3)"],
        directory=tmp_path,
        environment={"KEY": KEY},
        secret=KEY,
    )
    assert (ended.status, ended.stdout.strip(), ended.stderr.strip()) == (3, "…", "…")
