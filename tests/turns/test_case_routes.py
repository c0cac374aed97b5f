"""Chats out of the playground and into it, as a script does it: the real application."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import AsyncGenerator
from typing import Any

import aiohttp
import pytest
from PIL import Image

from app.chat.entries import UserEntry, conversation_of
from app.chat.exchange import build_unfilled, digest
from app.chat.messages import Attachment
from app.chat.request import Options
from tests.case_calls import bring, brought, case, media, messages, picture, talk
from tests.site import CHAT, Client, serving

TURNS = f"/api/chats/{CHAT}/turns"


@pytest.fixture
async def client(session: aiohttp.ClientSession) -> AsyncGenerator[Client]:
    async with serving(simulator_tokens_per_second=5000) as base:
        yield Client(session, base)


async def ask(client: Client, text: str, **body: Any) -> dict[str, Any]:
    started: dict[str, Any] = await client.start(text, **body)
    await client.finish(started["run"])
    return started


async def exported(client: Client, chat: str = CHAT) -> bytes:
    status, data = await client.call("GET", f"/api/chats/{chat}/case")
    assert status == 200
    return json.dumps(data).encode()


def told(message: dict[str, Any]) -> dict[str, Any]:
    """What of a message does not depend on ids and signed addresses."""
    own = {"id", "versions", "recorded"}
    kept = {key: value for key, value in message.items() if key not in own}
    for attachment in kept.get("attachments", ()):
        attachment.pop("url")
    return kept


async def test_a_chat_that_was_exported_is_the_same_again_and_recorded(client: Client) -> None:
    _, red = await client.upload(picture("red"))
    files = [{"name": "notes.md", "text": "# One"}]
    first = await ask(client, "What is this?", attachments=[red["hash"]], files=files)
    await ask(client, "Call the tool.", options={"effort": "low", "seed": 3})
    await client.call("PUT", f"{TURNS}/{first['turn']}/feedback", json={"value": "like"})
    before = await messages(client)
    chat = await brought(client, await exported(client))
    after = await messages(client, chat)
    assert [told(message) for message in after] == [told(message) for message in before]
    assert [message.get("recorded") for message in after] == [None, True, None, True]
    assert [message.get("recorded") for message in before] == [None, False, None, False]
    assert not {message["id"] for message in after} & {message["id"] for message in before}
    _, listed = await client.call("GET", "/api/chats")
    assert [line["title"] for line in listed["chats"]] == ["What is this?"] * 2
    assert listed["chats"][0]["id"] == chat


async def test_versions_and_the_shown_one_come_back(client: Client) -> None:
    first = await ask(client, "One")
    await ask(client, "Two")
    status, edited = await client.call(
        "POST", TURNS, json={"edit": first["message"]["id"], "text": "Uno"}
    )
    assert status == 201
    await client.finish(edited["run"])
    await client.call("POST", f"/api/chats/{CHAT}/version", json={"node": first["message"]["id"]})
    await client.call("PATCH", f"/api/chats/{CHAT}", json={"title": "Numbers"})
    chat = await brought(client, await exported(client))
    shown = await messages(client, chat)
    assert [message.get("text") for message in shown] == ["One", None, "Two", None]
    other = shown[0]["versions"]["ids"][1]
    await client.call("POST", f"/api/chats/{chat}/version", json={"node": other})
    assert [message.get("text") for message in await messages(client, chat)] == ["Uno", None]
    _, again = await client.call("GET", f"/api/chats/{chat}")
    assert again["title"] == "Numbers"


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
async def test_the_request_of_an_imported_answer_is_exact_and_its_wire_is_there(
    client: Client, kind: str
) -> None:
    """What its owner still has stays as it is: it is not encoded a second time."""
    _, red = await client.upload(picture("red", kind))
    started = await ask(client, "What is this?", attachments=[red["hash"]])
    chat = await brought(client, await exported(client))
    turn = (await messages(client, chat))[-1]["id"]
    path = f"/api/chats/{chat}/turns/{turn}/exchanges"
    _, theirs = await client.call("GET", path)
    _, ours = await client.call("GET", f"{TURNS}/{started['turn']}/exchanges")
    (exchange,), (original,) = theirs["exchanges"], ours["exchanges"]
    assert exchange["is_exact"]
    assert exchange["request"] == original["request"]
    assert exchange["wire_events"] == original["wire_events"]
    _, wire = await client.call("GET", f"{path}/0/wire?limit=1000")
    assert wire["events"][-1]["text"] == "[DONE]"


async def test_a_picture_that_is_encoded_anew_makes_a_request_that_is_not_exact(
    client: Client,
) -> None:
    """A file from where pictures are sent as they are: here one of them becomes another file."""
    foreign = media(picture("red", "BMP"), mime="image/bmp")
    (content_hash,) = foreign
    message = UserEntry("u", "What is this?", (Attachment(content_hash, "image", 1),))
    options = Options("glm")
    sent = build_unfilled(conversation_of([message]), options)
    exchange = {"digest": digest(sent.body), "wire": [{"wait_ms": 5, "text": "data: [DONE]\n\n"}]}
    data = case(
        {"kind": "user", "text": message.text, "media": [content_hash]},
        {"kind": "turn", "text": "A picture.", "exchanges": [exchange]},
        media=foreign,
        settings={"model": "glm"},
    )
    chat = await brought(client, data)
    asked, turn = await messages(client, chat)
    assert asked["attachments"][0]["hash"] != content_hash
    assert asked["attachments"][0]["mime"] != "image/bmp"
    _, answer = await client.call("GET", f"/api/chats/{chat}/turns/{turn['id']}/exchanges")
    (shown,) = answer["exchanges"]
    assert not shown["is_exact"]
    assert shown["repairs"] == []


async def test_what_a_file_lies_about_its_answers_is_not_believed(client: Client) -> None:
    turn = {
        "kind": "turn",
        "text": "<script>alert(1)</script>**bold**",
        "notices": [{"code": "x", "message": "Pay here", "remedy": "http://evil.example"}],
        "recorded": False,
        "stats": {"cost": 1e9},
        "finish_reason": "length",
    }
    data = case({"kind": "user", "text": "Hello"}, turn)
    (_, answer) = await messages(client, await brought(client, data))
    assert [notice["code"] for notice in answer["notices"]] == ["token_limit"]
    assert answer["recorded"]
    assert "<script" not in "".join(answer["parts"][0]["blocks"])
    assert answer["stats"]["cost"] is None


async def test_a_chat_from_elsewhere_goes_on_here(client: Client) -> None:
    chat = await brought(client, talk("What is two and two?"))
    started = await client.start("And three and three?", chat=chat)
    events = await client.finish(started["run"])
    assert events[-2]["state"] == "complete"
    assert events[-2]["recorded"] is False
    assert [m.get("recorded") for m in await messages(client, chat)] == [None, True, None, False]


async def test_a_hash_alone_opens_nobody_s_picture(
    client: Client, session: aiohttp.ClientSession
) -> None:
    victim = Client(session, client.base)
    _, secret = await victim.upload(picture("blue"))
    known = {secret["hash"]: {"kind": "image", "name": "cat.png"}}
    user = {"kind": "user", "text": "Look", "media": [secret["hash"]]}
    chat = await brought(client, case(user, media=known))
    (message,) = await messages(client, chat)
    (attachment,) = message["attachments"]
    assert attachment["hash"] != secret["hash"]
    async with session.get(f"{client.base}/{attachment['url']}") as response:
        assert response.status == 404
    file = json.loads(await exported(client, chat))
    assert secret["hash"] not in json.dumps(file)
    assert (await client.call("DELETE", f"/api/chats/{chat}"))[0] == 204
    async with session.get(f"{client.base}/{secret['url']}") as response:
        assert response.status == 200, "another's picture stays"


async def test_a_picture_of_a_file_is_the_importer_s_by_its_bytes(
    client: Client, session: aiohttp.ClientSession
) -> None:
    brings = media(picture("green"))
    (content_hash,) = brings
    user = {"kind": "user", "text": "Look", "media": [content_hash]}
    (message,) = await messages(client, await brought(client, case(user, media=brings)))
    (attachment,) = message["attachments"]
    assert (attachment["name"], attachment["width"], attachment["height"]) == ("cat.png", 64, 48)
    async with session.get(f"{client.base}/{attachment['url']}") as response:
        assert Image.open(io.BytesIO(await response.read())).size == (64, 48)


async def test_a_picture_that_is_none_is_told_of_and_gone(client: Client) -> None:
    brings = media(b"no picture at all", name="../<b>.png")
    user = {"kind": "user", "text": "Look", "media": list(brings)}
    _, chat, _ = await bring(client, case(user, {"kind": "turn", "text": "Hi"}, media=brings))
    (note,) = chat["notes"]
    assert note.startswith("“<b>.png” is neither a picture nor a clip that can be sent: use ")
    chat_id = chat["chat"]["id"]
    started = await client.start("And now?", chat=chat_id)
    events = await client.finish(started["run"])
    assert "history_repaired" in [notice["code"] for notice in events[-2]["notices"]]


async def test_bytes_of_another_hash_are_no_case(client: Client) -> None:
    brings = {"a" * 64: next(iter(media(picture()).values()))}
    user = {"kind": "user", "text": "Look", "media": ["a" * 64]}
    _, refused, end = await bring(client, case(user, media=brings))
    assert (refused["type"], end["chats"]) == ("refused", 0)
    assert "$.media" in refused["message"]
    _, listed = await client.call("GET", "/api/chats")
    assert listed["chats"] == []


async def test_all_chats_go_out_and_come_back(
    client: Client, session: aiohttp.ClientSession
) -> None:
    for chat, text in (
        ("chat-one", "About: a/b?"),
        ("chat-two", "about  a b"),
        ("chat-three", "C"),
    ):
        await client.finish((await client.start(text, chat=chat))["run"])
    async with session.get(f"{client.base}/api/cases", headers={"X-Owner": client.token}) as got:
        assert got.content_type == "application/zip"
        assert got.headers["Content-Disposition"].startswith('attachment; filename="chats.zip"')
        data = await got.read()
    archive = zipfile.ZipFile(io.BytesIO(data))
    assert archive.testzip() is None
    assert archive.namelist() == ["C.case.json", "about a b.case.json", "About a b 2.case.json"]
    other = Client(session, client.base)
    lines = await bring(other, data, "chats.zip")
    assert [line["type"] for line in lines] == [*["progress", "chat"] * 3, "end"]
    assert [(line["done"], line["of"], line["name"]) for line in lines[:-1:2]] == [
        (number, 3, name) for number, name in enumerate(archive.namelist())
    ]
    assert lines[-1] == {"type": "end", "chats": 3, "refused": 0}
    _, listed = await other.call("GET", "/api/chats")
    assert sorted(line["title"] for line in listed["chats"]) == ["About: a/b?", "C", "about a b"]


async def test_an_owner_without_chats_gets_an_empty_zip(client: Client) -> None:
    status, data = await client.call("GET", "/api/cases")
    assert status == 200
    assert zipfile.ZipFile(io.BytesIO(data)).namelist() == []


async def test_nobody_else_s_chats_are_exported(
    client: Client, session: aiohttp.ClientSession
) -> None:
    await ask(client, "A secret")
    other = Client(session, client.base)
    _, data = await other.call("GET", "/api/cases")
    assert zipfile.ZipFile(io.BytesIO(data)).namelist() == []
    status, refused = await other.call("GET", f"/api/chats/{CHAT}/case")
    assert (status, refused["error"]["code"]) == (404, "no_chat")


async def test_a_file_is_called_by_its_chat(client: Client, session: aiohttp.ClientSession) -> None:
    await ask(client, 'Grüße: "a/b"')
    path = f"{client.base}/api/chats/{CHAT}/case"
    async with session.get(path, headers={"X-Owner": client.token}) as response:
        assert response.headers["Content-Disposition"] == (
            'attachment; filename="Gr__e a b.case.json"; '
            "filename*=UTF-8''Gr%C3%BC%C3%9Fe%20a%20b.case.json"
        )


async def test_ids_of_another_s_chat_are_not_taken(
    client: Client, session: aiohttp.ClientSession
) -> None:
    started = await ask(client, "Mine")
    mine = json.loads(await exported(client))
    thief = Client(session, client.base)
    told = {key: mine["entries"][1][key] for key in ("id", "after", "kind")}
    mine["entries"][1] = {**told, "text": "Forged"}
    chat = await brought(thief, json.dumps(mine).encode())
    assert chat != CHAT
    assert (await messages(client))[1]["id"] == started["turn"]
    assert (await messages(thief, chat))[1]["id"] != started["turn"]


async def test_a_chat_that_is_answered_meanwhile_exports_what_is_whole(client: Client) -> None:
    started = await client.start("Write 300 words about rivers.", fault="stall-after=3")
    status, file = await client.call("GET", f"/api/chats/{CHAT}/case")
    assert status == 200
    assert [entry["kind"] for entry in file["entries"]] == ["user"]
    await client.call("DELETE", f"/api/runs/{started['run']}")


@pytest.mark.parametrize(
    "exchange",
    [
        {"settings": {"continue_last": True}},
        {"base": [{"is": "call", "id": "", "name": "", "arguments": "{"}]},
        {"base": [{"is": "reasoning", "text": "Hm"}], "settings": {"send_reasoning": False}},
        {"settings": {"tool_choice": {"type": "x"}, "response_schema": {}, "stream": False}},
        {"wire": [{"wait_ms": 0, "text": "data: {\n\n"}, {"wait_ms": 1, "base64": "/////w=="}]},
        {"is_cut": True, "digest": "no digest"},
    ],
)
async def test_a_request_that_was_never_sent_is_shown_and_is_not_exact(
    client: Client, exchange: dict[str, Any]
) -> None:
    brings = media(picture())
    user = {"kind": "user", "text": "", "media": list(brings)}
    turn = {"kind": "turn", "text": "Hi", "exchanges": [exchange]}
    chat = await brought(client, case(user, turn, media=brings, settings={"model": "glm"}))
    turn_id = (await messages(client, chat))[-1]["id"]
    path = f"/api/chats/{chat}/turns/{turn_id}"
    status, shown = await client.call("GET", f"{path}/exchanges")
    assert status == 200
    assert [each["is_exact"] for each in shown["exchanges"]] == [False]
    for part in ("wire", "request", "python", "curl"):
        assert (await client.call("GET", f"{path}/exchanges/0/{part}"))[0] == 200
    status, replay = await client.call("POST", f"{path}/replay", json={"speed": 100})
    assert status == (201 if "wire" in exchange else 404)
    if status == 201:
        assert (await client.finish(replay["run"]))[-1]["type"] == "end"
