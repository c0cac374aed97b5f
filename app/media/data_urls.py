"""Media as `data:` URLs (RFC 2397), the only form in which they travel to the model server."""

from __future__ import annotations

import base64
import binascii
import re

_HEAD = re.compile(r"data:([a-z]+/[a-z0-9.+-]+);base64", re.IGNORECASE)


def data_url(data: bytes, mime: str) -> str:
    """The bytes as a base64 data URL; vLLM takes no other encoding."""
    return f"data:{mime};base64,{base64.b64encode(data).decode('ascii')}"


def from_data_url(url: str) -> tuple[bytes, str]:
    """The bytes in a base64 data URL, and the type that it declares.

    Raises ValueError with a sentence for any other URL, which is never fetched, and for base64
    that is cut, spaced or mixed with other characters. The type is a claim: `prepare` looks at
    the bytes.
    """
    if url[:5].lower() != "data:":
        raise ValueError(
            "A picture or clip must be a data URL, as addresses are not fetched: embed its bytes."
        )
    head, comma, payload = url.partition(",")
    declared = _HEAD.fullmatch(head)
    if declared is None or not comma:
        raise ValueError(
            "The data URL must begin with its type and “;base64,”, as in data:image/png;base64,…"
        )
    try:
        data = base64.b64decode(payload, validate=True)
    except (binascii.Error, ValueError):
        raise ValueError(
            "The base64 in the data URL is damaged or cut: encode the file again."
        ) from None
    if not data:
        raise ValueError("The data URL holds no bytes: embed the picture or clip itself.")
    return data, declared[1].lower()
