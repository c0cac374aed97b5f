"""`python -m app [serve|ask|replay|simulate]`: the arguments of each command, and nothing else."""

from __future__ import annotations

import sys
from contextlib import suppress

from app.commands.arguments import parse


def main() -> int:
    """Runs the command that the arguments name; returns its exit status."""
    arguments = parse(sys.argv[1:])
    # Each command is imported when it runs: `ask` must not pay for the page.
    if arguments.command == "ask":
        from app.commands.ask import ask

        return ask(arguments)
    if arguments.command == "replay":
        from app.commands.replay import replay

        return replay(arguments)
    with suppress(KeyboardInterrupt):  # which is how a server is ended, whatever it does just now
        if arguments.command == "simulate":
            from app.commands.simulate import simulate

            return simulate(arguments)
        from app.commands.serve import serve

        return serve()
    return 0


if __name__ == "__main__":
    sys.exit(main())
