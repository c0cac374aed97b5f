"""What guards every answer of the app: the headers that browsers obey."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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

# The page itself may ask for the camera, to take a picture, and for nothing else of a device.
PERMISSIONS_POLICY = ", ".join(
    (
        "camera=(self)",
        "microphone=()",
        "display-capture=()",
        "geolocation=()",
        "midi=()",
        "payment=()",
        "serial=()",
        "usb=()",
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
                headers.setdefault("Permissions-Policy", PERMISSIONS_POLICY)
                headers.setdefault("X-Content-Type-Options", "nosniff")
                headers.setdefault("Referrer-Policy", "no-referrer")
            await send(message)

        await self._app(scope, receive, send_with_headers)
