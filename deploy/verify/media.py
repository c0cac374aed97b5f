"""Checks of pictures and clips: that they are read, and how many a prompt may hold."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any, Final

from app.chat.messages import Message, Text
from deploy.verify.check import Cost, Topic
from deploy.verify.outcomes import SkippedError, hold
from deploy.verify.refusals import read_refusal
from deploy.verify.specimens import Specimen, clip, picture
from deploy.verify.subject import Subject

topic = Topic()

_TEXT: Final = "What do you see?"
_MAX_TOKENS: Final = 32
"""Whether it was read shows in the prompt's tokens, whatever is answered."""

_LEAST_TOKENS: Final = 16
"""What the smallest picture takes of a prompt."""

_TEXT_ONLY: Final = {"text": Cost(1, 100)}
_ALONE: Final = {"image": Cost(1, 200), "clip": Cost(1, 300), "image and clip": Cost(1, 400)}


@topic.check("image", "a picture is read", asks=_TEXT_ONLY | {"image": _ALONE["image"]})
async def image(subject: Subject) -> str | None:
    """`--limit-mm-per-prompt.image`."""
    _allowed(subject.promises.images, "picture")
    return await _read(subject, picture)


@topic.check("clip", "a clip is read", asks=_TEXT_ONLY | {"clip": _ALONE["clip"]})
async def a_clip(subject: Subject) -> str | None:
    """`--limit-mm-per-prompt.video`."""
    _allowed(subject.promises.videos, "clip")
    return await _read(subject, clip)


@topic.check("image_and_clip", "a picture and a clip are read together", asks=_TEXT_ONLY | _ALONE)
async def image_and_clip(subject: Subject) -> str | None:
    """One of each: together they take what each takes by itself."""
    _allowed(min(subject.promises.images, subject.promises.videos), "picture with a clip")
    apart = [await _taken(subject, one) for one in (picture, clip)]
    both = await _taken(subject, picture, clip)
    hold(both > max(apart), f"both take {both} tokens of the prompt, and one by itself as many")
    return f"they take {both} tokens of the prompt"


@topic.check("second_image", "of pictures, {images} a prompt and no more")
async def second_image(subject: Subject) -> str | None:
    """All messages count; vLLM refuses before it looks at any of them."""
    return await _one_too_many(subject, picture, subject.promises.images)


@topic.check("second_clip", "of clips, {videos} a prompt and no more")
async def second_clip(subject: Subject) -> str | None:
    """As for pictures."""
    return await _one_too_many(subject, clip, subject.promises.videos)


def _allowed(most: int, thing: str) -> None:
    if most < 1:
        raise SkippedError(f"the preset allows no {thing}")


async def _read(subject: Subject, make: Callable[[], Specimen]) -> str:
    tokens = await _taken(subject, make)
    hold(tokens >= _LEAST_TOKENS, f"it takes {tokens} tokens of the prompt: it was not read")
    return f"it takes {tokens} tokens of the prompt"


async def _taken(subject: Subject, *makers: Callable[[], Specimen]) -> int:
    """How many tokens media take of a prompt: what it is longer than its text by itself."""
    with_media = await _prompt_tokens(subject, *makers)
    return with_media - await _prompt_tokens(subject)


async def _prompt_tokens(subject: Subject, *makers: Callable[[], Specimen]) -> int:
    async def ask() -> int:
        specimens = [await asyncio.to_thread(make) for make in makers]
        attachments = [specimen.attachment for specimen in specimens]
        urls = {specimen.attachment.hash: specimen.url for specimen in specimens}
        message = Message("user", (*attachments, Text(_TEXT)))
        turn = await subject.turn([message], max_tokens=_MAX_TOKENS, urls=urls)
        tokens = (turn.usage or {}).get("prompt_tokens")
        if not isinstance(tokens, int):
            raise SkippedError("it was taken, but without usage nothing shows that it was read")
        return tokens

    return await subject.once(f"prompt with {[make.__name__ for make in makers]}", ask)


async def _one_too_many(subject: Subject, make: Callable[[], Specimen], most: int) -> str:
    """Sends one more than is allowed, spread over two messages. Returns what the server says."""
    specimen = await asyncio.to_thread(make)
    kind = specimen.attachment.kind
    medium: dict[str, Any] = {"type": f"{kind}_url", f"{kind}_url": {"url": specimen.url}}
    text = {"type": "text", "text": _TEXT}
    body = subject.body("", max_tokens=1)
    body["messages"] = [
        {"role": "user", "content": [medium, text]},
        {"role": "assistant", "content": "One."},
        {"role": "user", "content": [*[medium] * most, text]},
    ]
    refusal = read_refusal(await subject.wire.chat(body), 400)
    told = re.search(rf"at most {most} {kind}", refusal.message, re.IGNORECASE)
    hold(told, f"it says: {refusal.message}")
    return refusal.message
