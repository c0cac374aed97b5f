"""What guards every answer and request of the app: headers for browsers, limits on bodies."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.turns.errors import Refusal

# Gradio's page needs inline scripts and eval; pictures and clips come from here alone, and
# frames are allowed since a Space shows the app in one.
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "media-src 'self' blob:",
        "font-src 'self' data:",
        "connect-src 'self' data: blob:",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "frame-ancestors *",
    )
)


class SecurityHeaders:
    """Adds the headers that keep a browser from loading or leaking what it should not."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on; sets the headers where the answer has none of its own."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)
                headers.setdefault("X-Content-Type-Options", "nosniff")
                headers.setdefault("Referrer-Policy", "no-referrer")
            await send(message)

        await self._app(scope, receive, send_with_headers)


class BodyTooLarge(Refusal):
    """A body over its limit."""

    def __init__(self, limit: int) -> None:
        super().__init__(
            413,
            "too_large",
            f"That is more than the {limit / 1_000_000:.0f} MB that can be taken.",
            "Send less: a smaller picture or clip, or a shorter text.",
        )


class BodyLimit:
    """Refuses bodies over a limit in bytes, by the first prefix of the path that fits."""

    def __init__(self, app: ASGIApp, limits: Mapping[str, int]) -> None:
        self._app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on, counting its body where its length is not told."""
        limit = self._limit(scope)
        if limit is None:
            await self._app(scope, receive, send)
            return
        told = MutableHeaders(scope=scope).get("content-length", "")
        if told.isdigit() and int(told) > limit:
            await BodyTooLarge(limit).response()(scope, receive, send)
            return
        counted = 0

        async def receive_counted() -> Message:
            nonlocal counted
            message = await receive()
            counted += len(message.get("body", b""))
            if counted > limit:
                raise BodyTooLarge(limit)
            return message

        await self._app(scope, receive_counted, send)

    def _limit(self, scope: Scope) -> int | None:
        if scope["type"] != "http":
            return None
        path = scope["path"]
        return next((n for prefix, n in self._limits.items() if path.startswith(prefix)), None)
