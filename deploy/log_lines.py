"""A deployment's log, read in pieces: its lines in order, each once, fit for a terminal."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from deploy.management import Management
from deploy.target import Target

MOST: Final = 1000
"""Lines that Baseten gives at once."""

_OVERLAP_MS: Final = 60_000
"""A line may come so much later than its time says."""

_AHEAD_S: Final = 86_400
"""Clocks may differ by this much; what says to be later still would hide all that follows it."""

_COLOURS: Final = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_CONTROLS: Final = dict.fromkeys((*range(32), *range(127, 160)), "\N{REPLACEMENT CHARACTER}")
_CONTROLS[ord("\t")] = "    "


class LogReader:
    """Reads the log of one deployment on and on."""

    def __init__(self, management: Management, target: Target) -> None:
        self._management = management
        self._target = target
        self._last_ms: int | None = None
        self._read: dict[tuple[str, str, str], int] = {}

    async def next(self, limit: int = MOST) -> Sequence[Mapping[str, Any]]:
        """The lines that were not read before, the oldest first.

        The first time that is what Baseten looks back for, half an hour, `limit` lines at most.
        """
        since_ms = None if self._last_ms is None else self._last_ms - _OVERLAP_MS
        lines = await self._management.logs(
            self._target.model_id, self._target.deployment_id, limit=limit, since_ms=since_ms
        )
        new = [line for line in lines if _identity(line) not in self._read]
        times_ms = {_identity(line): _nanoseconds(line) // 1_000_000 for line in new}
        self._last_ms = max((self._last_ms or 0, *times_ms.values())) or None
        for which, at_ms in times_ms.items():
            # Without a time of its own it counts as new, so that it is not told again and again.
            self._read[which] = at_ms or self._last_ms or 0
        if self._last_ms is not None:
            oldest_ms = self._last_ms - 2 * _OVERLAP_MS
            self._read = {which: at for which, at in self._read.items() if at >= oldest_ms}
        return new


def line_text(line: Mapping[str, Any]) -> str:
    """One line for a reader: its time here, its replica, its words."""
    at = datetime.fromtimestamp(_nanoseconds(line) / 1e9, UTC).astimezone()
    replica = f" ({line['replica']})" if line.get("replica") else ""
    words = _COLOURS.sub("", str(line.get("message", "")).strip())
    shown = "\n".join(part.translate(_CONTROLS) for part in words.splitlines())
    return f"{at:%Y-%m-%d %H:%M:%S}{replica.translate(_CONTROLS)} {shown}"


def _identity(line: Mapping[str, Any]) -> tuple[str, str, str]:
    return str(line.get("timestamp")), str(line.get("replica")), str(line.get("message"))


def _nanoseconds(line: Mapping[str, Any]) -> int:
    """The line's time; 0 where it tells none that can be."""
    try:
        at = int(line.get("timestamp") or 0)
    except (TypeError, ValueError, OverflowError):
        return 0
    return at if 0 <= at <= (time.time() + _AHEAD_S) * 1e9 else 0
