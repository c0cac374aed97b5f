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
    """Takes one key out of events and states."""

    def __init__(self, secret: SecretStr | None) -> None:
        self._secret = secret

    def __call__(self, worded: _Worded) -> _Worded:
        """The same value, with `[API key]` where its words hold the key."""
        key = self._secret.get_secret_value() if self._secret else ""
        if len(key) < _SHORTEST_SECRET:
            return worded
        told = {name: getattr(worded, name, None) for name in ("message", "request_id")}
        changes = {
            name: text.replace(key, "[API key]") for name, text in told.items() if text is not None
        }
        return replace(worded, **changes)
