"""What went wrong with one try, in the words of a turn: exceptions and error bodies to `Failed`.

The SDK's exceptions hide the transport's: aiohttp's stand behind httpx2's behind its own, and
the mapping between them is coarse (a refused connection arrives as a timeout). So the chain of
causes is asked, not the exception that arrived.
"""

from __future__ import annotations

import html
import json
import os
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
"""All that a request, and the reading of its answer, may raise: whichever layer it comes from."""

_PAGE_TITLE: Final = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)


class TryFailedError(Exception):
    """One try brought no answer, or broke off. It never leaves this package.

    `retryable`: the same request may succeed a little later. `retry_after`: when, in the
    server's own words, as they stand in its header. `body` is what came with an HTTP error.
    """

    def __init__(
        self,
        failure: Failed,
        *,
        retryable: bool = False,
        retry_after: str | None = None,
        body: bytes = b"",
    ) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.retryable = retryable
        self.retry_after = retry_after
        self.body = body


def too_large(size: int, most: int) -> Failed:
    """The failure of a request that is not sent; both in bytes."""
    message = (
        f"The request takes {size / 1e6:,.1f} MB, and at most {most / 1e6:,.1f} MB can be sent."
    )
    return Failed("too_large", None, message)


def request_id_of(headers: Mapping[str, str]) -> str | None:
    """The id under which the server, or Baseten before it, logs the request."""
    return headers.get("x-request-id") or headers.get("x-baseten-request-id")


def failed_to_open(error: BaseException, settings: EndpointSettings) -> TryFailedError:
    """Why a request brought no 200: an HTTP error, or no connection to speak of."""
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, openai.APIStatusError):
            return _status_error(cause.response, cause.response.content)
        if isinstance(cause, httpx2.HTTPStatusError):
            # The connection broke before the body of the error had come.
            return _status_error(cause.response, b"")
    for cause in causes:
        known = _known_to_open(cause, settings)
        if known is not None:
            return known
    return _unreachable(f"{settings.place} closed the connection before it answered.")


def failed_to_read(error: BaseException, settings: EndpointSettings) -> TryFailedError:
    """Why an answer broke off after its 200."""
    for cause in _causes(error):
        if isinstance(cause, TimeoutError):
            return TryFailedError(_silence(settings))
        if isinstance(cause, httpx2.DecodingError):
            message = "The server's answer is compressed in a way that cannot be undone."
            return TryFailedError(Failed("server_error", None, message))
    message = f"The connection to {settings.place} broke in the middle of the answer."
    return TryFailedError(Failed("cut_short", None, message), retryable=True)


def _known_to_open(cause: BaseException, settings: EndpointSettings) -> TryFailedError | None:
    place = settings.place
    match cause:
        case aiohttp.ClientProxyConnectionError() | aiohttp.ClientHttpProxyError():
            return _unreachable(f"The proxy gives no connection to {place}.")
        case aiohttp.ConnectionTimeoutError():
            return _unreachable(f"No connection to {place} in {settings.connect_timeout_s:g} s.")
        case aiohttp.ClientConnectorDNSError() | socket.gaierror():
            return _unreachable(f"No address is known for {place}.")
        case aiohttp.ClientSSLError() | ssl.SSLError():
            reason = getattr(getattr(cause, "os_error", cause), "reason", None) or "TLS failed"
            return _unreachable(f"No safe connection to {place}: {reason}.", retryable=False)
        case aiohttp.ClientConnectorError():
            number = cause.os_error.errno
            reason = os.strerror(number).lower() if number else "it failed"
            return _unreachable(f"No connection to {place}: {reason}.")
        case TimeoutError():
            return TryFailedError(_silence(settings))
        case aiohttp.ClientResponseError():
            message = f"What answers at {place} does not speak HTTP."
            return TryFailedError(Failed("server_error", None, message))
    return None


def _unreachable(message: str, *, retryable: bool = True) -> TryFailedError:
    return TryFailedError(Failed("unreachable", None, message), retryable=retryable)


def _silence(settings: EndpointSettings) -> Failed:
    message = f"No byte came from {settings.place} for {settings.silence_timeout_s:g} s."
    return Failed("timed_out", None, message)


def _status_error(response: httpx2.Response, content: bytes) -> TryFailedError:
    status = response.status_code
    message, request_id = _read_error_body(content, status)
    if not message:
        message = f"{response.reason_phrase or 'It'} (the server gave no reason)."
    location = response.headers.get("location")
    if location and response.is_redirect:
        message = f"The server moved to {location}: set its new address as the base URL."
    return TryFailedError(
        Failed("server_error", status, message, request_id_of(response.headers) or request_id),
        retryable=status == httpx2.codes.TOO_MANY_REQUESTS or status >= 500,
        retry_after=response.headers.get("retry-after"),
        body=content,
    )


def _read_error_body(content: bytes, status: int) -> tuple[str, str | None]:
    """The server's own message, whole, and the request's id where the body names it.

    Shapes: those of `read_error`, a bare `{"message"}`, Baseten's `{"error", "detail"}`, a JSON
    string, an HTML page (its title), text.
    """
    try:
        body = decode_json(content)
    except UnreadableError:
        return _text_of(content), None
    if isinstance(body, str):
        return body, None
    if not isinstance(body, Mapping):
        return _text_of(content), None
    error = body.get("error")
    inner = error if isinstance(error, Mapping) else {}
    request_id = body.get("request_id") or inner.get("request_id")
    return _message_of(body, status), request_id if isinstance(request_id, str) else None


def _message_of(body: Mapping[str, Any], status: int) -> str:
    stated = read_error(body, status)
    if stated is None:
        message = body.get("message")
        return message if isinstance(message, str) and message else _compact(body)
    detail = body.get("detail")
    if detail and isinstance(body.get("error"), str):
        return f"{stated.message}: {detail if isinstance(detail, str) else _compact(detail)}"
    return stated.message


def _text_of(content: bytes) -> str:
    text = content.decode("utf-8", "replace").strip()
    if not text.startswith("<"):
        return text
    title = _PAGE_TITLE.search(text)
    words = " ".join(html.unescape(title[1]).split()) if title else ""
    named = f" titled “{words}”" if words else ""
    return f"The server sent a page{named}, not a message."


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The exception, then those that it was raised from or while handling, the nearest first."""
    found = [error]
    for current in found:
        yield current
        behind = (current.__cause__, current.__context__)
        found += [cause for cause in behind if cause is not None and cause not in found]
