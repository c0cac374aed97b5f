"""Autoscaling settings: what Baseten takes, and setting them so that they hold."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from deploy.errors import UsageError
from deploy.management import Management, UnreachableError

_TRIES: Final = 12
"""How often settings that were accepted are read back."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its option here, its name there, and the whole numbers that it takes."""

    option: str
    name: str
    least: int
    most: int | None
    help: str


SETTINGS: Final = (
    Setting("--min", "min_replica", 0, None, "replicas that always run, and are always billed"),
    Setting("--max", "max_replica", 1, None, "replicas at most"),
    Setting(
        "--concurrency-target", "concurrency_target", 1, None, "requests at once for each replica"
    ),
    Setting(
        "--scale-down-delay",
        "scale_down_delay",
        0,
        3600,
        "seconds without a request before it is scaled down",
    ),
    Setting("--window", "autoscaling_window", 10, 3600, "seconds of traffic that are looked at"),
    Setting(
        "--utilization",
        "target_utilization_percentage",
        1,
        100,
        "percent of the concurrency target at which replicas are added",
    ),
)
"""Source: Baseten's management API, UpdateAutoscalingSettings."""


def check(wanted: Mapping[str, int], now: Mapping[str, Any]) -> None:
    """Raises UsageError where Baseten would not take a setting, beside those that hold now."""
    for setting in SETTINGS:
        value = wanted.get(setting.name)
        if value is None:
            continue
        too_much = setting.most is not None and value > setting.most
        if value < setting.least or too_much:
            upper = f" to {setting.most}" if setting.most is not None else " or more"
            raise UsageError(
                f"{setting.option} {value}: it must be a whole number, {setting.least}{upper}."
            )
    after = {**now, **wanted}
    least, most = after.get("min_replica"), after.get("max_replica")
    if isinstance(least, int) and isinstance(most, int) and least > most:
        raise UsageError(f"At least {least} replicas and at most {most}: change --min or --max.")


async def set_and_read_back(
    management: Management,
    model_id: str,
    deployment_id: str,
    wanted: Mapping[str, int],
    *,
    poll_s: float,
) -> Mapping[str, Any]:
    """Changes the settings, and gives those that hold then, which may not be those yet."""
    await management.set_autoscaling(model_id, deployment_id, wanted)
    now: Mapping[str, Any] = {}
    for attempt in range(_TRIES):
        if attempt:
            await asyncio.sleep(poll_s)
        try:
            now = await management.autoscaling(model_id, deployment_id)
        except UnreachableError:
            continue
        if not differing(wanted, now):
            break
    return now


def differing(wanted: Mapping[str, Any], now: Mapping[str, Any]) -> Mapping[str, Any]:
    """The settings that are not as wanted, with what holds in their place."""
    return {name: now.get(name) for name, value in wanted.items() if now.get(name) != value}
