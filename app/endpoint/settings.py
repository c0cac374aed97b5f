"""How to reach a model server, and how patient to be with it."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from pydantic import SecretStr


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """One model server.

    `base_url` ends before `/chat/completions`, with or without a slash. Without an `api_key` no
    Authorization header is sent at all. `headers` go with every request.

    Seconds: `connect_timeout_s` to reach the server; `silence_timeout_s` without a byte (a queue,
    a wake and a prompt of 1M tokens are all silent); `ending_timeout_s` without a byte once the
    server has said why it stopped; `total_timeout_s` for a whole turn, its waits included.

    `tries` in all, `backoff_s` doubled before each; a server that asks for a longer wait than
    `retry_after_limit_s` is not waited for.

    `is_baseten`: a 500 after more than `parking_s` means that the request was parked for a model
    scaled to zero (parking ends after 600 or 1200 s). The model is then woken and asked every
    `wake_poll_s`, for `wake_limit_s` at most; a replica's start may take 3000 s.

    Raises ValueError, without any value in its text, where key or headers cannot be sent.
    """

    base_url: str
    api_key: SecretStr | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    is_baseten: bool = False
    connect_timeout_s: float = 5.0
    silence_timeout_s: float = 1200.0
    ending_timeout_s: float = 5.0
    total_timeout_s: float | None = None
    tries: int = 4
    backoff_s: float = 0.5
    retry_after_limit_s: float = 120.0
    parking_s: float = 300.0
    wake_poll_s: float = 5.0
    wake_limit_s: float = 3600.0

    def __post_init__(self) -> None:
        key = self.api_key.get_secret_value() if self.api_key else ""
        if not _can_be_sent(key) or " " in key:
            raise ValueError(
                "The API key holds a character that no HTTP header can carry: copy it again, "
                "without spaces, quotes or line breaks."
            )
        check_headers(self.headers)

    @property
    def place(self) -> str:
        """Host and port, as messages name the server."""
        parts = urlsplit(self.base_url)
        host = parts.hostname or ""
        host = f"[{host}]" if ":" in host else host
        return f"{host}:{parts.port or (443 if parts.scheme == 'https' else 80)}"

    @property
    def is_loopback(self) -> bool:
        """Whether the server runs on this machine, as far as its address tells."""
        host = urlsplit(self.base_url).hostname or ""
        if host == "localhost" or host.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return False


def check_headers(headers: Mapping[str, str]) -> None:
    """Raises ValueError, without the value, where HTTP cannot carry a header."""
    for name, value in headers.items():
        if not _can_be_sent(name) or not _can_be_sent(value):
            raise ValueError(f"The header {name!r} holds a character that cannot be sent.")


def _can_be_sent(text: str) -> bool:
    return text.isascii() and text.isprintable()
