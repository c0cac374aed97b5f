"""Uploads of case files that are damaged, too large, too many, or meant to do harm."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator

import aiohttp
import pytest

from tests.case_calls import bring, brought, case, form, messages, picture, talk, zipped
from tests.site import Client, serving


@pytest.fixture
async def client(session: aiohttp.ClientSession) -> AsyncGenerator[Client]:
    async with serving(simulator_tokens_per_second=5000) as base:
        yield Client(session, base)


async def test_a_bad_file_of_a_zip_does_not_stop_the_others(client: Client) -> None:
    lines = await bring(
        client,
        zipped(
            a=talk("First"),
            b=b'{"format": "glm-playground-case"',
            c=b'{"messages": []}',
            d=case({"kind": "turn", "after": "nobody", "text": "Hi"}),
            e=zipped(a=talk()),
            f=b"",
            g=talk("Last"),
        ),
    )
    kinds = [line["type"] for line in lines if line["type"] != "progress"]
    assert kinds == ["chat", *["refused"] * 5, "chat", "end"]
    refused = {line["name"]: line["message"] for line in lines if line["type"] == "refused"}
    assert list(refused) == ["b.json", "c.json", "d.json", "e.json", "f.json"]
    assert all(message.endswith(".") for message in refused.values())
    assert "no case file" in refused["c.json"]
    assert "$.entries[0]" in refused["d.json"]
    assert "zip inside" in refused["e.json"]
    assert lines[-1] == {"type": "end", "chats": 2, "refused": 5}


@pytest.mark.parametrize("data", [b"", b"[]", b"hello", picture()])
async def test_what_is_no_case_is_refused_as_a_whole(client: Client, data: bytes) -> None:
    status, refused = await client.call("POST", "/api/cases", data=form(data, "x.bin"))
    assert (status, refused["error"]["code"]) == (422, "no_case")
    assert refused["error"]["message"].startswith("“x.bin” is neither")


async def test_depth_and_size_of_json_harm_nobody(client: Client) -> None:
    deep = b'{"format": "glm-playground-case", "version": 1, "entries": ' + b"[" * 200_000
    wide = b'{"format": "glm-playground-case", "version": 1, "x": [' + b"[]," * 400_000 + b"0]}"
    _, refused, _ = await bring(client, deep)
    assert "nested too deep" in refused["message"]
    _, taken, _ = await bring(client, wide)  # what is not known is passed over
    assert taken["type"] == "chat"
    assert (await client.call("GET", "/api/status"))[0] == 200


async def test_more_than_may_be_is_refused(session: aiohttp.ClientSession) -> None:
    async with serving(case_mb=0.1) as base:
        client = Client(session, base)
        status, _ = await client.call("POST", "/api/cases", data=form(talk("x" * 300_000), "a"))
        assert status == 413
        lines = await bring(client, zipped(a=talk("x" * 300_000), b=talk("y")), "a.zip")
        assert [line["type"] for line in lines][1::2] == ["refused", "refused"]
        assert "more than 0.1 MB unpacked" in lines[1]["message"]


async def test_strangers_import_as_often_as_they_upload(session: aiohttp.ClientSession) -> None:
    async with serving(public=True, visitor_turns_per_minute=2) as base:
        for _ in range(2):
            await brought(Client(session, base), talk())
        status, refused = await Client(session, base).call(
            "POST", "/api/cases", data=form(talk(), "a.case.json")
        )
        assert (status, refused["error"]["code"]) == (429, "too_many_requests")


async def test_hanging_up_stops_an_import_and_what_was_whole_stays(
    client: Client, session: aiohttp.ClientSession
) -> None:
    data = zipped(**{f"n{number:04}": talk(f"Number {number}") for number in range(2_000)})
    chats: list[str] = []
    async with session.post(
        f"{client.base}/api/cases", data=form(data, "a.zip"), headers={"X-Owner": client.token}
    ) as response:
        async for raw in response.content:
            line = json.loads(raw)
            if line["type"] == "chat":
                chats.append(line["chat"]["title"])
            if len(chats) == 3:
                break
        response.close()

    async def count() -> int:
        _, first = await client.call("GET", "/api/chats?limit=200")
        return len(first["chats"])

    known, after = -1, await count()
    while known != after:
        known = after
        await client.start("Something else takes its time meanwhile", chat="another-chat")
        await client.call("DELETE", "/api/chats/another-chat")
        after = await count()
    assert 3 <= after < 200
    for line in (await client.call("GET", "/api/chats?limit=200"))[1]["chats"]:
        assert len(await messages(client, line["id"])) == 2


async def test_a_large_file_is_read_beside_the_app_and_taken(client: Client) -> None:
    chat = await brought(client, talk("x" * 2_000_000))
    message = (await messages(client, chat))[0]
    assert len(message["text"]) == 2_000_000
    _, refused, _ = await bring(client, talk("x" * 2_000_000)[:-5])
    assert "is not JSON" in refused["message"]
