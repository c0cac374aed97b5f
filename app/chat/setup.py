"""What a person has set up for the tools of a chat, as it is kept with the chat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

MAX_SETUP_CHARACTERS: Final = 2_000_000
"""Of all texts of a setup together."""


@dataclass(frozen=True, slots=True)
class ToolSetup:
    """Texts as they were typed, which may be invalid, and how calls are made and answered.

    `off` names the tools that are not sent. `choice` and `parallel` stand as a request has them,
    None where nothing was said. `rules` are mock rules, or an object with `mocks` and `results`;
    with `auto` they answer alone, for `max_steps` turns of a run at most. `answer_schema` is what
    an answer must satisfy.
    """

    tools: str = ""
    off: tuple[str, ...] = ()
    choice: str | Mapping[str, Any] | None = None
    parallel: bool | None = None
    rules: str = ""
    auto: bool = False
    max_steps: int = 8
    answer_schema: str = ""

    @property
    def characters(self) -> int:
        """How long its texts are together."""
        return sum(map(len, (self.tools, self.rules, self.answer_schema, *self.off)))
