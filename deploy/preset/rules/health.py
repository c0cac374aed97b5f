"""Rules about how long the engine may take to start, and to be ill.

Figures are Baseten's: its documentation of custom health checks, in seconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from deploy.preset.fields import at
from deploy.preset.finding import Finding, error, warning
from deploy.preset.values import Preset

LONGEST: Final = 3000
_CHECKS: Final = "runtime.health_checks"
_SMALLEST: Final = {
    "startup_threshold_seconds": 10,
    "restart_check_delay_seconds": 0,
    "restart_threshold_seconds": 10,
    "stop_traffic_threshold_seconds": 10,
}
_MOST_DIGITS: Final = 9
_READY: Final = "environment_variables.VLLM_ENGINE_READY_TIMEOUT_S"


def thresholds(preset: Preset) -> Iterator[Finding]:
    """Each in its range, and the two that are waited one after the other together in it."""
    for name, smallest in _SMALLEST.items():
        field = f"{_CHECKS}.{name}"
        value = at(preset.config, field)
        if value is not None and not (_is_number(value) and smallest <= value <= LONGEST):
            yield error(field, value, f"It must be from {smallest} to {LONGEST} seconds.")
    delay = at(preset.config, f"{_CHECKS}.restart_check_delay_seconds")
    restart = at(preset.config, f"{_CHECKS}.restart_threshold_seconds")
    if _is_number(delay) and _is_number(restart) and delay + restart > LONGEST:
        yield error(
            f"{_CHECKS}.restart_check_delay_seconds",
            delay,
            f"With restart_threshold_seconds, {restart}, it comes to {delay + restart}: together "
            f"they may be {LONGEST} seconds.",
        )


def deprecated(preset: Preset) -> Iterator[Finding]:
    """It still works."""
    field = f"{_CHECKS}.restart_check_delay_seconds"
    value = at(preset.config, field)
    if value is not None:
        yield warning(
            field,
            value,
            "Deprecated: startup_threshold_seconds, from 10 to 3000, takes its place. Baseten "
            "still reads it.",
        )


def patience(preset: Preset) -> Iterator[Finding]:
    """The engine must not wait longer for itself than the platform waits for it."""
    value = at(preset.config, _READY)
    if value is None or isinstance(value, dict | list):
        return  # which a rule about shape says
    text = str(value)
    if not (text.isascii() and text.isdecimal()):
        yield error(_READY, value, "It must be a whole number of seconds.")
    elif len(text) > _MOST_DIGITS or int(text) > LONGEST:
        yield warning(
            _READY,
            value,
            f"Longer than the {LONGEST} seconds that Baseten gives a start: the platform gives up "
            "before the engine does.",
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
