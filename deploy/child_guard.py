"""Runs a program that ends when who asked for it does: `python child_guard.py PROGRAM WORD...`.

For programs that are not ours and would go on alone, such as one that uploads and then deploys.
Who asks holds this one's standard input open.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading


def main() -> int:
    """Runs it; the exit status is the program's."""
    program = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)  # noqa: S603 - as asked
    threading.Thread(target=_end_with_asker, daemon=True).start()
    status = program.wait()
    return status if status >= 0 else 128 - status


def _end_with_asker() -> None:
    """Ends this process and the program, which are one group, once the input is closed."""
    while os.read(sys.stdin.fileno(), 1024):
        pass
    os.killpg(os.getpgrp(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main())
