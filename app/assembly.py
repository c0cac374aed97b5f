"""From settings to parts: what the page's server and the commands both build."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from app.endpoint import Endpoint, EndpointSettings
from app.media import ImageLimits, MediaLimits, VideoLimits
from app.settings import Connection, Settings
from app.simulator import SimulatorSettings
from app.simulator.embedded import running_simulator


@asynccontextmanager
async def connected(
    settings: Settings, connection: Connection, *, timeout_s: float | None = None
) -> AsyncGenerator[Endpoint]:
    """The model server of a connection, for as long as the block runs.

    For a simulator connection the simulator runs meanwhile, on a loopback port of its own.
    `timeout_s` bounds a whole turn, in seconds.
    """
    if connection.kind == "simulator":
        simulated = SimulatorSettings(
            max_model_len=settings.context_tokens,
            tokens_per_second=settings.simulator_tokens_per_second,
        )
        async with running_simulator(simulated) as base_url:
            reached = Connection("compatible", connection.label, base_url)
            async with connected(settings, reached, timeout_s=timeout_s) as endpoint:
                yield endpoint
        return
    endpoint_settings = EndpointSettings(
        base_url=connection.base_url,
        api_key=connection.api_key,
        model=connection.model or settings.model,
        status_url=connection.status_url,
        connect_timeout_s=settings.connect_timeout_s,
        silence_timeout_s=settings.silence_timeout_s,
        total_timeout_s=timeout_s,
    )
    async with Endpoint(endpoint_settings) as endpoint:
        yield endpoint


def media_limits(settings: Settings) -> MediaLimits:
    """How large pictures and clips may be."""
    return MediaLimits(
        max_bytes=int(settings.upload_megabytes() * 1_000_000),
        image=ImageLimits(max_tokens=settings.image_tokens),
        video=VideoLimits(max_seconds=settings.clip_seconds),
    )
