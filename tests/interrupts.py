"""Processes that Ctrl+C reaches, however the tests themselves were started."""

from __future__ import annotations

import signal


def take_interrupts() -> None:
    """For a new process, before its program starts: what runs in the background ignores SIGINT,
    and hands that on."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
