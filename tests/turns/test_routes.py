"""The routes as a script uses them: the real application on loopback, answered by the simulator."""

from __future__ import annotations

import io
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import closing
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from PIL import Image

from tests.site import CHAT, Client, serving


@pytest.fixture
async def client(session: aiohttp.ClientSession) -> AsyncGenerator[Client]:
    async with serving(simulator_tokens_per_second=2000) as base:
        yield Client(session, base)


def picture(colour: str = "red", size: tuple[int, int] = (64, 48)) -> bytes:
    data = io.BytesIO()
    Image.new("RGB", size, colour).save(data, "PNG")
    return data.getvalue()


async def test_a_message_is_answered_and_the_chat_holds_both(client: Client) -> None:
    started = await client.start("Hello")
    events = await client.finish(started["run"])
    assert events[-1]["type"] == "end"
    assert events[-2]["state"] == "complete"
    _, chat = await client.call("GET", f"/api/chats/{CHAT}")
    assert [message["kind"] for message in chat["messages"]] == ["user", "turn"]
    assert chat["title"] == "Hello"
    _, chats = await client.call("GET", "/api/chats")
    assert [one["id"] for one in chats["chats"]] == [CHAT]
    _, source = await client.call("GET", f"/api/chats/{CHAT}/turns/{started['turn']}")
    assert any(part["kind"] == "answer" and part["text"] for part in source["parts"])


async def test_the_events_of_a_run_can_be_listened_to_again_from_any_number(
    client: Client,
) -> None:
    started = await client.start("Write a long answer of 300 words.")
    seen: list[dict[str, Any]] = []
    async for event in client.events(started["run"]):
        seen.append(event)
        if len(seen) == 5:
            break
    after = max(event.get("n", -1) for event in seen)
    rest = [event async for event in client.events(started["run"], after)]
    assert all(event["n"] > after for event in rest if "n" in event)
    assert rest[-1]["type"] == "end"


async def test_a_chat_that_answers_takes_no_second_turn_until_it_is_stopped(
    client: Client,
) -> None:
    started = await client.start("Hello", fault="stall-after=3")
    status, refused = await client.call(
        "POST", f"/api/chats/{CHAT}/turns", json={"text": "And now?"}
    )
    assert status == 409
    assert refused["error"]["message"]
    _, chat = await client.call("GET", f"/api/chats/{CHAT}")
    assert chat["run"]["id"] == started["run"]
    assert (await client.call("DELETE", f"/api/runs/{started['run']}"))[0] == 204
    assert (await client.call("DELETE", f"/api/runs/{started['run']}"))[0] == 204
    _, chat = await client.call("GET", f"/api/chats/{CHAT}")
    assert chat["run"] is None
    assert [n["code"] for n in chat["messages"][-1]["notices"]] == ["stopped"]


async def test_a_retry_is_another_version_of_the_last_answer(client: Client) -> None:
    first = await client.start("Hello", fault="status=400")
    await client.finish(first["run"])
    status, second = await client.call(
        "POST", f"/api/chats/{CHAT}/turns", json={"retry": True, "options": {"effort": "low"}}
    )
    assert (status, second["message"]) == (201, None)
    await client.finish(second["run"])
    _, chat = await client.call("GET", f"/api/chats/{CHAT}")
    assert [message["kind"] for message in chat["messages"]] == ["user", "turn"]
    answer = chat["messages"][1]
    assert (answer["state"], answer["effort"]) == ("complete", "low")
    assert answer["versions"] == {"at": 2, "ids": [first["turn"], second["turn"]]}


async def test_a_picture_is_kept_shown_and_sent(client: Client, session: Any) -> None:
    status, media = await client.upload(picture())
    assert (status, media["kind"]) == (201, "image")
    async with session.get(f"{client.base}/{media['url']}") as response:
        assert response.status == 200
        assert response.content_type.startswith("image/")
    started = await client.start("What colour is it?", attachments=[media["hash"]])
    assert started["message"]["attachments"][0]["hash"] == media["hash"]
    events = await client.finish(started["run"])
    told = " ".join(event.get("html", "") for event in events)
    assert "64" in told
    assert "48" in told


async def test_a_second_picture_replaces_the_first_and_says_so(client: Client) -> None:
    for colour in ("red", "blue"):
        _, media = await client.upload(picture(colour))
        started = await client.start("What is it?", attachments=[media["hash"]])
        events = await client.finish(started["run"])
    assert [notice["code"] for notice in events[-2]["notices"]] == ["media_replaced"]


@pytest.mark.parametrize("data", [b"", b"not a picture", b"%PDF-1.7 ..."])
async def test_what_cannot_be_sent_is_refused_in_a_sentence(client: Client, data: bytes) -> None:
    status, refused = await client.upload(data, "notes.pdf")
    assert status == 422
    assert "notes.pdf" in refused["error"]["message"]


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ({"text": "   "}, "empty"),
        ({}, "empty"),
        ({"text": "x", "retry": True}, "retry"),
        ({"text": "x", "options": {"temperature": 3}}, "temperature"),
        ({"text": "x", "options": {"effort": "none"}}, "effort"),
        ({"text": "x", "options": {"enable_thinking": False}}, "enable_thinking"),
        ({"text": "x", "files": [{"name": "..", "text": ""}]}, "name"),
        ({"text": "x", "attachments": ["../../etc/passwd"]}, "attachments"),
        ({"text": "x", "options": {"stop": [""]}}, "stop"),
        ({"text": "x", "options": {"tools": [{"type": "function"}]}}, "$[0].function"),
    ],
)
async def test_a_bad_request_is_refused_in_a_sentence_that_names_it(
    client: Client, body: dict[str, Any], word: str
) -> None:
    status, refused = await client.call("POST", f"/api/chats/{CHAT}/turns", json=body)
    assert status == 422
    assert word in refused["error"]["message"].lower()
    assert (await client.call("GET", f"/api/chats/{CHAT}"))[0] == 404, "nothing was begun"


async def test_one_owner_never_reaches_what_is_anothers(client: Client, session: Any) -> None:
    _, media = await client.upload(picture())
    started = await client.start("A secret", attachments=[media["hash"]], fault="stall-after=3")
    message = started["message"]["id"]
    other = Client(session, client.base)
    tries = [
        ("GET", f"/api/chats/{CHAT}", {}),
        ("GET", f"/api/chats/{CHAT}/turns/{started['turn']}", {}),
        ("GET", f"/api/runs/{started['run']}/events", {}),
        ("DELETE", f"/api/runs/{started['run']}", {}),
        ("POST", f"/api/chats/{CHAT}/turns", {"json": {"retry": True}}),
        ("POST", f"/api/chats/{CHAT}/turns", {"json": {"continue": True}}),
        ("POST", f"/api/chats/{CHAT}/turns", {"json": {"retry": message}}),
        ("POST", f"/api/chats/{CHAT}/turns", {"json": {"edit": message, "text": "Mine"}}),
        ("POST", f"/api/chats/{CHAT}/turns", {"json": {"after": message, "text": "Mine"}}),
        ("GET", f"/api/chats/{CHAT}?before={message}", {}),
        ("GET", f"/api/chats/{CHAT}/messages/{message}", {}),
        ("PATCH", f"/api/chats/{CHAT}", {"json": {"title": "Mine", "pinned": True}}),
        ("DELETE", f"/api/chats/{CHAT}", {}),
        ("POST", f"/api/chats/{CHAT}/version", {"json": {"node": message}}),
        ("POST", f"/api/chats/{CHAT}/undo", {}),
        ("POST", f"/api/chats/{CHAT}/edits", {"json": {"turn": started["turn"], "text": "x"}}),
        (
            "PUT",
            f"/api/chats/{CHAT}/turns/{started['turn']}/feedback",
            {"json": {"value": "like"}},
        ),
        (
            "POST",
            "/api/chats/of-the-other/turns",
            {"json": {"text": "Mine?", "attachments": [media["hash"]]}},
        ),
    ]
    for method, path, kwargs in tries:
        status, body = await other.call(method, path, **kwargs)
        assert status in (404, 409), (method, path)
        assert "secret" not in str(body)
    for search in ("", "?search=secret"):
        _, listed = await other.call("GET", f"/api/chats{search}")
        assert listed == {"chats": [], "more": False}
    same_id = await other.start("Mine", chat=CHAT)
    await other.finish(same_id["run"])
    _, chat = await client.call("GET", f"/api/chats/{CHAT}")
    assert chat["run"]["id"] == started["run"], "the stranger's DELETE stopped nothing"
    assert [m["text"] for m in chat["messages"]] == ["A secret"]
    await client.call("DELETE", f"/api/runs/{started['run']}")


@pytest.mark.parametrize("token", ["", "short", "x" * 200, "with spaces in the token itself"])
async def test_without_a_good_token_there_is_no_way_in(
    client: Client, session: Any, token: str
) -> None:
    stranger = Client(session, client.base)
    stranger.token = token
    status, body = await stranger.call("GET", "/api/chats")
    assert (status, body["error"]["code"]) == (401, "no_owner")


async def test_an_address_of_a_picture_works_only_as_signed(client: Client, session: Any) -> None:
    _, media = await client.upload(picture())
    url = f"{client.base}/{media['url']}"
    path, _, query = url.partition("?")
    for forged in (path, f"{path}?{query}x", url.replace("expires=", "expires=9")):
        async with session.get(forged) as response:
            assert response.status in (403, 422)


async def test_public_visitors_have_a_rate_and_a_token_cap(session: Any) -> None:
    async with serving(public=True, visitor_turns_per_minute=2, max_tokens_cap=5) as base:
        visitor = Client(session, base)
        for chat in ("chat-number-one", "chat-number-two"):
            started = await visitor.start("Hello", chat=chat, options={"max_tokens": 9000})
            events = await visitor.finish(started["run"])
            assert events[-2]["stats"]["finish_reason"] == "length"
        another_token = Client(session, base)
        status, refused = await another_token.call(
            "POST", "/api/chats/chat-number-three/turns", json={"text": "Hello"}
        )
        assert (status, refused["error"]["code"]) == (429, "too_many_requests")


async def test_a_body_over_its_limit_is_refused_before_it_is_read(session: Any) -> None:
    async with serving(upload_mb=0.1) as base:
        client = Client(session, base)
        assert (await client.upload(bytes(400_000)))[0] == 413


async def test_a_store_that_cannot_be_used_is_told_in_a_sentence_of_its_own(
    session: Any, tmp_path: Path
) -> None:
    async with serving(tmp_path) as base:
        client = Client(session, base)
        await client.finish((await client.start("Hello"))["run"])
        with closing(sqlite3.connect(tmp_path / "chats.sqlite3")) as database:
            database.execute("ALTER TABLE nodes RENAME TO gone")
        for method, path, body in (
            ("GET", f"/api/chats/{CHAT}", None),
            ("POST", f"/api/chats/{CHAT}/turns", {"text": "Again"}),
        ):
            status, refused = await client.call(method, path, json=body)
            assert (status, refused["error"]["code"]) == (503, "store_unavailable")
            assert "gone" not in str(refused)
            assert "nodes" not in str(refused)


async def test_every_answer_carries_the_headers_that_guard_a_browser(
    client: Client, session: Any
) -> None:
    for path in ("/", "/api/chats", "/own/favicon.svg"):
        async with session.get(client.base + path) as response:
            assert "default-src 'self'" in response.headers["Content-Security-Policy"]
            assert response.headers["X-Content-Type-Options"] == "nosniff"
