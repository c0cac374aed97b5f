"""The question before something is changed for others, or billed."""

from __future__ import annotations

import signal
import sys

from deploy.errors import DeployError, UsageError


def require_answerable() -> None:
    """Returns where somebody can be asked. Raises UsageError where there is no terminal."""
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError(
            "This asks before it does anything, and there is no terminal to ask at: add --yes."
        )


def confirmed(question: str) -> bool:
    """Asks on standard error; whether the answer was a yes. Ctrl-C raises KeyboardInterrupt.

    Raises DeployError where the question cannot be shown.
    """
    # asyncio answers the first Ctrl-C by cancelling the task, which is not told while this waits.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        _show(f"{question} [y/N] ")
        answer = sys.stdin.readline()
    except OSError:  # the terminal was closed
        return False
    finally:
        signal.signal(signal.SIGINT, before)
    return answer.strip().lower() in ("y", "yes")


def _show(question: str) -> None:
    try:
        sys.stderr.write(question)
        sys.stderr.flush()
    except (AttributeError, OSError):  # closed from the start, or by now
        raise DeployError(
            "The question could not be shown, since nobody reads standard error: add --yes."
        ) from None
