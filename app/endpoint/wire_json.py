"""JSON to and from the wire: the request's body out, events and bodies in."""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec

_decode = msgspec.json.Decoder().decode

SAMPLE_CHARACTERS: Final = 300
"""How much of something unreadable a message quotes."""


class UnreadableError(ValueError):
    """Bytes that are no JSON; the text says how they begin."""


def encode_body(body: Any) -> bytes:
    """A request's body as UTF-8 JSON, its keys in their order.

    Half a surrogate pair, which a page can send, has no UTF-8: it becomes U+FFFD.
    """
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _without_lone_surrogates(text).encode()


def decode_json(data: bytes) -> Any:
    """The value that the bytes state; raises UnreadableError.

    Bytes that are no UTF-8 become U+FFFD, as the standard for event streams says, and so does
    half a surrogate pair. Infinity and NaN, which Python servers send in logprobs, are read.
    """
    try:
        return _decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _decode_leniently(data)


def sample(data: bytes) -> str:
    """The start of some bytes as text for a message."""
    text = data[: 4 * SAMPLE_CHARACTERS].decode("utf-8", "replace").strip()
    return text if len(text) <= SAMPLE_CHARACTERS else f"{text[:SAMPLE_CHARACTERS]}…"


def _decode_leniently(data: bytes) -> Any:
    try:
        value = json.loads(data.decode("utf-8", "replace"))
        # Halves come as escapes such as \ud83d: only the strings that were read show them.
        text = json.dumps(value, ensure_ascii=False)
        return json.loads(_without_lone_surrogates(text))
    except (ValueError, RecursionError):
        raise UnreadableError(sample(data)) from None


def _without_lone_surrogates(text: str) -> str:
    """Joins the halves that belong together; U+FFFD for each of the others."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
