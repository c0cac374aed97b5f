"""The child's side of a question: one JSON object in, lines of JSON out.

The libraries that such a process is for print where they like: what they print goes to standard
error, and standard output carries the answers alone.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

Say: TypeAlias = Callable[[Mapping[str, Any]], None]


def answer(reply: Callable[[Mapping[str, Any], Say], Mapping[str, Any]]) -> None:
    """Reads the question and writes what `reply` gives; what that says before goes out at once."""
    # The pipe is kept under another number; number 1 becomes standard error, for Python and for
    # what is not Python alike.
    channel = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    question = json.load(sys.stdin)
    with channel:

        def say(value: Mapping[str, Any]) -> None:
            print(json.dumps(value), file=channel, flush=True)

        say(reply(question, say))
