"""A simulator that keeps what it was sent, and ways to run code against it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.simulator import SimulatorSettings, create_simulator
from app.simulator.embedded import on_loopback
from tests.export.running import Recorder, Run, run


@pytest.fixture
async def simulator() -> AsyncIterator[Recorder]:
    """A simulator on loopback that answers as quickly as it can."""
    recorder = Recorder(create_simulator(SimulatorSettings(tokens_per_second=1e9)))
    async with on_loopback(recorder) as url:
        recorder.url = f"{url}/v1"
        yield recorder


@pytest.fixture
def run_python(tmp_path: Path) -> Run:
    """Runs a program as the file that a reader makes of it; gives what it prints."""
    return lambda text: run(sys.executable, tmp_path / "main.py", text)


@pytest.fixture
def run_shell(tmp_path: Path) -> Run:
    """Runs a command likewise, in the system's `sh` with the system's curl."""
    assert shutil.which("curl"), "These tests run curl: install it so that it is on PATH."
    return lambda text: run("sh", tmp_path / "main.sh", text)
