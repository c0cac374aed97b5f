"""What a page keeps of a chat's tools while a person works on them: the request body, checked."""

from __future__ import annotations

from pydantic import ConfigDict, Field, model_validator

from app.chat.setup import MAX_SETUP_CHARACTERS, ToolSetup
from app.tools.run import MAX_STEPS
from app.turns.tool_options import Body, NamedTool, ToolChoice, ToolName


class ChatSetup(Body):
    """What is set up for the tools of a chat. Its texts are kept as typed, valid or not."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"tools": '[{"type": "function", "function": {"name": "get_time"}}]'}]
        }
    )

    tools: str = Field("", description="The text of the tools.")
    off: tuple[ToolName, ...] = Field(
        (), max_length=1_000, description="Names of tools that are switched off."
    )
    choice: ToolChoice | None = None
    parallel: bool | None = None
    rules: str = Field(
        "", description="The text of the mock rules: an array, or an object with mocks and results."
    )
    auto: bool = Field(False, description="Go on by the rules alone while each call has one.")
    max_steps: int = Field(MAX_STEPS, ge=1, le=64)
    answer_schema: str = Field("", description="The text of the JSON Schema of an answer.")

    @model_validator(mode="after")
    def _is_not_too_long(self) -> ChatSetup:
        if self.setup().characters > MAX_SETUP_CHARACTERS:
            raise ValueError(
                f"the texts are longer than {MAX_SETUP_CHARACTERS:,} characters together: take "
                "tools or rules out"
            )
        return self

    def setup(self) -> ToolSetup:
        """The same as it is kept."""
        return ToolSetup(
            tools=self.tools,
            off=self.off,
            choice=self.choice.model_dump() if isinstance(self.choice, NamedTool) else self.choice,
            parallel=self.parallel,
            rules=self.rules,
            auto=self.auto,
            max_steps=self.max_steps,
            answer_schema=self.answer_schema,
        )
