"""What attackers share."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import aiohttp
import pytest


@pytest.fixture
async def session() -> AsyncGenerator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as one:
        yield one
