"""Requests to a server and its answers as they are on the wire, nothing mended or retried."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import httpx2
from pydantic import BaseModel, ValidationError

from app.endpoint import EndpointSettings
from app.endpoint.sse import EventDecoder
from deploy.bodies import BodyTooLargeError, pieces_of, whole_of
from deploy.verify.outcomes import DifferenceError

_Shape = TypeVar("_Shape", bound=BaseModel)

_QUOTED: Final = 300
"""Characters of an answer that a sentence quotes."""

_KEEP_ALIVE_S: Final = 2.0
"""Well under the 5 s after which vLLM closes an idle connection, and loses what is just sent."""

DONE: Final = "[DONE]"
"""The last event of a stream."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer that came whole."""

    status: int
    text: str

    def read(self, shape: type[_Shape], status: int = 200) -> _Shape:
        """The answer's value. Raises DifferenceError for another status or another shape."""
        if self.status != status:
            raise DifferenceError(f"HTTP {self.status}: {quoted(self.text)}")
        return read_json(self.text, shape)


class Stream:
    """An answer that is still coming, as the data of its events."""

    def __init__(self, response: httpx2.Response) -> None:
        self._response = response

    @property
    def content_type(self) -> str:
        """As the server declares it."""
        return str(self._response.headers.get("content-type", ""))

    async def events(self) -> AsyncIterator[str]:
        """The data of each event, the last one included; comments and other fields are left out.

        Raises DifferenceError where all of it is larger than any answer that is asked for.
        """
        decoder = EventDecoder()
        try:
            async for piece in pieces_of(self._response):
                for data in decoder.decode(piece):
                    yield data.decode("utf-8", "replace")
        except BodyTooLargeError as error:
            raise DifferenceError(str(error)) from None
        for data in decoder.flush():
            yield data.decode("utf-8", "replace")


class Wire:
    """A server to ask.

    Raises httpx2.HTTPError where there is no answer, DifferenceError where it is far too large.
    """

    def __init__(self, settings: EndpointSettings) -> None:
        key = settings.api_key.get_secret_value() if settings.api_key else ""
        self._base_url = settings.base_url
        self._key_headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._client = httpx2.AsyncClient(
            headers={**settings.headers, "User-Agent": "glm-playground"},
            timeout=httpx2.Timeout(None, connect=settings.connect_timeout_s),
            limits=httpx2.Limits(max_connections=None, keepalive_expiry=_KEEP_ALIVE_S),
            # A key must not follow a redirect, and loopback is not reached through a proxy.
            follow_redirects=False,
            trust_env=not settings.is_loopback,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._client.aclose()

    async def get(self, path: str, *, with_key: bool = True) -> Reply:
        """What a path under `/v1` answers."""
        headers = self._key_headers if with_key else {}
        return await self._reply("GET", f"{self._base_url}{path}", headers)

    async def get_beside(self, path: str) -> Reply:
        """What a path beside `/v1` answers."""
        return await self._reply("GET", self._beside(path), self._key_headers)

    async def post_beside(self, path: str, body: Mapping[str, Any]) -> Reply:
        """What a path beside `/v1` answers to a JSON body."""
        return await self._reply("POST", self._beside(path), self._key_headers, json=body)

    async def chat(self, body: Mapping[str, Any]) -> Reply:
        """The whole answer to a chat-completions request."""
        return await self._reply("POST", self._chat_url, self._key_headers, json=body)

    async def chat_text(self, text: str) -> Reply:
        """The whole answer to a body that need not be JSON, though it says so."""
        headers = {**self._key_headers, "Content-Type": "application/json"}
        return await self._reply("POST", self._chat_url, headers, content=text)

    @asynccontextmanager
    async def stream(self, body: Mapping[str, Any]) -> AsyncGenerator[Stream]:
        """A streamed answer; leaving the block hangs up. Raises DifferenceError but for a 200."""
        streamed = self._client.stream("POST", self._chat_url, json=body, headers=self._key_headers)
        async with streamed as response:
            if response.status_code != httpx2.codes.OK:
                reply = await _reply(response)
                raise DifferenceError(f"HTTP {reply.status}: {quoted(reply.text)}")
            yield Stream(response)

    async def _reply(self, method: str, url: str, headers: Mapping[str, str], **body: Any) -> Reply:
        async with self._client.stream(method, url, headers=headers, **body) as response:
            return await _reply(response)

    @property
    def _chat_url(self) -> str:
        return f"{self._base_url}/chat/completions"

    def _beside(self, path: str) -> str:
        return f"{self._base_url.removesuffix('/v1')}{path}"


def read_json(text: str, shape: type[_Shape]) -> _Shape:
    """The value that a text states. Raises DifferenceError for another shape."""
    try:
        return shape.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "the answer"
        raise DifferenceError(f"{place}: {first['msg']}, in {quoted(text)}") from None


def quoted(text: str) -> str:
    """The beginning of an answer, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= _QUOTED else f"{line[:_QUOTED]}…"


async def _reply(response: httpx2.Response) -> Reply:
    try:
        body = await whole_of(response)
    except BodyTooLargeError as error:
        raise DifferenceError(f"HTTP {response.status_code}: {error}") from None
    return Reply(response.status_code, body.decode("utf-8", "replace"))
