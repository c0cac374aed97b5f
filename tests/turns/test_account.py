"""Signing in as on a Space: the real app in a process of its own, a provider on loopback."""

from __future__ import annotations

import base64
import hashlib
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import aiohttp
import pytest
import pytest_asyncio
from itsdangerous import TimestampSigner
from yarl import URL

from tests.browser.process import running_app
from tests.openid import CLIENT_SECRET, Provider
from tests.site import CHAT, Client

pytestmark = pytest.mark.asyncio(loop_scope="module")


@dataclass(frozen=True, slots=True)
class Space:
    """The app as a Space runs it, and where people sign in to it."""

    base: str
    provider: Provider


class Browser:
    """A browser with its cookies, and the token that its page sends."""

    def __init__(self, space: Space) -> None:
        self.base = space.base
        # The cookie is for https alone; loopback counts as that, as in real browsers.
        jar = aiohttp.CookieJar(unsafe=True, treat_as_secure_origin=URL(space.base))
        self._session = aiohttp.ClientSession(cookie_jar=jar)
        self._provider = space.provider
        self.page = Client(self._session, space.base)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()

    async def sign_in(self, person: str) -> None:
        self._provider.person = person
        async with self._session.get(f"{self.base}/login/huggingface") as landed:
            assert landed.status == 200
            assert str(landed.url).startswith(self.base)

    async def sign_out(self) -> None:
        async with self._session.get(f"{self.base}/logout") as landed:
            assert landed.status == 200

    def give_cookie(self, value: str) -> None:
        self._session.cookie_jar.update_cookies({"session": value}, URL(self.base))

    async def get(self, path: str) -> Any:
        status, answer = await self.page.call("GET", path)
        assert status == 200, answer
        return answer

    async def status_without_token(self, path: str) -> int:
        async with self._session.get(self.base + path) as response:
            return response.status

    async def name(self) -> str | None:
        account = await self.get("/api/account")
        assert account["can_sign_in"] is True
        name: str | None = account["name"]
        return name

    async def titles(self) -> list[str]:
        return [chat["title"] for chat in (await self.get("/api/chats"))["chats"]]

    async def ask(self, text: str) -> None:
        started = await self.page.start(text)
        await self.page.finish(started["run"])

    async def adopt(self) -> None:
        status, _ = await self.page.call("POST", "/api/account/adopt")
        assert status == 204


OpenBrowser: TypeAlias = Callable[[], Awaitable[Browser]]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def space(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Space]:
    async with Provider() as provider:
        folder = tmp_path_factory.mktemp("space")
        environment = {**provider.environment(), "GLM_SIMULATOR_TOKENS_PER_SECOND": "5000"}
        with running_app(folder, **environment) as url:
            yield Space(url.rstrip("/"), provider)


@pytest_asyncio.fixture(loop_scope="module")
async def open_browser(space: Space) -> AsyncIterator[OpenBrowser]:
    """Opens a browser that nobody has used yet."""
    async with AsyncExitStack() as opened:

        async def open_one() -> Browser:
            return await opened.enter_async_context(Browser(space))

        yield open_one


def cookie(person: str, *, expires_at: float, secret: str = CLIENT_SECRET) -> str:
    """A session as the app would sign it with this secret (gradio.oauth, Starlette's sessions)."""
    info = {
        "expires_at": expires_at,
        "userinfo": {"sub": f"id-of-{person}", "preferred_username": person},
    }
    content = base64.b64encode(json.dumps({"oauth_info": info}).encode())
    key = hashlib.sha256(f"{secret}-v4".encode()).hexdigest()
    return TimestampSigner(key).sign(content).decode()


async def test_who_signs_in_has_a_list_of_their_own_and_the_browsers_chats_on_request(
    open_browser: OpenBrowser,
) -> None:
    browser = await open_browser()
    assert await browser.name() is None
    await browser.ask("Asked before signing in")
    await browser.sign_in("ada")
    assert await browser.name() == "ada"
    assert await browser.titles() == []
    await browser.adopt()
    assert await browser.titles() == ["Asked before signing in"]
    chat = await browser.get(f"/api/chats/{CHAT}")
    assert [message["kind"] for message in chat["messages"]] == ["user", "turn"]
    await browser.sign_out()
    assert await browser.name() is None
    assert await browser.titles() == []


async def test_a_person_finds_the_same_chats_in_another_browser(
    open_browser: OpenBrowser,
) -> None:
    first, second = await open_browser(), await open_browser()
    await first.sign_in("grace")
    await first.ask("Asked in the first browser")
    assert await second.titles() == []
    await second.sign_in("grace")
    assert await second.titles() == ["Asked in the first browser"]


async def test_nobody_who_signs_in_sees_what_is_anothers(open_browser: OpenBrowser) -> None:
    alan, edsger = await open_browser(), await open_browser()
    await alan.sign_in("alan")
    await alan.ask("A secret of Alan's")
    await edsger.sign_in("edsger")
    assert await edsger.titles() == []
    assert (await edsger.get("/api/chats?search=secret"))["chats"] == []
    for method, path in (
        ("GET", f"/api/chats/{CHAT}"),
        ("PATCH", f"/api/chats/{CHAT}"),
        ("DELETE", f"/api/chats/{CHAT}"),
        ("POST", f"/api/chats/{CHAT}/undo"),
    ):
        status, _ = await edsger.page.call(method, path, json={})
        assert status == 404, method
    await edsger.adopt()
    assert await edsger.titles() == []
    # Nor with the token of the other's browser: the person counts, not the browser.
    edsger.page.token = alan.page.token
    assert await edsger.titles() == []
    assert await alan.titles() == ["A secret of Alan's"]


async def test_the_browsers_token_alone_opens_nothing_of_who_has_signed_in(
    open_browser: OpenBrowser,
) -> None:
    browser, other = await open_browser(), await open_browser()
    await browser.sign_in("barbara")
    await browser.ask("Asked after signing in")
    other.page.token = browser.page.token
    assert await other.titles() == []


async def test_a_cookie_of_the_apps_own_is_believed_until_it_expires(
    open_browser: OpenBrowser,
) -> None:
    browser = await open_browser()
    browser.give_cookie(cookie("donald", expires_at=time.time() + 600))
    assert await browser.name() == "donald"
    browser.give_cookie(cookie("donald", expires_at=time.time() - 1))
    assert await browser.name() is None


async def test_a_forged_cookie_is_nobody(open_browser: OpenBrowser) -> None:
    browser = await open_browser()
    later = time.time() + 600
    honest = cookie("donald", expires_at=later)
    content, rest = honest.split(".", 1)
    other = base64.b64encode(base64.b64decode(content).replace(b"donald", b"ronald")).decode()
    for forged in (
        cookie("donald", expires_at=later, secret="another-secret-not-real"),
        f"{other}.{rest}",
        content,
        "nonsense",
    ):
        browser.give_cookie(forged)
        assert await browser.name() is None, forged
        assert await browser.titles() == []


async def test_a_cookie_without_the_pages_token_is_refused(open_browser: OpenBrowser) -> None:
    browser = await open_browser()
    await browser.sign_in("margaret")
    assert await browser.name() == "margaret"
    for path in ("/api/account", "/api/chats", f"/api/chats/{CHAT}"):
        assert await browser.status_without_token(path) == 401, path
