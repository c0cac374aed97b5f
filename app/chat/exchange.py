"""One request to the model server and what came back for it, as a turn's record keeps them.

The history is not kept a second time: the request is built anew from what the chat holds, and its
digest tells whether that is what was sent.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from app.chat.messages import Attachment, Conversation
from app.chat.request import Options, Request, build
from app.chat.turn import TurnPart
from app.chat.wire_record import Read, unpacked

_PLACEHOLDER: Final = "media:"


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request, by what it was made of, and its answer as it came.

    `base` are the parts of the cut answer that was to be gone on with, none for a new answer.
    `digest` is that of the body. `wire` is what a `WireRecorder` packed; `is_cut` says that the
    answer was longer than that.
    """

    options: Options
    digest: str
    base: tuple[TurnPart, ...] = ()
    wire: bytes = b""
    is_cut: bool = False

    @property
    def reads(self) -> tuple[Read, ...]:
        """The answer in the pieces in which it came."""
        return unpacked(self.wire) if self.wire else ()


def build_unfilled(conversation: Conversation, options: Options) -> Request:
    """The request with a placeholder where a picture or a clip goes, for `filled`."""
    return build(conversation, options, placeholder)


def placeholder(attachment: Attachment) -> str:
    """What stands for the bytes in a request that is shown or compared."""
    return f"{_PLACEHOLDER}{attachment.hash}"


def filled(request: Request, urls: Mapping[str, str]) -> Request:
    """The request with the data URLs in it, by content hash. Raises KeyError for a missing one."""
    messages = [_filled(message, urls) for message in request.body["messages"]]
    return replace(request, body={**request.body, "messages": messages})


def digest(body: Mapping[str, Any]) -> str:
    """SHA-256 of a body without its media, as hexadecimal; the order of keys counts."""
    return hashlib.sha256(json.dumps(body, separators=(",", ":")).encode()).hexdigest()


def _filled(message: Mapping[str, Any], urls: Mapping[str, str]) -> Mapping[str, Any]:
    content = message.get("content")
    if not isinstance(content, list):
        return message
    return {**message, "content": [_filled_part(part, urls) for part in content]}


def _filled_part(part: Mapping[str, Any], urls: Mapping[str, str]) -> Mapping[str, Any]:
    kind = part["type"]
    if kind == "text":
        return part
    content_hash = part[kind]["url"].removeprefix(_PLACEHOLDER)
    return {**part, kind: {"url": urls[content_hash]}}
