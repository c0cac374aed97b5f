"""`python -m deploy COMMAND`: reads the arguments, runs the command, tells how it ended."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from types import FrameType


def main() -> int:
    """The exit status. Ctrl-C ends it without a traceback, also while Python still imports."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
    from deploy.command_line import import_command, run
    from deploy.streams import prepare_streams

    prepare_streams()
    with suppress(Exception):  # which `run` comes to, and tells of
        import_command(sys.argv[1:])
    signal.signal(signal.SIGINT, before)
    try:
        return run(sys.argv[1:])
    except KeyboardInterrupt:
        return 130  # once more, while the first was answered


def _end(_number: int, _frame: FrameType | None) -> None:
    """Ends the process where it is: nothing has begun, and what is imported might go on anyway.

    A KeyboardInterrupt is swallowed in some places of C code, which print it.
    """
    if "--json" in sys.argv:
        with suppress(OSError):
            os.write(1, b'{"error": {"message": "Interrupted."}}\n')
    os._exit(130)  # exit_status.INTERRUPTED, which may not have been imported


if __name__ == "__main__":
    sys.exit(main())
