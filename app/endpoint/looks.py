"""Looking at a model server: what its answer to one small request says about it.

An OpenAI-compatible server is asked for its models. A model on Baseten is never asked itself,
which would wake it: Baseten's management API tells the status of its deployment.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from app.chat.events import Failed
from app.endpoint.connection import Connection
from app.endpoint.errors import TryFailedError
from app.endpoint.settings import EndpointSettings
from app.endpoint.state import ServerState, State
from app.endpoint.wire_json import UnreadableError, decode_json, sample

WAKING_MESSAGE: Final = "The model is waking up, which is billed."

_READY: Final = frozenset({"ACTIVE", "UPDATING"})
_WAKING: Final = frozenset({"WAKING_UP", "LOADING_MODEL", "DEPLOYING", "BUILDING"})
_SWITCHED_OFF: Final = frozenset({"INACTIVE", "DEACTIVATING"})
_FAILED: Final = frozenset({"FAILED", "BUILD_FAILED", "DEPLOY_FAILED", "BUILD_STOPPED"})

_SAYS_NOTHING: Final = frozenset({404, 405, 429})
"""Statuses of a server that has no list of models, or has no time for it: turns may still work."""

_STATUS_CHARACTERS: Final = 40


async def look(connection: Connection, settings: EndpointSettings) -> ServerState | None:
    """The server as it is now; None where it said nothing in `settings.state_timeout_s`."""
    try:
        if settings.is_baseten:
            return read_deployment(await connection.deployment())
        return read_models(await connection.models(), settings)
    except TryFailedError as error:
        if error.failure.kind == "timed_out":
            return None
        return _not_told(error.failure, settings)


def read_models(data: bytes, settings: EndpointSettings) -> ServerState:
    """A server that lists its models is ready; vLLM tells the length of the context with them.

    Source: `GET /v1/models` of vLLM, `data[].max_model_len`.
    """
    try:
        answer = decode_json(data)
    except UnreadableError:
        answer = None
    models = answer.get("data") if isinstance(answer, Mapping) else None
    if not isinstance(models, list):
        message = f"{settings.place} answers, but not with a list of models: {sample(data)}"
        return ServerState("unknown", message)
    listed = [model for model in models if isinstance(model, Mapping)]
    asked = [model for model in listed if model.get("id") == settings.model]
    lengths = (model.get("max_model_len") for model in asked or listed)
    context = next((length for length in lengths if _is_length(length)), None)
    return ServerState("ready", context_tokens=context)


def read_deployment(data: bytes) -> ServerState:
    """The state of a deployment, or of the current one of an environment, by its status.

    Source: Baseten's management API; its list of statuses is open. Building, loading, idle and
    unhealthy replicas are billed; a model scaled to zero is not.
    """
    try:
        answer = decode_json(data)
    except UnreadableError:
        answer = None
    deployment = answer.get("current_deployment", answer) if isinstance(answer, Mapping) else answer
    if deployment is None and answer is not None:
        message = "The environment has no deployment: deploy the model on Baseten first."
        return ServerState("unreachable", message)
    status = deployment.get("status") if isinstance(deployment, Mapping) else None
    if not isinstance(status, str):
        return ServerState("unknown", f"Baseten's answer holds no status: {sample(data)}")
    return _state_of(status)


def _state_of(status: str) -> ServerState:
    if status in _READY:
        return ServerState("ready", billed=True)
    if status in _WAKING:
        return ServerState("waking", WAKING_MESSAGE, billed=True)
    if status == "SCALED_TO_ZERO":
        return ServerState("asleep", "The model sleeps, which costs nothing; a message wakes it.")
    if status in _SWITCHED_OFF:
        message = f"The deployment is switched off ({status}): activate it on Baseten."
        return ServerState("unreachable", message)
    if status == "UNHEALTHY":
        message = f"The deployment does not work ({status}): look at its logs on Baseten."
        return ServerState("unreachable", message, billed=True)
    if status in _FAILED or status.endswith("_FAILED"):
        message = (
            f"The deployment failed ({status[:_STATUS_CHARACTERS]}): look at its logs on Baseten, "
            "then deploy the model again."
        )
        return ServerState("unreachable", message)
    message = f"Baseten says {status[:_STATUS_CHARACTERS]}, which is not a status known here."
    return ServerState("unknown", message)


def _not_told(failure: Failed, settings: EndpointSettings) -> ServerState:
    """What the failure of a look means for turns: none may come, or nothing can be said."""
    if settings.is_baseten:
        # A key for inference alone is refused by the management API; the model may well answer.
        message = f"Baseten does not tell whether the model is awake: {failure.message}"
        return ServerState("unknown", message, failure.request_id)
    state: State = "unknown" if failure.status in _SAYS_NOTHING else "unreachable"
    return ServerState(state, failure.message, failure.request_id)


def _is_length(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
