"""A playground for those who are let in: nobody else reaches any route of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from gradio_client import Client as GradioClient
from yarl import URL

from app.server import create_application
from app.settings import Settings, SettingsError
from tests.attacks.routes import routes_of
from tests.browser.process import running_app
from tests.openid import Provider
from tests.site import CHAT, Client, serving

OF_GRADIO = (
    "/config",
    "/gradio_api/info",
    "/gradio_api/openapi.json",
    "/gradio_api/startup-events",
    "/gradio_api/file=/etc/passwd",
    "/gradio_api/queue/data?session_hash=x",
    "/gradio_api/mcp/",
    "/gradio_api/app_id",
    "/gradio_api/user",
    "/theme.css",
    "/docs",
    "/openapi.json",
    "/monitoring",
    "/login/../config",
    "/own/../config",
    "//config",
    "/%6fwn/..%2fconfig",
)
PASSWORDS = "ada:test-password-not-real grace:other-password-not-real"


@asynccontextmanager
async def browser(base: str) -> AsyncIterator[aiohttp.ClientSession]:
    """Cookies of one browser; those for https alone hold on loopback, as in real browsers."""
    jar = aiohttp.CookieJar(unsafe=True, treat_as_secure_origin=URL(base))
    async with aiohttp.ClientSession(cookie_jar=jar) as session:
        yield session


async def is_shut(session: aiohttp.ClientSession, base: str, status: int, code: str) -> None:
    """Nothing of the app or of Gradio answers, but for the page that says so."""
    document = create_application(Settings(_env_file=None)).asgi.openapi()
    for route in routes_of(document):
        async with session.request(
            route.method,
            base + route.filled({"chat_id": CHAT}),
            params=route.query,
            json=route.body,
            headers={"X-Owner": "t" * 22},
        ) as response:
            assert (response.status, (await response.json())["error"]["code"]) == (status, code)
    for path in OF_GRADIO:
        async with session.get(URL(base + path, encoded=True)) as response:
            # Under own/ the page's own files answer: there is none of that name.
            assert response.status == (404 if path.startswith(("/own/", "/%6fwn/")) else status), (
                path
            )
    for path in ("/gradio_api/queue/join", "/gradio_api/upload", "/gradio_api/call/chat"):
        async with session.post(base + path, json={"data": []}) as response:
            assert response.status == status, path


async def page(session: aiohttp.ClientSession, base: str) -> tuple[int, str]:
    async with session.get(base, headers={"Accept": "text/html"}) as response:
        return response.status, await response.text()


async def sign_in(session: aiohttp.ClientSession, base: str, name: str, password: str) -> int:
    form = {"username": name, "password": password}
    async with session.post(f"{base}/login", data=form) as response:
        return response.status


async def test_a_password_opens_all_and_nothing_else_does() -> None:
    async with (
        serving(auth=PASSWORDS, simulator_tokens_per_second=5000.0) as base,
        browser(base) as session,
    ):
        await is_shut(session, base, 401, "sign_in_required")
        status, html = await page(session, base)
        assert status == 200
        assert "Sign in" in html
        assert "gradio_config" not in html
        assert await sign_in(session, base, "ada", "other-password-not-real") == 400
        assert (await page(session, base))[1] == html
        assert await sign_in(session, base, "ada", "test-password-not-real") == 200
        assert "gradio_config" in (await page(session, base))[1]
        client = Client(session, base)
        started = await client.start("Hello")
        await client.finish(started["run"])
        assert (await client.call("GET", "/api/account"))[1]["name"] == "ada"
        async with browser(base) as other:
            assert await sign_in(other, base, "grace", "other-password-not-real") == 200
            theirs = Client(other, base, client.token)
            assert (await theirs.call("GET", "/api/chats"))[1]["chats"] == []
        async with session.get(f"{base}/logout", headers={"Accept": "text/html"}) as response:
            assert "Sign in" in await response.text()
        await is_shut(session, base, 401, "sign_in_required")


async def test_programs_sign_in_by_password_too() -> None:
    async with serving(auth=PASSWORDS, simulator_tokens_per_second=5000.0) as base:
        auth = ("ada", "test-password-not-real")
        client = await asyncio.to_thread(GradioClient, base, auth=auth, verbose=False)
        answer = await asyncio.to_thread(client.predict, "Hello", api_name="/chat")
        assert answer["complete"] is True


async def test_guessing_passwords_is_slowed_down() -> None:
    async with serving(auth=PASSWORDS) as base, browser(base) as session:
        tried = [await sign_in(session, base, "ada", str(n)) for n in range(12)]
        assert tried == [400] * 10 + [429] * 2
        assert await sign_in(session, base, "ada", "test-password-not-real") == 429


@pytest.mark.parametrize("cookie", ["x", "ada", "None", ""])
async def test_a_forged_session_of_gradio_is_nobody(cookie: str) -> None:
    async with serving(auth=PASSWORDS) as base, aiohttp.ClientSession() as session:
        for name in ("access-token", "access-token-unsecure", "access-token-None", "session"):
            headers = {"Cookie": f"{name}={cookie}", "X-Owner": "t" * 22}
            async with session.get(f"{base}/api/chats", headers=headers) as response:
                assert response.status == 401


async def test_passwords_are_told_nowhere(capfd: pytest.CaptureFixture[str]) -> None:
    settings = Settings(_env_file=None, auth=PASSWORDS)
    assert "not-real" not in repr(settings)
    async with serving(auth=PASSWORDS) as base, browser(base) as session:
        await sign_in(session, base, "ada", "test-password-not-real")
        for path in ("/", "/config", "/openapi.json", "/docs", "/gradio_api/info"):
            async with session.get(base + path) as response:
                assert response.status == 200
                assert "not-real" not in await response.text()
    assert "not-real" not in "".join(capfd.readouterr())


@pytest.mark.parametrize("tells_later", [False, True], ids=["in the token", "when asked"])
async def test_hugging_face_opens_for_users_and_organisations_of_the_owners_alone(
    tmp_path: Path, tells_later: bool
) -> None:
    async with Provider() as provider:
        provider.tells_later = tells_later
        provider.organisations = {"grace": ["Navy", "other"], "eve": ["other"]}
        environment = {
            **provider.environment(),
            "GLM_ALLOWED_USERS": "Ada alan",
            "GLM_ALLOWED_ORGANISATIONS": "navy",
            "GLM_SIMULATOR_TOKENS_PER_SECOND": "5000",
        }
        with running_app(tmp_path, **environment) as url:
            base = url.rstrip("/")
            async with browser(base) as session:
                await is_shut(session, base, 401, "sign_in_required")
                status, html = await page(session, base)
                assert status == 200
                assert "Sign in with Hugging Face" in html
            for person, is_let_in in (("ada", True), ("grace", True), ("eve", False)):
                provider.person = person
                async with browser(base) as session:
                    async with session.get(f"{base}/login/huggingface") as landed:
                        assert str(landed.url).startswith(base)
                    client = Client(session, base)
                    status, answer = await client.call("GET", "/api/account")
                    if is_let_in:
                        assert (status, answer["name"]) == (200, person)
                        assert "gradio_config" in (await page(session, base))[1]
                        continue
                    status, html = await page(session, base)
                    assert status == 403
                    assert "eve" in html
                    assert 'href="./logout"' in html
                    await is_shut(session, base, 403, "not_invited")
                    async with session.get(
                        f"{base}/logout", headers={"Accept": "text/html"}
                    ) as response:
                        assert "Sign in with Hugging Face" in await response.text()


@pytest.mark.parametrize(
    "wrong",
    [
        {"require_sign_in": True},
        {"allowed_users": "ada"},
        {"allowed_organisations": "navy", "auth": "ada:test-password-not-real"},
        {"auth": "ada"},
        {"auth": "test-password-not-real:"},
        {"auth": "  "},
    ],
)
def test_a_door_that_nobody_could_pass_or_all_could_is_refused(
    wrong: dict[str, Any], tmp_path: Path
) -> None:
    with pytest.raises(SettingsError) as refused:
        create_application(Settings(_env_file=None, data_folder=tmp_path, **wrong))
    assert "not-real" not in str(refused.value)
