"""What tests of several packages share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.loopback import Loopback, Reply

StartLoopback: TypeAlias = Callable[..., Awaitable[Loopback]]


@pytest.fixture(autouse=True)
def _no_deployment_of_the_developer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A record in the developer's checkout would name a model to ask."""
    monkeypatch.setenv("GLM_DEPLOYMENT_FILE", str(tmp_path / "no-deployment.json"))


@pytest.fixture
async def loopback() -> AsyncIterator[StartLoopback]:
    """Starts servers that play replies: `await loopback(Reply(…), routes={…})`."""
    async with AsyncExitStack() as running:

        async def start(
            *replies: Reply, routes: Mapping[str, Sequence[Reply]] | None = None
        ) -> Loopback:
            return await running.enter_async_context(Loopback(*replies, routes=routes))

        yield start
