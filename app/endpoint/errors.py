"""What went wrong, in the words of a turn: exceptions and error bodies to `Failed`.

The SDK's exceptions hide the transport's: aiohttp's stand behind httpx2's behind its own, and
the mapping between them is coarse (a refused connection arrives as a timeout). The innermost
one that is known decides.
"""

from __future__ import annotations

import html
import json
import re
import socket
import ssl
from collections.abc import Iterator, Mapping
from typing import Any, Final

import aiohttp
import httpx2
import openai

from app.chat.events import Failed
from app.chat.stream import read_error
from app.endpoint.settings import EndpointSettings
from app.endpoint.wire_json import UnreadableError, decode_json

TRANSPORT_ERRORS: Final = (
    openai.OpenAIError,
    httpx2.HTTPError,
    httpx2.InvalidURL,
    httpx2.StreamError,
    aiohttp.ClientError,
    OSError,
    TimeoutError,
)
"""All that a request and the reading of its body may raise, whatever layer it comes from."""

_PAGE_TITLE: Final = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)


class TryFailedError(Exception):
    """One try brought no answer, or broke off. Never leaves the package.

    `retryable`: the same request may succeed a little later. `retry_after` is the server's own
    word for when, as it stands in the header.
    """

    def __init__(
        self, failure: Failed, *, retryable: bool = False, retry_after: str | None = None
    ) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.retryable = retryable
        self.retry_after = retry_after


def failed_to_open(error: BaseException, settings: EndpointSettings) -> TryFailedError:
    """Why a request brought no 200: an HTTP error, or no connection."""
    for cause in _causes(error):
        if isinstance(cause, openai.APIStatusError):
            return _status_error(cause.response, cause.response.content)
        if isinstance(cause, httpx2.HTTPStatusError):
            # The connection broke before the body of the error was there.
            return _status_error(cause.response, b"")
    place = settings.place
    for cause in _causes(error):
        match cause:
            case aiohttp.ConnectionTimeoutError():
                seconds = f"{settings.connect_timeout_s:g} s"
                return _unreachable(f"No connection to {place} within {seconds}.")
            case aiohttp.ServerTimeoutError() | httpx2.ReadTimeout() | httpx2.WriteTimeout():
                return silent(settings)
            case aiohttp.ClientConnectorDNSError() | socket.gaierror():
                return _unreachable(f"The address of {place} could not be found.")
            case aiohttp.ClientSSLError() | ssl.SSLError():
                return _unreachable(
                    f"No safe connection to {place}: {_reason(cause)}.", retryable=False
                )
            case aiohttp.ClientConnectorError():
                return _unreachable(f"No connection to {place}: {_reason(cause)}.")
            case aiohttp.ClientResponseError():
                message = f"What {place} answered is not HTTP: {cause.message.splitlines()[0]}"
                return TryFailedError(Failed("server_error", None, message))
            case httpx2.ProxyError():
                return _unreachable(f"The proxy gave no connection to {place}.")
    return _unreachable(f"The connection to {place} broke before an answer came.")
