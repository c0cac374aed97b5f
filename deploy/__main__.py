"""`python -m deploy COMMAND`: reads the arguments, runs the command, tells how it ended."""

from __future__ import annotations

import sys

from deploy.command_line import run

if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
