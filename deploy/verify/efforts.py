"""Checks of the reasoning effort: that each makes another prompt, and which one is the default."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from deploy.verify.check import Cost, Topic
from deploy.verify.outcomes import SkippedError, hold
from deploy.verify.shapes import Completion, Tokenized
from deploy.verify.subject import Subject

topic = Topic()

EFFORTS: Final = ("low", "high", "max")

_PROMPT: Final = "Hello there, world"
_ASKS: Final = {f"prompt of {effort}": Cost(1, 50) for effort in EFFORTS}
_ASKS_DEFAULT: Final = _ASKS | {"prompt of none": Cost(1, 50)}


@topic.check("efforts", "low, high and max each make another prompt", asks=_ASKS)
async def efforts(subject: Subject) -> str | None:
    """The template's `Reasoning Effort: …`, as many tokens for each: their ids are compared."""
    prompts = {effort: await _prompt(subject, effort) for effort in EFFORTS}
    names = list(prompts)
    for at, name in enumerate(names):
        same = [other for other in names[:at] if prompts[other] == prompts[name]]
        hold(not same, f"the prompts of {' and '.join((*same, name))} are the same")
    return None


@topic.check("default_effort", "without an effort it is {default_effort}", asks=_ASKS_DEFAULT)
async def default_effort(subject: Subject) -> str | None:
    """`--default-chat-template-kwargs.reasoning_effort`."""
    promised = subject.promises.default_effort
    default = await _prompt(subject, None)
    prompts = {effort: await _prompt(subject, effort) for effort in (promised, *EFFORTS)}
    same = [effort for effort, prompt in prompts.items() if prompt == default]
    hold(promised in same, f"the prompt is that of {' and '.join(same) or 'another effort'}")
    return None


@topic.check(
    "effort_field",
    "low, high and max are taken as reasoning_effort",
    asks={f"answer at {effort}": Cost(1, 50) for effort in EFFORTS},
)
async def effort_field(subject: Subject) -> str | None:
    """The word that the page sends, beside the messages."""
    for effort in EFFORTS:
        body = subject.body(_PROMPT, max_tokens=1, reasoning_effort=effort)
        reply = await subject.wire.chat(body)
        hold(reply.status == 200, f"{effort}: HTTP {reply.status}")
    return None


async def _prompt(subject: Subject, effort: str | None) -> Hashable:
    """The prompt as the server has it: its tokens, or its text.

    Raises SkippedError where the server shows neither.
    """

    async def ask() -> Hashable:
        return await _tokenized(subject, effort) or await _returned(subject, effort)

    prompt = await subject.once(f"prompt of {effort}", ask)
    if prompt is None:
        raise SkippedError(
            "the server has no /tokenize, and knows neither return_prompt_text nor return_token_ids"
        )
    return prompt


async def _tokenized(subject: Subject, effort: str | None) -> Hashable:
    """By `/tokenize`, which has no field for the effort: it is an argument of the template."""
    body = {
        "model": subject.promises.model,
        "messages": [{"role": "user", "content": _PROMPT}],
        **({"chat_template_kwargs": {"reasoning_effort": effort}} if effort else {}),
    }
    reply = await subject.wire.post_beside("/tokenize", body)
    if reply.status in (401, 403, 404, 405, 501):
        return None
    return tuple(reply.read(Tokenized).tokens)


async def _returned(subject: Subject, effort: str | None) -> Hashable:
    """With an answer, where the server takes vLLM's own fields."""
    body = subject.body(
        _PROMPT,
        max_tokens=1,
        reasoning_effort=effort,
        return_prompt_text=True,
        return_token_ids=True,
    )
    answer = (await subject.wire.chat(body)).read(Completion)
    return answer.prompt_text or tuple(answer.prompt_token_ids or ()) or None
