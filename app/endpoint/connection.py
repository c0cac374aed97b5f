"""The connection to one model server: the SDK's client, and the requests made through it."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Mapping
from dataclasses import replace
from functools import cache
from typing import Final, cast

import httpx2
import openai

from app.chat.events import Failed
from app.endpoint.errors import TRANSPORT_ERRORS, TryFailedError, failed_to_open
from app.endpoint.settings import EndpointSettings, check_headers
from app.endpoint.sse import MAX_EVENT_BYTES

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
            timeout=_timeout(settings.connect_timeout_s),
            http_client=openai.DefaultAioHttpClient(
                # A key must not follow a redirect, and loopback is not reached through a proxy.
                follow_redirects=False,
                trust_env=not settings.is_loopback,
                verify=_tls(),
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
            check_headers(headers)
        except ValueError as error:
            raise TryFailedError(Failed("server_error", None, str(error))) from None
        try:
            async with asyncio.timeout(self._settings.silence_timeout_s):
                response: object = await self._client.post(
                    "/chat/completions",
                    cast_to=httpx2.Response,
                    content=body,
                    options={"headers": {**self._headers, **headers}},
                    stream=True,
                    stream_cls=openai.AsyncStream[object],
                )
        except TRANSPORT_ERRORS as error:
            raise failed_to_open(error, self._settings) from None
        # Asked for the transport's own response, the SDK gives it, whatever its types say.
        return cast("httpx2.Response", response)

    async def wake(self) -> None:
        """Tells Baseten to start a replica; it answers at once.

        Source: Baseten's `wake` route, which stands beside `sync/v1`.
        """
        await self._post(f"{self._base_url.removesuffix('/sync/v1')}/wake")

    async def deployment(self) -> bytes:
        """What Baseten's management API says about the deployment."""
        return await self._get(self._settings.status_url)

    async def models(self) -> bytes:
        """The list of models that the server has."""
        return await self._get(f"{self._base_url}/models")

    async def tokenize(self, body: bytes) -> bytes:
        """What the server's tokenizer says. Source: vLLM's route, beside `/v1`."""
        return await self._post(f"{self._base_url.removesuffix('/v1')}/tokenize", body)

    async def _get(self, url: str) -> bytes:
        request = self._client.get(
            url,
            cast_to=httpx2.Response,
            options={"headers": self._headers},
            stream=True,
            stream_cls=openai.AsyncStream[object],
        )
        return await self._brief(request, url)

    async def _post(self, url: str, body: bytes | None = None) -> bytes:
        request = self._client.post(
            url,
            cast_to=httpx2.Response,
            content=body,
            options={"headers": self._headers},
            stream=True,
            stream_cls=openai.AsyncStream[object],
        )
        return await self._brief(request, url)

    async def _brief(self, request: Awaitable[object], url: str) -> bytes:
        """The body of an answer that is small and comes soon; what is larger is cut off."""
        settings = self._settings
        try:
            async with asyncio.timeout(settings.state_timeout_s):
                return await _start_of(cast("httpx2.Response", await request))
        except TRANSPORT_ERRORS as error:
            asked = replace(settings, base_url=url, silence_timeout_s=settings.state_timeout_s)
            raise failed_to_open(error, asked) from None


async def _start_of(response: httpx2.Response) -> bytes:
    """All of a body, unless it is larger than any answer that is small."""
    parts: list[bytes] = []
    size = 0
    try:
        async for part in response.aiter_bytes():
            parts.append(part)
            size += len(part)
            if size > MAX_EVENT_BYTES:
                break
    finally:
        await response.aclose()
    return b"".join(parts)


@cache
def _tls() -> ssl.SSLContext:
    """The certificates to trust, read once: they take a twentieth of a second."""
    return httpx2.create_ssl_context()


def _timeout(connect_s: float) -> httpx2.Timeout:
    """Limits for connecting alone.

    Silence is measured here and in `Deadline`: aiohttp's own limit does not cover an upload that
    is not taken, and is lost for good once a chunk of a body cannot be read (3.14). Its limit for
    a connection from the pool is the one that counts the address's look-up and TLS as well.
    """
    return httpx2.Timeout(None, connect=connect_s, pool=connect_s)
