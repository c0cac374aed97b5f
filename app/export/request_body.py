"""A request's body as it travelled, and as it is shown to a reader."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from app.endpoint.wire_json import encode_body

_SHOWN: Final = 12
"""Characters of base64 that are shown: the first of them tell a kind of file from another."""

_DATA_URL = re.compile(r"(data:[^,]*;base64,)(.*)", re.DOTALL)


def as_sent(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body that the server read: half a surrogate pair, for one, has become U+FFFD."""
    sent: dict[str, Any] = json.loads(encode_body(body))
    return sent


def elided(body: Mapping[str, Any]) -> dict[str, Any]:
    """The same body with the bytes of its media left out, and how many they are in their place.

    `data:image/png;base64,iVBORw0KGgoA…(123,456 bytes)`. A data URL that stands in a text is a
    text. The body that was given is not changed.
    """
    return {key: _elided(value, key) for key, value in body.items()}


def _elided(value: Any, key: str) -> Any:
    if isinstance(value, Mapping):
        return {name: _elided(member, name) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_elided(member, "") for member in value]
    return _shortened(value) if key == "url" and isinstance(value, str) else value


def _shortened(url: str) -> str:
    found = _DATA_URL.fullmatch(url)
    if found is None:
        return url
    head, payload = found.groups()
    size = len(payload) * 3 // 4 - payload[-2:].count("=")
    short = f"{head}{payload[:_SHOWN]}…({size:,} bytes)"
    return short if len(short) < len(url) else url
