"""The server's key, kept out of all that is told: a server may repeat it in its messages."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, TypeVar

from pydantic import SecretStr

from app.chat.events import Failed, Started, Waiting
from app.endpoint.state import ServerState

_Worded = TypeVar("_Worded", bound=Waiting | Started | Failed | ServerState)

_SHORTEST_SECRET: Final = 8
"""A shorter key, such as `none`, is no secret, and would be a piece of ordinary words."""


class Redactor:
    """Takes one key out of events, states and the bytes of an answer."""

    def __init__(self, secret: SecretStr | None) -> None:
        self._secret = secret

    @property
    def _key(self) -> str:
        """What is taken out; empty where there is no secret."""
        key = self._secret.get_secret_value() if self._secret else ""
        return key if len(key) >= _SHORTEST_SECRET else ""

    def in_bytes(self, data: bytes) -> bytes:
        """The same for what came in one piece; a key that is cut in two is not found."""
        key = self._key
        return data.replace(key.encode(), b"[API key]") if key else data

    def __call__(self, worded: _Worded) -> _Worded:
        """The same value, with `[API key]` where its words hold the key."""
        key = self._key
        if not key:
            return worded
        told = {name: getattr(worded, name, None) for name in ("message", "request_id")}
        changes = {
            name: text.replace(key, "[API key]") for name, text in told.items() if text is not None
        }
        return replace(worded, **changes)
