"""An OpenID provider on loopback: whoever it is told to be signs in without being asked."""

from __future__ import annotations

import secrets
import time
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlencode

from aiohttp import web
from joserfc import jwt
from joserfc.jwk import ECKey

CLIENT = "client-of-the-test"
CLIENT_SECRET = "test-secret-not-real"

_ALGORITHM = "ES256"


class Provider:
    """A provider for as long as the block runs. `person` is the name of who signs in next.

    `organisations` are those of each person; they stand in the token of the sign-in, or, with
    `tells_later`, only in what the provider answers when it is asked for the person (userinfo).
    """

    def __init__(self, person: str = "ada") -> None:
        self.person = person
        self.organisations: dict[str, list[str]] = {}
        self.tells_later = False
        self._holders: dict[str, str] = {}
        self._key = ECKey.generate_key("P-256", {"kid": "key-of-the-test"}, private=True)
        self._issued: dict[str, dict[str, Any]] = {}
        self._url = ""
        app = web.Application()
        app.add_routes(
            [
                web.get("/.well-known/openid-configuration", self._configuration),
                web.get("/authorize", self._authorize),
                web.post("/token", self._token),
                web.get("/keys", self._keys),
                web.get("/userinfo", self._user_info),
            ]
        )
        self._runner = web.AppRunner(app)

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self._url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._runner.cleanup()

    def environment(self) -> dict[str, str]:
        """What a Space that lets people sign in here would set."""
        return {
            "SYSTEM": "spaces",
            "SPACE_ID": "test/space",
            "OAUTH_CLIENT_ID": CLIENT,
            "OAUTH_CLIENT_SECRET": CLIENT_SECRET,
            "OAUTH_SCOPES": "openid profile",
            "OPENID_PROVIDER_URL": self._url,
        }

    async def _configuration(self, request: web.Request) -> web.Response:
        return web.json_response(
            {
                "issuer": self._url,
                "authorization_endpoint": f"{self._url}/authorize",
                "token_endpoint": f"{self._url}/token",
                "jwks_uri": f"{self._url}/keys",
                "userinfo_endpoint": f"{self._url}/userinfo",
                "id_token_signing_alg_values_supported": [_ALGORITHM],
            }
        )

    async def _authorize(self, request: web.Request) -> web.Response:
        asked = request.query
        code = secrets.token_urlsafe(12)
        now = int(time.time())
        self._issued[code] = {
            "iss": self._url,
            "aud": asked["client_id"],
            "nonce": asked["nonce"],
            "iat": now,
            "exp": now + 3600,
            "sub": f"id-of-{self.person}",
            "preferred_username": self.person,
        }
        if not self.tells_later:
            self._issued[code]["orgs"] = self._organisations_of(self.person)
        back = asked["redirect_uri"]
        answer = urlencode({"code": code, "state": asked["state"]})
        raise web.HTTPFound(f"{back}{'&' if '?' in back else '?'}{answer}")

    async def _token(self, request: web.Request) -> web.Response:
        claims = self._issued.pop(str((await request.post())["code"]))
        header = {"alg": _ALGORITHM, "kid": self._key.kid}
        token = f"test-access-token-not-real-{secrets.token_urlsafe(8)}"
        self._holders[token] = claims["preferred_username"]
        return web.json_response(
            {
                "access_token": token,
                "token_type": "bearer",
                "expires_in": 3600,
                "scope": "openid profile",
                "id_token": jwt.encode(header, claims, self._key, algorithms=[_ALGORITHM]),
            }
        )

    async def _user_info(self, request: web.Request) -> web.Response:
        person = self._holders[request.headers["Authorization"].removeprefix("Bearer ")]
        return web.json_response({"sub": f"id-of-{person}", "orgs": self._organisations_of(person)})

    def _organisations_of(self, person: str) -> list[dict[str, str]]:
        names = self.organisations.get(person, [])
        return [{"sub": f"id-of-{name}", "preferred_username": name} for name in names]

    async def _keys(self, request: web.Request) -> web.Response:
        return web.json_response({"keys": [self._key.as_dict(private=False)]})
