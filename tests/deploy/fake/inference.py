"""A model's own address: waking, /health, /v1/models, and one plain answer of a chat."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from tests.deploy.fake.state import Account
from tests.deploy.fake.wire import Answer, Asked

REQUEST_ID: Final = "request-on-loopback"
_PLACE: Final = re.compile(
    r"/model-(\w+)/(?:environments/([^/]+)|deployment/([^/]+)|(production|development))(/.+)"
)
_NAMED: Final = {"X-Baseten-Request-Id": REQUEST_ID}
_USAGE: Final = {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}


def answer_inference(account: Account, asked: Asked, *, known: bool) -> Answer:
    """Answers one request; `known` says whether it came with the account's key.

    A request to a model that sleeps wakes it, and is parked until its time runs out: a 500.
    """
    asked.op = "inference"
    place = _PLACE.fullmatch(asked.path)
    model = account.models.get(place[1]) if place else None
    if not known:
        return _error(401, "please check the api-key you provided")
    if place is None or model is None:
        return _error(404, "model does not exist")
    deployment = model.find(place[2] or place[3] or place[4])
    if deployment is None:
        return _error(404, "deployment does not exist")
    slept = deployment.status == "SCALED_TO_ZERO"
    deployment.wake()
    if place[5] == "/wake":
        return Answer(202, {}, headers=_NAMED)
    if slept:
        return _error(500, "Error making prediction")
    if deployment.status in ("INACTIVE", "DEACTIVATING"):
        return _error(404, f"deployment is {deployment.status}")
    if deployment.status not in ("ACTIVE", "UPDATING"):
        return _error(503, f"deployment is {deployment.status}")
    config = deployment.config.get("docker_server") or {}
    route = place[5].removeprefix("/sync")
    if route == "/predict":
        route = config.get("predict_endpoint", "/v1/chat/completions")
    return _serve(route, _served_name(config.get("start_command") or ""), asked.body)


def _served_name(start_command: str) -> str:
    named = re.search(r"--served-model-name[ =](\S+)", start_command)
    return named[1] if named else "fake-model"


def _serve(route: str, served: str, words: Any) -> Answer:
    if route in ("/health", "/ping"):
        return Answer(headers=_NAMED)
    if route == "/v1/models":
        card = {"id": served, "object": "model", "owned_by": "vllm", "max_model_len": 1_048_576}
        return Answer(body={"object": "list", "data": [card]}, headers=_NAMED)
    if route != "/v1/chat/completions":
        return Answer(404, {"detail": "Not Found"}, headers=_NAMED)
    if not isinstance(words, Mapping) or words.get("model") not in (None, served):
        complaint = f"The model `{words.get('model')}` does not exist."
        error = {"message": complaint, "type": "NotFoundError", "param": "model", "code": 404}
        return Answer(404, {"error": error}, headers=_NAMED)
    base = {"id": "chatcmpl-fake", "created": 1, "model": served}
    if words.get("stream"):
        return Answer(events=tuple(_events(base, words)), headers=_NAMED)
    message = {
        "role": "assistant",
        "content": "Hello from the fake.",
        "reasoning": "The user greets.",
        "reasoning_content": "The user greets.",
        "tool_calls": [],
    }
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    whole = {**base, "object": "chat.completion", "usage": _USAGE, "choices": [choice]}
    return Answer(body=whole, headers=_NAMED)


def _events(base: Mapping[str, Any], words: Mapping[str, Any]) -> list[Any]:
    def chunk(finish_reason: str | None = None, **delta: Any) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
        return {**base, "object": "chat.completion.chunk", "choices": [choice]}

    events: list[Any] = [chunk(role="assistant", content="")]
    events += [chunk(reasoning_content=word) for word in ("The ", "user ", "greets.")]
    events += [chunk(content=word) for word in ("Hello ", "from ", "the ", "fake.")]
    events.append(chunk("stop"))
    if (words.get("stream_options") or {}).get("include_usage"):
        usage = {**base, "object": "chat.completion.chunk", "choices": [], "usage": _USAGE}
        events.append(usage)
    return [*events, "[DONE]"]


def _error(status: int, message: str) -> Answer:
    return Answer(status, {"error": message, "error_code": "on_loopback"}, headers=_NAMED)
