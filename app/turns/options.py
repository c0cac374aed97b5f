"""What a page or a script may ask of a turn: the request bodies of the routes, checked."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)

from app.chat import request
from app.chat.messages import Effort
from app.tools.toolset import read_toolset

MAX_TEXT = 8_000_000
"""Characters of a message: about twice what 1,048,576 tokens hold."""

MAX_BODY = 40_000_000
"""Bytes of a message's JSON: its longest text in UTF-8, with tools and options."""

ContentHash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
StopString = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TurnOptions(_Body):
    """The options of one turn. What is left out, or null, is not sent to the model server."""

    effort: Effort | None = Field(None, description="null: the server's default, which is high.")
    system: str = Field("", max_length=MAX_TEXT, description="The system prompt.")
    temperature: float | None = Field(None, ge=0, le=2, allow_inf_nan=False)
    top_p: float | None = Field(None, gt=0, le=1, allow_inf_nan=False)
    max_tokens: int | None = Field(None, ge=1, description="Counts reasoning and answer together.")
    seed: int | None = Field(None, ge=-(2**63), le=2**63 - 1)
    stop: tuple[StopString, ...] = Field((), max_length=16)
    tools: tuple[dict[str, Any], ...] = Field((), max_length=128, description="OpenAI's array.")
    tool_choice: Literal["auto", "none", "required"] | dict[str, Any] | None = None
    parallel_tool_calls: bool | None = None

    @field_validator("tools")
    @classmethod
    def _server_takes_them(cls, tools: tuple[dict[str, Any], ...]) -> tuple[dict[str, Any], ...]:
        return read_toolset(list(tools)).tools if tools else tools

    def for_request(
        self, *, model: str, token_cap: int | None, send_reasoning: bool, break_control_tokens: bool
    ) -> request.Options:
        """The same as the heart wants it, with what the owner of the server has decided.

        `token_cap` is the most tokens a turn may ask for; with a cap, one is always asked for.
        """
        asked = self.max_tokens
        if token_cap is not None:
            asked = token_cap if asked is None else min(asked, token_cap)
        return request.Options(
            model=model,
            effort=self.effort,
            system=self.system,
            temperature=self.temperature,
            top_p=self.top_p,
            max_tokens=asked,
            seed=self.seed,
            stop=self.stop,
            tools=self.tools,
            tool_choice=self.tool_choice,
            parallel_tool_calls=self.parallel_tool_calls,
            send_reasoning=send_reasoning,
            break_control_tokens=break_control_tokens,
        )


class NewTurn(_Body):
    """A message and how to answer it; or `retry`: answer the last message again."""

    text: str = Field("", max_length=MAX_TEXT)
    attachments: tuple[ContentHash, ...] = Field(
        (), max_length=2, description="Hashes that `POST api/media` gave; one image, one video."
    )
    retry: bool = False
    options: TurnOptions = TurnOptions()

    @model_validator(mode="after")
    def _is_one_of_the_two(self) -> NewTurn:
        if self.retry and (self.text or self.attachments):
            raise ValueError("a retry takes no message: it answers the last one again")
        if not self.retry and not (self.text.strip() or self.attachments):
            raise ValueError("the message is empty: write something, or attach a picture or a clip")
        return self
