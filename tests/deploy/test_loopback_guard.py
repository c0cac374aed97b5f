"""No test of `deploy` reaches another machine: the guard holds here and in child processes."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.deploy.fake_baseten import FakeBaseten

STRANGER = "203.0.113.7"  # an address for documents, RFC 5737: no machine has it


def refusals(file: Path) -> list[str]:
    """What was refused so far; forgotten, so that the test may pass."""
    lines = file.read_text("utf-8").splitlines()
    file.unlink()
    return lines


def test_an_address_of_another_is_refused(loopback_only: Path) -> None:
    with pytest.raises(ConnectionRefusedError, match=STRANGER):
        socket.create_connection((STRANGER, 443), timeout=1)
    assert refusals(loopback_only)


def test_a_name_of_another_is_not_even_looked_up(loopback_only: Path) -> None:
    with pytest.raises(ConnectionRefusedError, match=r"example\.invalid"):
        socket.getaddrinfo("example.invalid", 443)
    assert refusals(loopback_only)


def test_a_child_process_is_held_as_well(loopback_only: Path) -> None:
    code = f"import socket; socket.create_connection(({STRANGER!r}, 443), timeout=1)"
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert child.returncode == 1
    assert any(STRANGER in line for line in refusals(loopback_only))


def test_loopback_is_reached(baseten: FakeBaseten) -> None:
    code = f"import urllib.request; urllib.request.urlopen({baseten.url + '/model-x/'!r})"
    child = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=False, text=True
    )
    assert "401" in child.stderr
    assert [asked.status for asked in baseten.requests] == [401]
