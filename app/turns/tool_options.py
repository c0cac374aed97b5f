"""What a page or a script may say of tools: which there are, what is called, what answers."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator

from app.tools.errors import JsonTextError, SchemaUnusableError
from app.tools.json_text import check_value
from app.tools.mocks import Mocks, read_mocks
from app.tools.problems import problems_of
from app.tools.run import MAX_STEPS
from app.tools.schema_check import schema_errors
from app.tools.tools_text import check_tools, read_text
from app.tools.toolset import parse_mocks, read_toolset
from app.turns.run import Loop


class Body(BaseModel):
    """A body of a request: nothing in it is unknown, and nothing of it changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _declared(tools: Any) -> Any:
    """The array that a text of tools holds; raises ValueError with the first mistake's place."""
    if not isinstance(tools, str):
        return (
            read_toolset(list(tools)).tools if isinstance(tools, list | tuple) and tools else tools
        )
    checked = check_tools(tools)
    if checked.errors:
        first = checked.errors[0]
        raise ValueError(f"line {first.line}, column {first.column}: {first.message}")
    return checked.tools


def _schema(schema: Any) -> Any:
    """The JSON Schema that an object is, or that a text holds; raises ValueError."""
    if isinstance(schema, str):
        schema, mistake = read_text(schema)
        if mistake is not None:
            raise ValueError(f"line {mistake.line}, column {mistake.column}: {mistake.message}")
    if not isinstance(schema, dict):
        return schema
    try:
        problems = problems_of(schema_errors(schema))
    except SchemaUnusableError as error:
        raise ValueError(f"the schema cannot be used: {error}") from None
    if problems:
        raise ValueError(f"{problems[0].path}: {problems[0].message}")
    return schema


ToolName: TypeAlias = Annotated[str, Field(min_length=1, max_length=1_000)]


class NamedFunction(Body):
    """A declared tool, by its name."""

    name: ToolName


class NamedTool(Body):
    """The choice of one tool, as OpenAI words it."""

    type: Literal["function"] = "function"
    function: NamedFunction


ToolChoice: TypeAlias = Literal["auto", "none", "required"] | NamedTool

DeclaredTools: TypeAlias = Annotated[
    tuple[dict[str, Any], ...],
    BeforeValidator(_declared, json_schema_input_type=list[dict[str, Any]] | str),
]
"""OpenAI's array, or its text, whose order of keys is what is sent."""

AnswerSchema: TypeAlias = Annotated[
    dict[str, Any], BeforeValidator(_schema, json_schema_input_type=dict[str, Any] | str)
]
"""A JSON Schema, or its text."""


class ToolLoop(Body):
    """What answers the calls of a run. Tools are never executed: rules answer, or a person."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"mocks": [{"tool": "get_weather", "result": {"celsius": 21}}], "auto": True}
            ]
        }
    )

    mocks: list[dict[str, Any]] | str = Field(
        [], description="Rules, the first that fits wins; an array, or its JSON text."
    )
    results: dict[str, dict[str, Any] | bool] = Field(
        {}, description="Schemas of results, by the name of the tool: for samples of them."
    )
    auto: bool = Field(False, description="Go on by the rules alone while each call has one.")
    max_steps: int = Field(
        MAX_STEPS, ge=1, le=64, description="Turns of a run at most; then a person decides."
    )

    @field_validator("mocks")
    @classmethod
    def _can_be_read(cls, mocks: list[dict[str, Any]] | str) -> list[dict[str, Any]] | str:
        _rules(mocks, {})
        return mocks

    @field_validator("results")
    @classmethod
    def _have_bounds(cls, results: dict[str, Any]) -> dict[str, Any]:
        try:
            check_value(results)
        except JsonTextError as error:
            raise ValueError(f"{error.path} {error}") from None
        return results

    def loop(self) -> Loop:
        """The same as a run wants it."""
        return Loop(_rules(self.mocks, self.results), self.auto, self.max_steps)


def _rules(mocks: list[dict[str, Any]] | str, results: dict[str, Any]) -> Mocks:
    """Raises ToolSetError."""
    if isinstance(mocks, str):
        return parse_mocks(mocks, results) if mocks.strip() else Mocks((), results)
    return Mocks(read_mocks(mocks), results)
