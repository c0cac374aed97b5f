"""Whoever knows another owner's ids, but not the owner's token, learns and changes nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from app.turns.visitors import owner_of
from tests.attacks.routes import Route, routes_of
from tests.media.samples import encoded, quarters
from tests.site import CHAT, Client, serving

pytestmark = pytest.mark.asyncio(loop_scope="module")

SECRET = "words-that-are-the-victims-alone"
WITHOUT_AN_OWNER = {("GET", "/api/media/{content_hash}")}
"""Opened by a signed address instead: tests of its own."""


@dataclass
class Site:
    """The running app, who has things in it, and who wants them."""

    base: str
    session: aiohttp.ClientSession
    victim: Client
    attacker: Client
    routes: tuple[Route, ...]
    ids: dict[str, str]
    address: str

    async def attack(self, route: Route, headers: dict[str, str]) -> tuple[int, str]:
        async with self.session.request(
            route.method,
            self.base + route.filled(self.ids),
            params=route.query,
            json=route.body,
            headers=headers,
        ) as response:
            return response.status, (await response.read()).decode("utf-8", "replace")

    async def belongings(self) -> Any:
        """All that the victim has, without the addresses that change with the hour."""
        chats = (await self.victim.call("GET", "/api/chats"))[1]
        markdown = (await self.victim.call("GET", f"/api/chats/{CHAT}/markdown"))[1]
        turn = (await self.victim.call("GET", f"/api/chats/{CHAT}/turns/{self.ids['turn_id']}"))[1]
        return chats, markdown, turn


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def site() -> AsyncIterator[Site]:
    async with (
        aiohttp.ClientSession() as session,
        serving(simulator_tokens_per_second=5000.0) as base,
    ):
        victim, attacker = Client(session, base), Client(session, base)
        picture = (await victim.upload(encoded(quarters(), "PNG"), f"{SECRET}.png"))[1]
        started = await victim.start(SECRET, attachments=[picture["hash"]])
        await victim.finish(started["run"])
        document = (await victim.call("GET", "/openapi.json"))[1]
        ids = {
            "chat_id": CHAT,
            "turn_id": started["turn"],
            "message_id": started["message"]["id"],
            "run_id": started["run"],
            "content_hash": picture["hash"],
            "number": "0",
        }
        routes = tuple(routes_of(document))
        yield Site(base, session, victim, attacker, routes, ids, picture["url"])


async def test_the_document_tells_of_each_route_with_an_id_that_is_tried(site: Site) -> None:
    named = {name for route in site.routes for name in route.ids}
    assert named <= site.ids.keys(), "A new kind of id: give the attack one of the victim's."
    assert len([route for route in site.routes if route.ids]) > 15


async def test_another_owners_ids_open_and_change_nothing(site: Site) -> None:
    before = await site.belongings()
    for route in site.routes:
        if not route.ids or (route.method, route.path) in WITHOUT_AN_OWNER:
            continue
        fresh = Client(site.session, site.base).token  # what the last attack made is not there
        status, body = await site.attack(route, {"X-Owner": fresh})
        assert SECRET not in body, route
        assert status < 500, (route, body)
        is_their_own_new_chat = route.path in (
            "/api/chats/{chat_id}/turns",
            "/api/chats/{chat_id}/setup",
        )
        if not is_their_own_new_chat:
            assert status in (404, 409, 422), (route, status, body)
    assert await site.belongings() == before


@pytest.mark.parametrize(
    "token",
    ["", "short", "' OR 1=1 --------------", "../../../../../../etc/passwd", "x" * 129, "é" * 30],
)
async def test_a_token_that_is_none_is_nobodys(site: Site, token: str) -> None:
    for route in site.routes:
        if (route.method, route.path) in WITHOUT_AN_OWNER:
            continue
        status, body = await site.attack(route, {"X-Owner": token} if token else {})
        assert SECRET not in body, route
        assert status == 401, (route, status, body)


async def test_the_owners_name_in_the_database_is_no_token(site: Site) -> None:
    status, answer = await Client(site.session, site.base, owner_of(site.victim.token)).call(
        "GET", "/api/chats"
    )
    assert (status, answer["chats"]) == (200, [])


async def test_a_picture_needs_the_whole_signed_address(site: Site) -> None:
    address = f"{site.base}/{site.address}"
    async with site.session.get(address) as response:
        assert response.status == 200
        assert "sandbox" in response.headers["Content-Security-Policy"]
    path, _, query = address.partition("?")
    expires, _, signature = query.partition("&")
    later = f"expires={int(expires.removeprefix('expires=')) + 9999}"
    flipped = signature[:-1] + ("0" if signature[-1] != "0" else "1")
    for forged in (f"{later}&{signature}", f"{expires}&{flipped}", f"{expires}&signature="):
        async with site.session.get(f"{path}?{forged}") as response:
            assert response.status == 403, forged
    other = path.rsplit("/", 1)[0] + "/" + "0" * 64
    async with site.session.get(f"{other}?{query}") as response:
        assert response.status == 403
    status, _ = await site.attacker.call(
        "POST",
        "/api/chats/attackers-chat/turns",
        json={"text": "What is in it?", "attachments": [site.ids["content_hash"]]},
    )
    assert status == 404
