"""The ranges of a request's numbers, and its model's name, checked in vLLM's words."""

from __future__ import annotations

import math

from app.simulator.errors import ApiError, parameter_error
from app.simulator.request import ChatRequest
from app.simulator.settings import SimulatorSettings


def check_model(model: str | None, settings: SimulatorSettings) -> None:
    """Raises ApiError 404 for a model that is not served; none at all means the one there is."""
    if model and model != settings.model:
        message = f"The model `{model}` does not exist. Valid aliases: {settings.model}."
        raise ApiError(message, status=404, param="model")


def check_sampling(request: ChatRequest, settings: SimulatorSettings) -> None:
    """Raises ApiError for a number out of its range or a stop string that is empty."""
    _check_temperature(request.temperature)
    if request.top_p is not None and not 0 < request.top_p <= 1:
        message = f"top_p must be in (0, 1], got {request.top_p}."
        raise parameter_error(message, "top_p", request.top_p)
    _check_token_limit(request.token_limit, settings.max_model_len)
    if "" in request.stop_strings:
        raise ApiError("stop cannot contain an empty string.")


def check_prompt_length(prompt_tokens: int, settings: SimulatorSettings) -> None:
    """Raises ApiError when the prompt leaves no room for a single token of output."""
    limit = settings.max_model_len
    if prompt_tokens < limit:
        return
    message = (
        f"This model's maximum context length is {limit} tokens. However, your prompt contains "
        f"at least {limit + 1} input tokens, which exceeds this limit even without any output "
        "tokens. Please reduce the length of the input prompt."
    )
    raise parameter_error(message, "input_tokens", limit + 1)


def _check_temperature(temperature: float | None) -> None:
    if temperature is None or 0 <= temperature <= 2:
        return
    if not math.isfinite(temperature):
        message = f"temperature must be a finite number, got {temperature}."
    elif temperature < 0:
        message = f"temperature must be non-negative, got {temperature}."
    else:
        message = f"temperature must be in [0, 2], got {temperature}."
    raise parameter_error(message, "temperature", temperature)


def _check_token_limit(limit: int | None, max_model_len: int) -> None:
    if limit is None:
        return
    if limit < 1:
        message = f"max_tokens must be at least 1, got {limit}."
        raise parameter_error(message, "max_tokens", limit)
    if limit > max_model_len:
        message = (
            f"max_tokens={limit} cannot be greater than max_model_len={max_model_len}. "
            "Please request fewer output tokens."
        )
        raise parameter_error(message, "max_tokens", limit)
