"""Simulators for the tests: fast ones, and one on a loopback socket."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from starlette.applications import Starlette

from app.simulator import SimulatorSettings, create_simulator
from app.simulator.embedded import running_simulator


@pytest.fixture
def simulator() -> Starlette:
    """Answers as quickly as it can."""
    return create_simulator(SimulatorSettings(tokens_per_second=1e9))


@pytest.fixture
async def served() -> AsyncIterator[str]:
    """The base URL of one with two slots, behind a real socket."""
    async with running_simulator(SimulatorSettings(slots=2, tokens_per_second=1e9)) as url:
        yield url
