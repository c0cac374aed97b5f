"""The connection to one model server: the SDK's client, and the requests made through it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

import httpx2
import openai

from app.endpoint.errors import TRANSPORT_ERRORS, failed_to_open
from app.endpoint.settings import EndpointSettings

_Headers = dict[str, str | openai.Omit]

_MAX_CONNECTIONS: Final = 1000
_KEEP_ALIVE_S: Final = 2.0
"""Well under the 5 s after which uvicorn, and so vLLM, closes an idle connection: a request sent
into one that is just closing is lost."""


class _Client(openai.AsyncOpenAI):
    """The SDK's client, less what it would add by itself.

    OPENAI_ORG_ID, OPENAI_PROJECT_ID and OPENAI_CUSTOM_HEADERS are for another server than ours
    may be, and nobody needs to know this machine's platform.
    """

    @property
    def default_headers(self) -> _Headers:
        # Compressed, the events of a stream would cost time on both sides, and may be held back.
        return {
            "Accept": "text/event-stream, application/json",
            "Accept-Encoding": "identity",
            "Content-Type": "application/json",
            "User-Agent": "glm-playground",
        }


class Connection:
    """Makes requests with the server's key and headers. Each raises TryFailedError."""

    def __init__(self, settings: EndpointSettings) -> None:
        self._settings = settings
        self._base_url = settings.base_url.strip().rstrip("/")
        key = settings.api_key.get_secret_value() if settings.api_key else ""
        # The SDK insists on a key. To omit the header is its way to send none all the same.
        no_key: _Headers = {} if key else {"Authorization": openai.Omit()}
        self._headers: _Headers = {**no_key, **settings.headers}
        self._client = _Client(
            base_url=self._base_url,
            api_key=key or "none",
            max_retries=0,
            timeout=self._timeout(settings.silence_timeout_s),
            http_client=openai.DefaultAioHttpClient(
                # A key must not follow a redirect, and loopback is not reached through a proxy.
                follow_redirects=False,
                trust_env=not settings.is_loopback,
                limits=httpx2.Limits(
                    max_connections=_MAX_CONNECTIONS, keepalive_expiry=_KEEP_ALIVE_S
                ),
            ),
        )

    async def close(self) -> None:
        """Ends all connections, those in use too."""
        await self._client.close()

    async def complete(self, body: bytes, headers: Mapping[str, str]) -> httpx2.Response:
        """The response to a chat-completions request: a 200 whose body is still to come.

        It must be closed, which closes the socket where the body was not read to its end.
        """
        try:
            response: object = await self._client.post(
                "/chat/completions",
                cast_to=httpx2.Response,
                content=body,
                options={"headers": {**self._headers, **headers}},
                stream=True,
                stream_cls=openai.AsyncStream[object],
            )
        except (*TRANSPORT_ERRORS, UnicodeError) as error:
            raise failed_to_open(error, self._settings) from None
        # Asked for the transport's own response, the SDK gives it, whatever its types say.
        return cast("httpx2.Response", response)

    async def wake(self) -> None:
        """Tells Baseten to start a replica; it answers at once.

        Source: Baseten's `wake` route, which stands beside `sync/v1`.
        """
        await self._brief("POST", f"{self._base_url.removesuffix('/sync/v1')}/wake")

    async def check_ready(self) -> None:
        """Returns where the model server answers; else raises TryFailedError."""
        await self._brief("GET", "/models")

    async def _brief(self, method: str, url: str) -> None:
        request = self._client.post if method == "POST" else self._client.get
        timeout = self._timeout(self._settings.wake_poll_s)
        try:
            await request(
                url,
                cast_to=httpx2.Response,
                options={"headers": self._headers, "timeout": timeout},
            )
        except TRANSPORT_ERRORS as error:
            raise failed_to_open(error, self._settings) from None

    def _timeout(self, silence_s: float) -> httpx2.Timeout:
        # aiohttp's limit for a connection from the pool (`pool` here) is the one that counts
        # looking up the address and the TLS handshake as well.
        connect_s = self._settings.connect_timeout_s
        return httpx2.Timeout(silence_s, connect=connect_s, pool=connect_s)
