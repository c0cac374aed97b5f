"""Two processes' worth of the app on one PostgreSQL: what one has taken, the other shows."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path

import aiohttp
from PIL import Image

from tests.site import CHAT, Client, serving
from tests.store.postgresql import running_postgresql


def picture() -> bytes:
    data = io.BytesIO()
    Image.new("RGB", (64, 48), "red").save(data, "PNG")
    return data.getvalue()


async def test_two_servers_on_one_database_show_the_same_chats_and_pictures(
    tmp_path: Path,
) -> None:
    with running_postgresql() as server:
        url = server.new_database()
        async with (
            aiohttp.ClientSession() as session,
            serving(tmp_path, database_url=url) as first,
            serving(tmp_path, database_url=url) as second,
        ):
            here = Client(session, first)
            there = Client(session, second, here.token)
            _, media = await here.upload(picture())
            started = await here.start("What is it?", attachments=[media["hash"]])
            await here.finish(started["run"])
            _, chat = await there.call("GET", f"/api/chats/{CHAT}")
            user, turn = chat["messages"]
            assert turn["state"] == "complete"
            async with session.get(f"{second}/{user['attachments'][0]['url']}") as response:
                assert response.status == 200
            both = await asyncio.gather(
                here.start("Here", after=turn["id"]), there.start("There", after=turn["id"])
            )
            await asyncio.gather(here.finish(both[0]["run"]), there.finish(both[1]["run"]))
            _, chat = await here.call("GET", f"/api/chats/{CHAT}")
            assert sorted(chat["messages"][2]["versions"]["ids"]) == sorted(
                started["message"]["id"] for started in both
            )
            assert (await there.call("DELETE", f"/api/chats/{CHAT}"))[0] == 204
            assert (await here.call("GET", f"/api/chats/{CHAT}"))[0] == 404
