"""The question before something is changed for others, or billed."""

from __future__ import annotations

import signal
import sys

from deploy.errors import UsageError


def require_answerable() -> None:
    """Returns where somebody can be asked. Raises UsageError where there is no terminal."""
    if not sys.stdin.isatty():
        raise UsageError(
            "This asks before it does anything, and there is no terminal to ask at: add --yes."
        )


def confirmed(question: str) -> bool:
    """Asks on standard error; whether the answer was a yes. Ctrl-C raises KeyboardInterrupt."""
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    # asyncio answers the first Ctrl-C by cancelling the task, which is not told while this waits.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        answer = sys.stdin.readline()
    finally:
        signal.signal(signal.SIGINT, before)
    return answer.strip().lower() in ("y", "yes")
