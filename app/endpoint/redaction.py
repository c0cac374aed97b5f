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


_INSTEAD: Final = "[API key]"


class AnswerRedactor:
    """Takes a key out of bytes that come in pieces, wherever they are cut.

    An end that may be the beginning of the key is held back until more is known.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._held = b""

    def take(self, data: bytes) -> bytes:
        """What can be told once this piece has come."""
        if not self._key:
            return data
        data = (self._held + data).replace(self._key, _INSTEAD.encode())
        longest = min(len(self._key) - 1, len(data))
        held = next((n for n in range(longest, 0, -1) if self._key.startswith(data[-n:])), 0)
        self._held = data[len(data) - held :]
        return data[: len(data) - held]

    def rest(self) -> bytes:
        """What was held back, once nothing more comes."""
        held, self._held = self._held, b""
        return held


class Redactor:
    """Takes one key out of events, states and the bytes of an answer."""

    def __init__(self, secret: SecretStr | None) -> None:
        self._secret = secret

    @property
    def _key(self) -> str:
        """What is taken out; empty where there is no secret."""
        key = self._secret.get_secret_value() if self._secret else ""
        return key if len(key) >= _SHORTEST_SECRET else ""

    def of_answer(self) -> AnswerRedactor:
        """The same for the bytes of one answer."""
        return AnswerRedactor(self._key.encode())

    def __call__(self, worded: _Worded) -> _Worded:
        """The same value, with `[API key]` where its words hold the key."""
        key = self._key
        if not key:
            return worded
        told = {name: getattr(worded, name, None) for name in ("message", "request_id")}
        changes = {
            name: text.replace(key, _INSTEAD) for name, text in told.items() if text is not None
        }
        return replace(worded, **changes)
