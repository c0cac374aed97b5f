"""Where a command's words go: its result to standard output, all else to standard error."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Output:
    """What a command tells. With `as_json`, standard output holds one JSON object, nothing else."""

    as_json: bool = False

    def result(self, value: Any, text: str) -> None:
        """The result, once: as JSON where that was asked for, else as text for a reader."""
        if self.as_json:
            print(json.dumps(value, indent=2, ensure_ascii=False))
        elif text:
            print(text)

    def piece(self, text: str) -> None:
        """A piece of the result as it comes, for a reader: with `as_json` it goes nowhere."""
        if not self.as_json:
            print(text, end="", flush=True)

    def note(self, text: str) -> None:
        """A line for whoever watches: progress, a warning, what to do next."""
        print(text, file=sys.stderr, flush=True)

    def error(self, message: str) -> None:
        """Why the command has failed."""
        if self.as_json:
            print(json.dumps({"error": {"message": message}}, ensure_ascii=False))
        else:
            print(message, file=sys.stderr)
