"""Where a command's words go: its result to standard output, all else to standard error."""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, TextIO

_CONTROLS: Final = {
    code: None if chr(code) == "\r" else "\N{REPLACEMENT CHARACTER}"
    for code in (*range(0x20), *range(0x7F, 0xA0), *range(0xD800, 0xE000))
    if chr(code) not in "\n\t"
}
"""Characters that move the cursor, or begin what a terminal takes as a command; half ones too."""

_UNPRINTABLE: Final = re.compile("[\x7f-\x9f\ud800-\udfff]")
"""What JSON lets stand in a text, and a terminal or UTF-8 does not."""


class ClosedOutputError(Exception):
    """Standard output takes no more; the text says why, where that is not a reader that left."""


class Output:
    """What a command tells. With `as_json`, standard output holds one JSON object, nothing else.

    What of it comes from a server or the command line is made fit for a terminal here. A reader
    of standard error who leaves misses what is told, and ends nothing; one of standard output
    ends the command, by a ClosedOutputError.
    """

    def __init__(self, as_json: bool = False) -> None:
        self.as_json = as_json
        self._has_told = False

    def result(self, value: Any, text: str, *, styled: bool = False) -> None:
        """The result, once: as JSON where that was asked for, else as text for a reader.

        With `styled` the text holds what a terminal is to obey, and was made fit before.
        """
        if self.as_json:
            self._tell(json_text(value, indent=2))
        elif text:
            _write(f"{text if styled else fit(text)}\n")

    def piece(self, text: str) -> None:
        """A piece of the result as it comes, for a reader: with `as_json` it goes nowhere."""
        if not self.as_json:
            _write(fit(text))

    def note(self, text: str) -> None:
        """A line for whoever watches: progress, a warning, what to do next."""
        stream = sys.stderr
        if stream is None:
            return  # print would take standard output in its place
        try:
            print(fit(text), file=stream, flush=True)
        except OSError:
            _to_nowhere(stream)

    def error(self, message: str) -> None:
        """Why the command has failed; as the JSON object where none was told yet."""
        if self.as_json and not self._has_told:
            self._tell(json_text({"error": {"message": message}}))
        else:
            self.note(message)

    def interrupted(self) -> None:
        """The command was ended from outside: with `as_json` that is told if nothing else was."""
        if self.as_json and not self._has_told:
            self.error("Interrupted.")

    def _tell(self, text: str) -> None:
        self._has_told = True
        _write(f"{text}\n")


def fit(text: str) -> str:
    """The text without what a terminal would obey, or UTF-8 cannot hold."""
    return text.translate(_CONTROLS)


def json_text(value: Any, indent: int | None = None) -> str:
    """The value as JSON that every reader takes: numbers that are none of JSON's are null."""
    # The encoding of a terminal may have no letters for what is told.
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    ascii_only = not encoding.lower().startswith("utf")
    try:
        text = json.dumps(value, indent=indent, ensure_ascii=ascii_only, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), indent=indent, ensure_ascii=ascii_only, allow_nan=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


@contextmanager
def standard_output() -> Iterator[None]:
    """What the block writes there has gone out at its end. Raises ClosedOutputError."""
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        _to_nowhere(sys.stdout)
        raise ClosedOutputError from None
    except OSError as error:
        _to_nowhere(sys.stdout)
        raise ClosedOutputError(error.strerror or type(error).__name__) from None


def _write(text: str) -> None:
    with standard_output():
        print(text, end="")


def _to_nowhere(stream: TextIO) -> None:
    """Lets go what the stream still holds, over which Python would fail once more at its end."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
