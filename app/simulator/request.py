"""The body of a chat request: its fields, their types, and what vLLM says when they are wrong.

Messages are checked against the same types of the openai package that vLLM uses, by the same
version of pydantic, so that the errors name the same branches. Fields that the simulator does
not read are accepted and ignored, as vLLM ignores fields that it does not know.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, Required, TypeAlias

from openai.types.chat import ChatCompletionMessageParam, ChatCompletionMessageToolCallUnionParam
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from typing_extensions import TypedDict

from app.simulator.errors import ApiError, parameter_error, unsupported_media_type, validation_error

Effort: TypeAlias = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]


class CustomChatCompletionMessageParam(TypedDict, total=False):
    """vLLM's own message: any role. Its name appears in errors."""

    role: Required[str]
    content: str | list[dict[str, Any]]
    name: str
    tool_call_id: str | None
    tool_calls: Iterable[ChatCompletionMessageToolCallUnionParam] | None


class Message(BaseModel):
    """A message of the Harmony format, which vLLM's union ends with. Its name appears in errors."""

    author: dict[str, Any]
    content: list[dict[str, Any]]


class FunctionDefinition(BaseModel):
    """What is declared about one tool."""

    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class Tool(BaseModel):
    """One entry of `tools`."""

    type: Literal["function"] = "function"
    function: FunctionDefinition


class NamedFunction(BaseModel):
    """The function that a tool choice names."""

    name: str


class NamedToolChoice(BaseModel):
    """`tool_choice` as an object."""

    function: NamedFunction
    type: Literal["function"] = "function"


class JsonSchema(BaseModel):
    """The schema of `response_format`, under its key `schema`."""

    name: str
    description: str | None = None
    schema_: dict[str, Any] | None = Field(default=None, alias="schema")
    strict: bool | None = None


class ResponseFormat(BaseModel):
    """`response_format` as the app sends it."""

    type: Literal["text", "json_object", "json_schema"]
    json_schema: JsonSchema | None = None


class StructuralTagResponseFormat(BaseModel):
    """A format of vLLM's own; here for the errors that its union gives."""

    type: Literal["structural_tag"]
    format: Any


class LegacyStructuralTagResponseFormat(BaseModel):
    """Likewise."""

    type: Literal["structural_tag"]
    structures: list[dict[str, Any]]
    triggers: list[str]


class StreamOptions(BaseModel):
    """Which usage a stream carries."""

    include_usage: bool | None = True
    continuous_usage_stats: bool | None = False


AnyResponseFormat: TypeAlias = (
    ResponseFormat | StructuralTagResponseFormat | LegacyStructuralTagResponseFormat
)
ToolChoice: TypeAlias = Literal["none", "auto", "required"] | NamedToolChoice


def _is_flag(value: Any) -> Any:
    """A null `stream` means false."""
    return False if value is None else value


class ChatRequest(BaseModel):
    """A chat request whose fields have the right types. `messages` are kept as they were sent."""

    model_config = ConfigDict(extra="ignore")

    messages: list[ChatCompletionMessageParam | CustomChatCompletionMessageParam | Message]
    model: str | None = None
    stream: Annotated[bool, BeforeValidator(_is_flag)] = False
    stream_options: StreamOptions | None = None
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = Field(default=None, ge=-(2**63), le=2**63 - 1)
    stop: str | Annotated[list[str], Field(max_length=4)] | None = None
    tools: list[Tool] | None = None
    tool_choice: ToolChoice | None = None
    parallel_tool_calls: bool | None = True
    response_format: AnyResponseFormat | None = None
    reasoning_effort: Effort | None = None
    include_reasoning: bool = True
    chat_template_kwargs: dict[str, Any] | None = None
    continue_final_message: bool = False
    request_id: str | None = None

    @property
    def stop_strings(self) -> list[str]:
        """`stop` as a list, whichever way it was sent."""
        return [self.stop] if isinstance(self.stop, str) else self.stop or []

    @property
    def token_limit(self) -> int | None:
        """The newer field wins over `max_tokens`."""
        return self.max_tokens if self.max_completion_tokens is None else self.max_completion_tokens


def parse_json(body: bytes, content_type: str | None) -> Any:
    """The value in a request's body; raises ApiError, or ValueError for what is no text at all."""
    if not body:
        missing = {"type": "missing", "loc": (), "msg": "Field required", "input": None}
        raise validation_error([missing])
    if content_type is None or not _is_json(content_type):
        raise unsupported_media_type()
    try:
        return json.loads(body)
    except json.JSONDecodeError as problem:
        invalid = {
            "type": "json_invalid",
            "loc": (problem.pos,),
            "msg": "JSON decode error",
            "input": {},
            "ctx": {"error": problem.msg},
        }
        raise validation_error([invalid]) from None
    except RecursionError:
        raise ValueError("nested too deeply") from None


def parse_chat_request(value: Any) -> ChatRequest:
    """The request in a body's value; raises ApiError as vLLM would say it."""
    if not isinstance(value, Mapping):
        message = "Input should be a valid dictionary or object to extract fields from"
        error = {"type": "model_attributes_type", "loc": (), "msg": message, "input": value}
        raise validation_error([error])
    _check_before_types(value)
    try:
        return ChatRequest.model_validate(value)
    except ValidationError as problem:
        raise validation_error(problem.errors(include_url=False)) from None


def message_errors(problem: ValidationError) -> ApiError:
    """Errors in the calls of a message, which vLLM finds while it reads the conversation."""
    return validation_error(problem.errors(include_url=False))


def _is_json(content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().lower()
    return kind == "application/json" or (
        kind.startswith("application/") and kind.endswith("+json")
    )


def _check_before_types(value: Mapping[str, Any]) -> None:
    """What vLLM's own validators refuse before any type is looked at."""
    if value.get("continue_final_message"):
        _check_continuation(value)
    if value.get("stream_options") and not value.get("stream"):
        message = "Stream options can only be defined when `stream=True`."
        raise parameter_error(message, "stream_options")
    response_format = value.get("response_format")
    if _lacks_schema(response_format):
        message = (
            "When response_format type is 'json_schema', the 'json_schema' field must be provided."
        )
        raise parameter_error(message, "response_format")
    if value.get("tools") == []:
        message = (
            "`tools` must not be an empty array. "
            "Either provide at least one tool or omit the field entirely."
        )
        raise parameter_error(message, "tools")
    _check_tool_choice(value.get("tool_choice"), value.get("tools"))


def _check_continuation(value: Mapping[str, Any]) -> None:
    """To go on with a message, and to begin one, exclude each other; to begin is the default."""
    if value.get("add_generation_prompt", True):
        message = "Cannot set both `continue_final_message` and `add_generation_prompt` to True."
        raise ApiError(message)
    messages = value.get("messages")
    last = messages[-1] if isinstance(messages, list) and messages else None
    if isinstance(last, Mapping) and last.get("role") != "assistant":
        message = (
            "Cannot set `continue_final_message` when the last message is not the assistant's."
        )
        raise ApiError(message)


def _lacks_schema(response_format: Any) -> bool:
    return (
        isinstance(response_format, Mapping)
        and response_format.get("type") == "json_schema"
        and response_format.get("json_schema") is None
    )


def _check_tool_choice(choice: Any, tools: Any) -> None:
    if choice is None or choice == "none":
        return
    if not isinstance(tools, list):
        raise parameter_error("When using `tool_choice`, `tools` must be set.", "tool_choice")
    if isinstance(choice, str):
        if choice not in ("auto", "required"):
            message = (
                f"Invalid value for `tool_choice`: {choice}! "
                'Only named tools, "none", "auto" or "required" are supported.'
            )
            raise parameter_error(message, "tool_choice")
        return
    if isinstance(choice, Mapping) and not _declares(tools, choice.get("function")):
        message = "The tool specified in `tool_choice` does not match any of the specified `tools`"
        raise parameter_error(message, "tool_choice")


def _declares(tools: list[Any], function: Any) -> bool:
    name = function.get("name") if isinstance(function, Mapping) else None
    declared = (tool.get("function") for tool in tools if isinstance(tool, Mapping))
    return any(isinstance(each, Mapping) and each.get("name") == name for each in declared)
