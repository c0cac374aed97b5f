"""The door of a playground that is not for everybody: each request passes it, whatever answers.

Gradio's own sign-in guards Gradio's routes alone, or none at all. Here a request without somebody
who may come in reaches no route: not the app's, not Gradio's, not MCP's, no file, no stream.
"""

from __future__ import annotations

import hashlib
import logging
import os
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import aiohttp
from gradio.routes import App as GradioApp
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from app.turns.account import LET_IN, User, organisations_of, user_of_session
from app.turns.errors import Refusal
from app.turns.visitors import RateLimit, visitor_address
from app.ui.locked import locked_page

logger = logging.getLogger(__name__)

SignIn = Literal["hugging_face", "password"]

_ATTEMPTS_PER_MINUTE: Final = 10
_ASK_TIMEOUT: Final = aiohttp.ClientTimeout(total=10)
_ASK_AGAIN_S: Final = 600.0
_MOST_REMEMBERED: Final = 1000

_OPEN: Final[Mapping[SignIn, frozenset[tuple[str, str]]]] = {
    "hugging_face": frozenset(
        {("GET", "/login/huggingface"), ("GET", "/login/callback"), ("GET", "/logout")}
    ),
    "password": frozenset({("POST", "/login"), ("GET", "/logout")}),
}
"""What brings people in and out, by method and path; beside it the page's own files are open."""

_NOT_SIGNED_IN: Final = Refusal(
    401,
    "sign_in_required",
    "This playground is for people who have signed in.",
    "Reload the page to sign in.",
)
_CANNOT_ASK: Final = Refusal(
    503,
    "sign_in_unavailable",
    "Hugging Face cannot be asked for your organisations just now.",
    "Try again in a moment.",
)


@dataclass(frozen=True, slots=True)
class Guests:
    """Who may come in, by names in small letters; with neither set, everybody who signs in."""

    users: frozenset[str] = frozenset()
    organisations: frozenset[str] = frozenset()

    @classmethod
    def of(cls, users: str, organisations: str) -> Guests:
        """Those of two texts of names with spaces between."""
        return cls(frozenset(users.casefold().split()), frozenset(organisations.casefold().split()))

    @property
    def everybody(self) -> bool:
        """Whether it is enough to have signed in."""
        return not (self.users or self.organisations)


class PasswordSessions:
    """Who has signed in by name and password, as the mounted Gradio app knows it."""

    def __init__(self) -> None:
        self.app: GradioApp | None = None

    def user(self, request: Request) -> User | None:
        """Whom Gradio's own cookie names, as Gradio reads it (`get_current_user`)."""
        if self.app is None:
            return None
        name = f"{self.app.cookie_id}"
        token = request.cookies.get(f"access-token-{name}") or request.cookies.get(
            f"access-token-unsecure-{name}"
        )
        known = self.app.tokens.get(token)
        return User(f"password:{known}", known) if isinstance(known, str) else None


class Door:
    """Middleware: lets in who may come in, shows everybody else the locked page or a refusal."""

    def __init__(
        self, app: ASGIApp, *, sign_in: SignIn, guests: Guests, passwords: PasswordSessions
    ) -> None:
        self._app = app
        self._sign_in = sign_in
        self._guests = guests
        self._passwords = passwords
        self._memberships = _Memberships()
        self._attempts = RateLimit(_ATTEMPTS_PER_MINUTE, "attempts to sign in")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on where it may pass."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # nothing of the page's speaks over a socket
            await send({"type": "websocket.close", "code": 1008})
            return
        request = Request(scope)
        try:
            if self._is_open(request):
                await self._app(scope, receive, send)
                return
            user = self._user(request)
            if user is None:
                raise _NOT_SIGNED_IN
            await self._check(user, request)
        except Refusal as refusal:
            await self._refuse(refusal, request)(scope, receive, send)
            return
        await self._app({**scope, LET_IN: user}, receive, send)

    def _is_open(self, request: Request) -> bool:
        """Raises Refusal 429 where somebody tries names and passwords."""
        method = "GET" if request.method == "HEAD" else request.method
        path = request.scope["path"]
        if path.startswith("/own/"):
            return method == "GET"
        if (method, path) not in _OPEN[self._sign_in]:
            return False
        if method == "POST":
            self._attempts.take(visitor_address(request))
        return True

    def _user(self, request: Request) -> User | None:
        if self._sign_in == "password":
            return self._passwords.user(request)
        return user_of_session(request.scope.get("session"))

    async def _check(self, user: User, request: Request) -> None:
        """Raises Refusal 403 where the user may not come in, 503 where that cannot be known."""
        guests = self._guests
        if guests.everybody or user.name.casefold() in guests.users:
            return
        if guests.organisations:
            organisations = user.organisations or await self._memberships.of(request)
            if guests.organisations & organisations:
                return
        raise Refusal(
            403,
            "not_invited",
            f"{user.name} has signed in, but is not among those whom the owner lets in.",
            "Sign out, and sign in as somebody else; or ask the owner.",
            values={"name": user.name},
        )

    def _refuse(self, refusal: Refusal, request: Request) -> ASGIApp:
        """A page for who looks at one, else the refusal as every route words it."""
        wants_page = "text/html" in request.headers.get("accept", "")
        if request.method not in ("GET", "HEAD") or not wants_page:
            return refusal.response()
        # Whoever watches over a Space asks for its first page, and takes an error for a broken one.
        is_first = request.scope["path"] == "/" and refusal.status == 401
        html = locked_page(self._sign_in, request.scope["path"], refusal=refusal)
        headers = {"Cache-Control": "no-store"}
        return HTMLResponse(html, 200 if is_first else refusal.status, headers)


class _Memberships:
    """Organisations of people whose sign-in did not tell them: asked for, remembered a while."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[float, frozenset[str]]] = OrderedDict()

    async def of(self, request: Request) -> frozenset[str]:
        """Those of the person of the session. Raises Refusal 503 where they cannot be had."""
        token = (request.scope.get("session") or {}).get("oauth_info", {}).get("access_token")
        if not isinstance(token, str):
            return frozenset()
        name = hashlib.sha256(token.encode()).hexdigest()
        until, organisations = self._known.get(name, (0.0, frozenset[str]()))
        if until < time.monotonic():
            try:
                organisations = organisations_of(await _user_info(token))
            except (aiohttp.ClientError, TimeoutError, ValueError):
                logger.exception("The provider of the sign-in tells no user info")
                raise _CANNOT_ASK from None
            self._known[name] = (time.monotonic() + _ASK_AGAIN_S, organisations)
            while len(self._known) > _MOST_REMEMBERED:
                self._known.popitem(last=False)
        return organisations


async def _user_info(token: str) -> Mapping[str, Any]:
    """What the provider tells of whom a token is of.

    Source: OpenID Connect Core 1.0, 5.3; the provider is the one that Gradio's sign-in asks.
    """
    provider = os.environ.get("OPENID_PROVIDER_URL", "")
    async with aiohttp.ClientSession(timeout=_ASK_TIMEOUT, raise_for_status=True) as session:
        async with session.get(f"{provider}/.well-known/openid-configuration") as response:
            address = (await response.json()).get("userinfo_endpoint")
        if not isinstance(address, str):
            return {}
        headers = {"Authorization": f"Bearer {token}"}
        async with session.get(address, headers=headers, allow_redirects=False) as response:
            info = await response.json()
    return info if isinstance(info, Mapping) else {}
