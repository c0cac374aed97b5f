"""Checks of what is served: the model's name, its context, and whether it is well."""

from __future__ import annotations

from typing import Final

from deploy.verify.check import Cost, Topic
from deploy.verify.outcomes import SkippedError, hold
from deploy.verify.shapes import ModelList
from deploy.verify.subject import Subject

topic = Topic()

_LIST: Final = {"models": Cost()}


@topic.check("health", "{health_path} answers 200")
async def health(subject: Subject) -> str | None:
    """The preset's readiness and liveness endpoint."""
    reply = await subject.wire.get_beside(subject.promises.health_path)
    hold(reply.status == 200, f"HTTP {reply.status}")
    return None


@topic.check("model", "the model is served as {model}", asks=_LIST)
async def model(subject: Subject) -> str | None:
    """`--served-model-name`."""
    served = [each.id for each in (await _models(subject)).data]
    hold(subject.promises.model in served, f"served is {', '.join(served) or 'nothing'}")
    return None


@topic.check("context", "a request may take {max_model_len:,} tokens", asks=_LIST)
async def context(subject: Subject) -> str | None:
    """`--max-model-len`."""
    models = await _models(subject)
    asked = [each for each in models.data if each.id == subject.promises.model]
    hold(asked, f"{subject.promises.model} is not served")
    length = asked[0].max_model_len
    if length is None:
        raise SkippedError("the server does not tell max_model_len")
    hold(length == subject.promises.max_model_len, f"max_model_len is {length:,}")
    return None


@topic.check("key", "without a key a request is refused")
async def key(subject: Subject) -> str | None:
    """Baseten's own gate before the server; vLLM itself has none in the preset."""
    if not subject.wants_key:
        raise SkippedError("the server is not behind Baseten's gate, and the preset has no other")
    reply = await subject.wire.get("/models", with_key=False)
    hold(reply.status in (401, 403), f"HTTP {reply.status}")
    return f"HTTP {reply.status}"


async def _models(subject: Subject) -> ModelList:
    async def ask() -> ModelList:
        return (await subject.wire.get("/models")).read(ModelList)

    return await subject.once("models", ask)
