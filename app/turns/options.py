"""What a page or a script may ask of a turn: the request bodies of the routes, checked."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import (
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)

from app.chat import request
from app.chat.messages import Effort
from app.turns.tool_options import (
    AnswerSchema,
    Body,
    DeclaredTools,
    NamedTool,
    ToolChoice,
    ToolLoop,
    ToolName,
)

MAX_TEXT = 8_000_000
"""Characters of a message: about twice what 1,048,576 tokens hold."""

MAX_BODY = 40_000_000
"""Bytes of a message's JSON: its longest text in UTF-8, with tools and options."""

ContentHash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
NodeId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
StopString = Annotated[str, StringConstraints(min_length=1, max_length=200)]

_EMPTY = "the message is empty: write something, or attach a file, a picture or a clip"


class TurnOptions(Body):
    """The options of one turn. What is left out, or null, is not sent to the model server."""

    effort: Effort | None = Field(None, description="null: the server's default, which is high.")
    system: str = Field("", max_length=MAX_TEXT, description="The system prompt.")
    temperature: float | None = Field(None, ge=0, le=2, allow_inf_nan=False)
    top_p: float | None = Field(None, gt=0, le=1, allow_inf_nan=False)
    max_tokens: int | None = Field(None, ge=1, description="Counts reasoning and answer together.")
    seed: int | None = Field(None, ge=-(2**63), le=2**63 - 1)
    stop: tuple[StopString, ...] = Field((), max_length=16)
    tools: DeclaredTools = Field(
        (),
        max_length=128,
        description="OpenAI's array, or its JSON text. Without tools no key of theirs is sent.",
    )
    tools_off: tuple[ToolName, ...] = Field(
        (), max_length=1_000, description="Names of tools that are left out, as if not declared."
    )
    tool_choice: ToolChoice | None = Field(
        None,
        description="`required` and a named tool hold for the answer to a message; with results of "
        "calls `auto` is sent instead, since such a turn would call for ever.",
    )
    parallel_tool_calls: bool | None = None
    response_schema: AnswerSchema | None = Field(
        None, description="What the answer must satisfy: a JSON Schema, or its text."
    )

    @model_validator(mode="after")
    def _names_a_tool_that_is_there(self) -> TurnOptions:
        if not (isinstance(self.tool_choice, NamedTool) and self.tools):
            return self
        wanted = self.tool_choice.function.name
        names = [tool["function"]["name"] for tool in self.tools]
        if wanted not in names:
            raise ValueError(
                f"the tool choice names “{wanted}”, which is not declared: declare it, or choose "
                f"one of {', '.join(names)}"
            )
        if wanted in self.tools_off:
            raise ValueError(
                f"the tool choice names “{wanted}”, which is switched off: switch it on, or choose "
                "another"
            )
        return self

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
            tools=tuple(
                tool for tool in self.tools if tool["function"]["name"] not in self.tools_off
            ),
            tool_choice=self.tool_choice.model_dump()
            if isinstance(self.tool_choice, NamedTool)
            else self.tool_choice,
            parallel_tool_calls=self.parallel_tool_calls,
            response_schema=self.response_schema,
            send_reasoning=send_reasoning,
            break_control_tokens=break_control_tokens,
        )


class NewFile(Body):
    """A text file of a message."""

    name: str = Field(max_length=200)
    text: str = Field(max_length=MAX_TEXT)

    @field_validator("name")
    @classmethod
    def _has_no_folders(cls, name: str) -> str:
        last = name.replace("\\", "/").rsplit("/", 1)[-1]
        plain = "".join(c for c in last if c.isprintable() and c != "`").strip()
        if not plain.strip(". "):
            raise ValueError("a file needs a name")
        return plain


class NewTurn(Body):
    """What to answer, and how: a new message, a new wording of one (`edit`), one again (`retry`),
    or the rest of an answer that was cut (`continue`).
    """

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"text": "What is machine learning?"}]}
    )

    text: str = Field("", max_length=MAX_TEXT)
    attachments: tuple[ContentHash, ...] = Field(
        (), max_length=2, description="Hashes that `POST api/media` gave; one image, one video."
    )
    files: tuple[NewFile, ...] = Field((), max_length=20)
    after: NodeId | None = Field(
        None, description="What the new message follows; left out: the end of the chat."
    )
    edit: NodeId | None = Field(None, description="The message that is worded anew.")
    retry: bool | NodeId = Field(
        False,
        description="What to answer again: a message, the results of calls, or what a turn "
        "answered; true: the last one.",
    )
    go_on: bool = Field(False, alias="continue", description="Go on with the last answer.")
    cancel_calls: bool = Field(
        False, description="Calls that nothing has answered count as not executed."
    )
    options: TurnOptions = TurnOptions()
    loop: ToolLoop = ToolLoop()

    @property
    def has_message(self) -> bool:
        """Whether anything is said in it."""
        return bool(self.text.strip() or self.attachments or self.files)

    @model_validator(mode="after")
    def _is_one_thing(self) -> NewTurn:
        if sum((bool(self.retry), self.go_on, self.edit is not None)) > 1:
            raise ValueError("edit, retry and continue exclude each other")
        if (self.retry or self.go_on) and (self.has_message or self.after):
            raise ValueError("a retry or a continuation takes no message")
        if self.edit is not None and self.after is not None:
            raise ValueError("an edited message stays where it is: leave `after` out")
        if not (self.retry or self.go_on or self.has_message):
            raise ValueError(_EMPTY)
        if sum(len(file.text) for file in self.files) + len(self.text) > MAX_TEXT:
            raise ValueError(f"the message and its files are longer than {MAX_TEXT:,} characters")
        return self


class ChatChange(Body):
    """A new name of a chat, or its place at the top of the list; what is left out stays."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"title": "Machine learning"}]})

    title: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] | None = None
    pinned: bool | None = None


class Version(Body):
    """Which version of a message or an answer the chat is to run through."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"node": "ID-OF-A-MESSAGE-OR-TURN"}]})

    node: NodeId


class AnswerEdit(Body):
    """An answer in a person's wording."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"turn": "ID-OF-THE-TURN", "text": "A better answer."}]}
    )

    turn: NodeId
    text: str = Field(max_length=MAX_TEXT)

    @field_validator("text")
    @classmethod
    def _says_something(cls, text: str) -> str:
        if not text.strip():
            raise ValueError("the answer is empty: write something, or leave it as it was")
        return text


class Rating(Body):
    """What a person thinks of an answer; null takes it back."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"value": "like", "comment": "Clear."}]}
    )

    value: Literal["like", "dislike"] | None
    comment: str = Field("", max_length=4_000)


class Speed(Body):
    """How fast a recorded answer is played."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"speed": 4}]})

    speed: float = Field(
        1.0, gt=0, le=100, allow_inf_nan=False, description="How many of its seconds pass in one."
    )


class Draft(Body):
    """A text whose tokens are asked for."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"text": "How many tokens is this?"}]}
    )

    text: str = Field(max_length=MAX_TEXT)
