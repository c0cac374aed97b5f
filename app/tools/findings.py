"""What is found in declared tools: at which value, and with which sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.chat.templates import fill
from app.tools.finding_texts import FINDINGS
from app.tools.json_scan import JsonFault, Steps, line_and_column, offsets_in
from app.tools.json_text import json_path


@dataclass(frozen=True, slots=True)
class Fault:
    """Something found in a value, whose text may be unknown; `steps` lead to it from the root."""

    key: str
    steps: Steps
    values: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """The sentence in English."""
        return fill(FINDINGS[self.key], {"path": json_path(self.steps), **self.values})


@dataclass(frozen=True, slots=True)
class Finding:
    """Something found in a text: line and column count from 1, a column is a character.

    `key` and `values` are of `FINDINGS`, for a page in another language. Where the text is not
    JSON, `path` is the root's.
    """

    key: str
    path: str
    line: int
    column: int
    values: Mapping[str, str] = field(default_factory=dict)

    @property
    def message(self) -> str:
        """The sentence in English."""
        return fill(FINDINGS[self.key], self.values)


def located(faults: Sequence[Fault], text: str) -> tuple[Finding, ...]:
    """The faults where they stand in a JSON text: what is missing, where it should be."""
    if not faults:
        return ()
    wanted = {each.steps[:end] for each in faults for end in range(len(each.steps) + 1)}
    offsets = offsets_in(text, wanted)
    return tuple(_finding(each, text, offsets) for each in faults)


def of_json(fault: JsonFault, text: str) -> Finding:
    """A mistake of the text itself."""
    line, column = line_and_column(text, fault.offset)
    return Finding(fault.key, "$", line, column, fault.values)


def _finding(fault: Fault, text: str, offsets: Mapping[Steps, int]) -> Finding:
    around: Iterable[Steps] = (fault.steps[:end] for end in range(len(fault.steps), -1, -1))
    offset = next((offsets[steps] for steps in around if steps in offsets), 0)
    line, column = line_and_column(text, offset)
    path = json_path(fault.steps)
    return Finding(fault.key, path, line, column, {"path": path, **fault.values})
