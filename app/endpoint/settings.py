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
    Authorization header is sent at all. `headers` go with every request. `model` is the name under
    which the server knows it. `status_url`, of Baseten's management API, tells the status of the
    deployment; it is set where the server is Baseten's, and only there.

    Seconds: `connect_timeout_s` to reach the server; `silence_timeout_s` without a byte (a queue,
    a wake and a prompt of 1M tokens are all silent); `ending_timeout_s` without a byte once the
    server has said why it stopped; `total_timeout_s` for a whole turn, its waits included.

    `tries` in all, `backoff_s` doubled before each; a server that asks for a longer wait than
    `retry_after_limit_s` is not waited for.

    A body of more than `max_request_bytes` is not sent.

    `state_s` and, for a server that wakes, `state_waking_s`: how old a state may be that is told
    again; `state_timeout_s` for each small request, such as a look at the state or a count.

    On Baseten a model that is scaled to zero is woken before it is asked, since the request would
    be parked. Its status is asked for every `wake_poll_s`, and less and less often, up to
    `wake_poll_limit_s`, until it is ready, for `wake_limit_s` at most. A 500 after more than
    `parking_s` means that a request was parked all the same (parking ends after 600 or 1200 s).

    Raises ValueError, without any value in its text, where key or headers cannot be sent.
    """

    base_url: str
    api_key: SecretStr | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    model: str = ""
    status_url: str = ""
    connect_timeout_s: float = 5.0
    silence_timeout_s: float = 1200.0
    ending_timeout_s: float = 5.0
    total_timeout_s: float | None = None
    tries: int = 4
    backoff_s: float = 0.5
    retry_after_limit_s: float = 120.0
    max_request_bytes: int = 100_000_000
    state_s: float = 10.0
    state_waking_s: float = 2.0
    state_timeout_s: float = 3.0
    parking_s: float = 300.0
    wake_poll_s: float = 2.0
    wake_poll_limit_s: float = 5.0
    wake_limit_s: float = 1500.0

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
    def is_baseten(self) -> bool:
        """Whether the server is Baseten's, and may sleep."""
        return bool(self.status_url)

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
