"""What must not happen on a page while a test looks elsewhere."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from playwright.async_api import ConsoleMessage, Dialog, Page, Request

_INSIDE = ("data", "blob")
_LEFT = "net::ERR_ABORTED"
"""The page hung up itself: it was left, or a run was listened to no more."""


class Watch:
    """Collects console errors, page errors, failed requests, and requests to another host."""

    def __init__(self, app_url: str) -> None:
        self._host = urlsplit(app_url).netloc
        self._seen: list[str] = []
        self._expected: list[re.Pattern[str]] = []

    def over(self, page: Page) -> None:
        """Watches a page from now on."""
        page.on("console", self._console)
        page.on("pageerror", lambda error: self._seen.append(f"page error: {error}"))
        page.on("requestfailed", self._failed)
        page.on("request", self._request)
        page.on("dialog", self._dialog)

    def expect(self, pattern: str) -> None:
        """This goes wrong on purpose: what matches the pattern fails nothing."""
        self._expected.append(re.compile(pattern))

    def check(self) -> None:
        """Fails where anything was seen that was not expected."""
        wrong = [
            seen for seen in self._seen if not any(each.search(seen) for each in self._expected)
        ]
        assert not wrong, "The page was not clean:\n" + "\n".join(wrong)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._seen.append(f"console: {message.text} ({message.location.get('url', '')})")

    async def _dialog(self, dialog: Dialog) -> None:
        self._seen.append(f"dialog: {dialog.message}")
        await dialog.dismiss()

    def _failed(self, request: Request) -> None:
        if request.failure != _LEFT:
            self._seen.append(f"request failed: {request.url} ({request.failure})")

    def _request(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme not in _INSIDE and address.netloc != self._host:
            self._seen.append(f"request to another host: {request.url}")
