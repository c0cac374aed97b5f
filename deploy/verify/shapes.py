"""The shapes that vLLM's answers have, as far as a check reads them.

Source: the OpenAI API as vLLM 0.27 to 0.33 speaks it, with `reasoning`, `prompt_text` and
`prompt_token_ids` of its own.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field


class Model(BaseModel):
    """A model that is served."""

    id: str
    max_model_len: int | None = None


class ModelList(BaseModel):
    """`GET /v1/models`."""

    data: list[Model]


class CompletionDetails(BaseModel):
    """What the tokens of an answer were spent on."""

    reasoning_tokens: int | None = None


class PromptDetails(BaseModel):
    """Where the tokens of a prompt came from."""

    cached_tokens: int | None = None


class Usage(BaseModel):
    """The tokens of one request."""

    prompt_tokens: int = Field(gt=0)
    completion_tokens: int = Field(ge=0)
    total_tokens: int
    completion_tokens_details: CompletionDetails | None = None
    prompt_tokens_details: PromptDetails | None = None


class Said(BaseModel):
    """A message, or a piece of one."""

    role: str | None = None
    content: str | None = None
    reasoning: str | None = None
    reasoning_content: str | None = None

    @property
    def thoughts(self) -> dict[str, str]:
        """The thought under each name that it comes under."""
        both = {"reasoning": self.reasoning, "reasoning_content": self.reasoning_content}
        return {name: text for name, text in both.items() if text}


class Choice(BaseModel):
    """The answer of a completion."""

    message: Said
    finish_reason: str


class Completion(BaseModel):
    """An answer in one piece."""

    object: Literal["chat.completion"]
    choices: list[Choice] = Field(min_length=1)
    usage: Usage | None = None
    prompt_text: str | None = None
    prompt_token_ids: list[int] | None = None


class ChunkChoice(BaseModel):
    """What a chunk adds."""

    delta: Said
    finish_reason: str | None = None


class Chunk(BaseModel):
    """An event of a streamed answer."""

    object: Literal["chat.completion.chunk"]
    choices: list[ChunkChoice]
    usage: Usage | None = None


class Tokenized(BaseModel):
    """`POST /tokenize`."""

    count: int
    tokens: list[int]


class Refusal(BaseModel):
    """What is wrong with a request."""

    message: str = Field(min_length=1)
    type: str
    param: str | None
    code: int


class ErrorBody(BaseModel):
    """The body of a request that is refused."""

    error: Refusal
