"""What a page or a script may say to calls that wait for an answer: the request bodies, checked."""

from __future__ import annotations

from collections import Counter

from pydantic import ConfigDict, Field, model_validator

from app.tools.arguments import MAX_ARGUMENTS
from app.turns.options import MAX_TEXT, NodeId, TurnOptions
from app.turns.tool_options import Body, DeclaredTools, ToolLoop

MAX_RESULTS = 64
"""Results in one request: more than a turn has calls."""


class CallResult(Body):
    """What one call got."""

    call_id: str = Field(max_length=1_000, description="As the pending call has it.")
    content: str = Field(max_length=MAX_TEXT, description="The text that the model reads.")
    answered_by: str = Field(
        "hand",
        pattern=r"^(hand|generated|error|cancelled|rule [1-9][0-9]{0,3})$",
        description="`hand`, `rule 2`, `generated`, `error`, or `cancelled`.",
    )


class CallResults(Body):
    """The results of all pending calls of a turn, in any order; or `by_rules`, as the rules have
    it; or `cancel`: none of them was executed, and nothing is asked of the model.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "turn": "ID-OF-THE-TURN",
                    "results": [{"call_id": "ID-OF-THE-CALL", "content": '{"celsius": 21}'}],
                }
            ]
        }
    )

    turn: NodeId
    results: tuple[CallResult, ...] = Field((), max_length=MAX_RESULTS)
    by_rules: bool = False
    cancel: bool = False
    options: TurnOptions = TurnOptions()
    loop: ToolLoop = ToolLoop()

    @model_validator(mode="after")
    def _is_one_thing(self) -> CallResults:
        if sum((bool(self.results), self.by_rules, self.cancel)) != 1:
            raise ValueError("send either results, or by_rules, or cancel")
        count = Counter(result.call_id for result in self.results)
        twice = next((call_id for call_id, times in count.items() if times > 1), None)
        if twice is not None:
            raise ValueError(f"the call {twice!r} is answered twice: send one result for it")
        if sum(len(result.content) for result in self.results) > MAX_TEXT:
            raise ValueError(f"the results are longer than {MAX_TEXT:,} characters together")
        return self


class CallRepair(Body):
    """A person's arguments of a call. `tools` are what they are held against where no request was
    recorded for the turn.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "turn": "ID-OF-THE-TURN",
                    "call_id": "ID-OF-THE-CALL",
                    "arguments": '{"location": "Paris"}',
                }
            ]
        }
    )

    turn: NodeId
    call_id: str = Field(max_length=1_000)
    arguments: str = Field(max_length=MAX_ARGUMENTS)
    tools: DeclaredTools = Field((), max_length=128)


class Suggested(Body):
    """What answers calls, for answers that are only shown."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"loop": {"mocks": [{"tool": "*", "error": "timeout"}]}}]}
    )

    loop: ToolLoop = ToolLoop()
