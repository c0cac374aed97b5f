"""The child's side of a question: one JSON object in, lines of JSON out.

The libraries that such a process is for print where they like: what they print goes to standard
error, and standard output carries the answers alone. Such a process ends with the one that asked,
which holds its standard input open: else an upload would go on, and deploy, with nobody to tell.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, TypeAlias

_CHUNK_BYTES: Final = 65536

Say: TypeAlias = Callable[[Mapping[str, Any]], None]


def answer(reply: Callable[[Mapping[str, Any], Say], Mapping[str, Any]]) -> None:
    """Reads the question and writes what `reply` gives; what that says before goes out at once."""
    # The pipe is kept under another number; number 1 becomes standard error, for Python and for
    # what is not Python alike.
    channel = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    question = _question()
    with channel:

        def say(value: Mapping[str, Any]) -> None:
            print(json.dumps(value), file=channel, flush=True)

        say(reply(question, say))


def _question() -> Mapping[str, Any]:
    """Reads the one line; from then on the end of the input ends this process."""
    # By its number, and unbuffered: a thread that waits in a buffer is fatal at the end of Python.
    asker = os.dup(sys.stdin.fileno())
    # Else whoever asks a person something would wait for an answer, and not find that nobody is.
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), sys.stdin.fileno())
    line = b""
    while not line.endswith(b"\n") and (part := os.read(asker, _CHUNK_BYTES)):
        line += part
    question: Mapping[str, Any] = json.loads(line)
    threading.Thread(target=_end_with_asker, args=(asker,), daemon=True).start()
    return question


def _end_with_asker(asker: int) -> None:
    with suppress(OSError):
        while os.read(asker, _CHUNK_BYTES):
            pass
    os._exit(1)
