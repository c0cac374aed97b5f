"""Chats as a script uses them: kept, found, named, in versions, deleted; the real application."""

from __future__ import annotations

import io
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from PIL import Image

from tests.site import CHAT, Client, serving

TURNS = f"/api/chats/{CHAT}/turns"


@pytest.fixture
async def client(session: aiohttp.ClientSession) -> AsyncGenerator[Client]:
    async with serving(simulator_tokens_per_second=5000, price_input=1, price_output=10) as base:
        yield Client(session, base)


async def ask(client: Client, text: str, fault: str | None = None, **body: Any) -> dict[str, Any]:
    started: dict[str, Any] = await client.start(text, fault=fault, **body)
    await client.finish(started["run"])
    return started


async def post(client: Client, fault: str | None = None, **body: Any) -> dict[str, Any]:
    status, started = await client.call("POST", TURNS, fault, json=body)
    assert status == 201, started
    await client.finish(started["run"])
    found: dict[str, Any] = started
    return found


async def messages(client: Client, query: str = "") -> list[dict[str, Any]]:
    status, chat = await client.call("GET", f"/api/chats/{CHAT}{query}")
    assert status == 200
    found: list[dict[str, Any]] = chat["messages"]
    return found


async def answer(client: Client, turn: str) -> str:
    _, source = await client.call("GET", f"{TURNS}/{turn}")
    return "".join(part["text"] for part in source["parts"] if part["kind"] == "answer")


def picture(colour: str) -> bytes:
    data = io.BytesIO()
    Image.new("RGB", (64, 48), colour).save(data, "PNG")
    return data.getvalue()


async def test_a_new_process_has_the_chats_and_pictures_of_the_last(
    session: Any, tmp_path: Path
) -> None:
    async with serving(tmp_path) as base:
        first = Client(session, base)
        _, media = await first.upload(picture("red"))
        started = await ask(first, "What colour is it?", attachments=[media["hash"]])
    async with serving(tmp_path) as base:
        again = Client(session, base, first.token)
        user, turn = await messages(again)
        assert (user["text"], turn["id"]) == ("What colour is it?", started["turn"])
        async with session.get(f"{base}/{user['attachments'][0]['url']}") as response:
            assert response.status == 200
        await ask(again, "And how large is it?")
        assert "64" in str((await messages(again))[-1])


async def test_an_edited_message_is_a_version_with_an_answer_of_its_own(client: Client) -> None:
    first = await ask(client, "Hello")
    await ask(client, "And then?")
    edited = await post(client, edit=first["message"]["id"], text="Good morning")
    ids = [first["message"]["id"], edited["message"]["id"]]
    shown = await messages(client)
    assert [m.get("text") for m in shown] == ["Good morning", None]
    assert shown[0]["versions"] == {"at": 2, "ids": ids}
    path = f"/api/chats/{CHAT}/version"
    assert (await client.call("POST", path, json={"node": ids[0]}))[0] == 204
    shown = await messages(client)
    assert [m.get("text") for m in shown] == ["Hello", None, "And then?", None]
    assert shown[0]["versions"]["at"] == 1


async def test_while_a_message_is_answered_again_the_chat_ends_at_it(client: Client) -> None:
    first = await ask(client, "Hello")
    await ask(client, "And then?")
    message = first["message"]["id"]
    status, started = await client.call("POST", TURNS, "stall-after=3", json={"retry": message})
    assert status == 201
    assert [m["id"] for m in await messages(client)] == [message]
    await client.call("DELETE", f"/api/runs/{started['run']}")
    shown = await messages(client)
    assert [m["id"] for m in shown] == [message, started["turn"]]
    assert shown[1]["versions"]["at"] == 2


async def test_a_thought_alone_can_be_gone_on_with_to_an_answer(client: Client) -> None:
    cut = await ask(client, "Explain a hash table in 80 words.", options={"max_tokens": 5})
    assert await answer(client, cut["turn"]) == ""
    assert (await messages(client))[-1]["can_continue"]
    await post(client, **{"continue": True})
    assert await answer(client, cut["turn"])
    assert [part["kind"] for part in (await messages(client))[-1]["parts"]] == [
        "reasoning",
        "answer",
    ]


async def test_a_message_can_follow_any_entry(client: Client) -> None:
    first = await ask(client, "Hello")
    await ask(client, "In one tab")
    await post(client, text="In another tab", after=first["turn"])
    shown = await messages(client)
    assert [m["text"] for m in shown if m["kind"] == "user"] == ["Hello", "In another tab"]
    assert shown[2]["versions"]["at"] == 2


async def test_undo_takes_the_last_message_back_to_be_written_anew(client: Client) -> None:
    await ask(client, "Hello")
    _, media = await client.upload(picture("blue"))
    files = [{"name": "notes.csv", "text": "a,b"}]
    await ask(client, "And this?", attachments=[media["hash"]], files=files)
    status, taken = await client.call("POST", f"/api/chats/{CHAT}/undo")
    assert (status, taken["text"], taken["files"]) == (200, "And this?", files)
    assert taken["attachments"][0]["hash"] == media["hash"]
    assert len(await messages(client)) == 2
    await client.call("POST", f"/api/chats/{CHAT}/undo")
    assert await messages(client) == []
    status, refused = await client.call("POST", f"/api/chats/{CHAT}/undo")
    assert (status, refused["error"]["code"]) == (409, "nothing_to_undo")
    await ask(client, "Hello again")
    assert (await messages(client))[0]["versions"]["at"] == 2


async def test_a_cut_answer_goes_on_where_it_was_cut(client: Client) -> None:
    whole = await ask(client, "Explain a hash table in 80 words.")
    expected = await answer(client, whole["turn"])
    stats = (await messages(client))[-1]["stats"]
    half = stats["reasoning_tokens"] + stats["answer_tokens"] // 2
    cut = await post(client, retry=True, options={"max_tokens": half})
    last = (await messages(client))[-1]
    assert (last["can_continue"], last["notices"][0]["code"]) == (True, "token_limit")
    part = await answer(client, cut["turn"])
    assert expected.startswith(part.rstrip())
    assert part != expected
    status, started = await client.call("POST", TURNS, json={"continue": True})
    assert (status, started["replaces"], started["turn"]) == (201, cut["turn"], cut["turn"])
    events = await client.finish(started["run"])
    assert await answer(client, cut["turn"]) == expected
    last = (await messages(client))[-1]
    assert (last["state"], last["notices"], last["can_continue"]) == ("complete", [], False)
    html = {e["block"]: e["html"] for e in events if e["type"] == "block"}
    assert list(html.values()) == last["parts"][-1]["blocks"]


async def test_a_whole_answer_cannot_be_gone_on_with(client: Client) -> None:
    await ask(client, "Hello")
    status, refused = await client.call("POST", TURNS, json={"continue": True})
    assert (status, refused["error"]["code"]) == (409, "cannot_continue")


async def test_an_answer_in_a_persons_wording_is_a_version_and_can_be_gone_on_with(
    client: Client,
) -> None:
    first = await ask(client, "Hello")
    path = f"/api/chats/{CHAT}/edits"
    status, edited = await client.call(
        "POST", path, json={"turn": first["turn"], "text": "Once upon a *time*"}
    )
    assert status == 201
    assert (edited["edited"], edited["versions"]["at"]) == (True, 2)
    assert "<em>time</em>" in edited["parts"][-1]["blocks"][0]
    assert edited["can_continue"]
    await post(client, **{"continue": True})
    assert (await answer(client, edited["id"])).startswith("Once upon a *time*")
    last = (await messages(client))[-1]
    assert (last["edited"], last["can_continue"]) == (True, False), "the server has ended it"
    assert last["stats"]["context_tokens"] > 0
    status, _ = await client.call("POST", path, json={"turn": edited["id"], "text": "  "})
    assert status == 422


async def test_a_rating_stays_with_its_answer_until_it_is_taken_back(client: Client) -> None:
    started = await ask(client, "Hello")
    path = f"{TURNS}/{started['turn']}/feedback"
    rating = {"value": "dislike", "comment": "Too long"}
    assert (await client.call("PUT", path, json=rating))[0] == 204
    assert (await messages(client))[-1]["feedback"] == rating
    await client.call("PUT", path, json={"value": None})
    assert (await messages(client))[-1]["feedback"] is None
    assert (await client.call("PUT", path, json={"value": "love"}))[0] == 422


async def test_chats_are_found_by_title_and_text_renamed_and_pinned(client: Client) -> None:
    for chat, text in (("chat-of-cats", "About cats"), ("chat-of-dogs", "About dogs")):
        started = await client.start(text, chat=chat)
        await client.finish(started["run"])
    _, listed = await client.call("GET", "/api/chats")
    assert [c["title"] for c in listed["chats"]] == ["About dogs", "About cats"]
    status, line = await client.call(
        "PATCH", "/api/chats/chat-of-cats", json={"title": "Katzen", "pinned": True}
    )
    assert (status, line["title"], line["pinned"]) == (200, "Katzen", True)
    _, listed = await client.call("GET", "/api/chats")
    assert [c["title"] for c in listed["chats"]] == ["Katzen", "About dogs"]
    for search, titles in (("katzen", ["Katzen"]), ("about cats", ["Katzen"]), ("100%", [])):
        _, found = await client.call("GET", "/api/chats", params={"search": search})
        assert [c["title"] for c in found["chats"]] == titles, search
    await client.call("PATCH", "/api/chats/chat-of-cats", json={"title": None})
    _, found = await client.call("GET", "/api/chats/chat-of-cats")
    assert (found["title"], found["pinned"]) == ("About cats", True)


async def test_a_deleted_chat_is_gone_with_its_run_and_its_pictures(
    client: Client, session: Any
) -> None:
    _, shared = await client.upload(picture("red"))
    _, own = await client.upload(picture("blue"))
    other = await client.start("Keep", chat="another-chat", attachments=[shared["hash"]])
    await client.finish(other["run"])
    await ask(client, "One", attachments=[shared["hash"]])
    await ask(client, "Two", attachments=[own["hash"]])
    await client.start("Three", fault="stall-after=3")
    assert (await client.call("DELETE", f"/api/chats/{CHAT}"))[0] == 204
    assert (await client.call("GET", f"/api/chats/{CHAT}"))[0] == 404
    _, listed = await client.call("GET", "/api/chats")
    assert [c["id"] for c in listed["chats"]] == ["another-chat"]
    for media, status in ((shared, 200), (own, 404)):
        async with session.get(f"{client.base}/{media['url']}") as response:
            assert response.status == status


async def test_a_chat_is_read_from_its_end_upwards(client: Client) -> None:
    for number in range(6):
        await ask(client, f"Message {number}")
    shown = await messages(client, "?limit=4")
    assert [m["text"] for m in shown if m["kind"] == "user"] == ["Message 4", "Message 5"]
    _, chat = await client.call("GET", f"/api/chats/{CHAT}?limit=4")
    assert chat["earlier"] == 8
    earlier = await messages(client, f"?limit=6&before={shown[0]['id']}")
    assert [m["text"] for m in earlier if m["kind"] == "user"] == [
        "Message 1",
        "Message 2",
        "Message 3",
    ]


async def test_files_go_into_the_prompt_and_come_back_whole(client: Client) -> None:
    files = [{"name": "notes.md", "text": "# One\n```\ncode\n```\n"}]
    started = await ask(client, "Sum it up", files=files)
    assert started["message"]["files"] == [{"name": "notes.md", "size": 19, "lines": 4}]
    path = f"/api/chats/{CHAT}/messages/{started['message']['id']}"
    _, source = await client.call("GET", path)
    assert source["files"] == files


async def test_a_chat_tells_its_context_and_its_cost(client: Client) -> None:
    started = await client.start("Hello")
    events = await client.finish(started["run"])
    ended = next(e for e in events if e["type"] == "turn_end")
    stats = ended["stats"]
    cost = stats["prompt_tokens"] + 10 * (stats["reasoning_tokens"] + stats["answer_tokens"])
    assert stats["cost"] == pytest.approx(cost / 1e6)
    assert ended["context"]["source"] == "usage"
    _, chat = await client.call("GET", f"/api/chats/{CHAT}")
    assert chat["context"] == ended["context"]
    assert chat["cost"] == pytest.approx(stats["cost"])
    await post(client, retry=True)
    _, chat = await client.call("GET", f"/api/chats/{CHAT}")
    assert chat["cost"] == pytest.approx(2 * stats["cost"], rel=0.5)


async def test_the_state_of_the_server_and_the_tokens_of_a_draft_are_told(client: Client) -> None:
    _, status = await client.call("GET", "/api/status")
    assert (status["state"], status["running"], status["slots"]) == ("simulator", 0, 16)
    assert status["context_tokens"] == 1_048_576
    _, counted = await client.call("POST", "/api/tokens", json={"text": "Hello there"})
    assert counted["tokens"] > 0
    assert counted["estimated"] is False


@pytest.mark.parametrize(
    "body",
    [
        {"retry": True, "continue": True},
        {"edit": "someone", "after": "somewhere", "text": "x"},
        {"edit": "someone"},
        {"continue": True, "text": "x"},
        {"text": "x", "files": [{"name": "/", "text": ""}]},
        {"text": "x", "files": [{"name": "a", "text": "", "path": "/etc/passwd"}]},
    ],
)
async def test_what_is_no_turn_is_refused_and_begins_nothing(
    client: Client, body: dict[str, Any]
) -> None:
    status, refused = await client.call("POST", TURNS, json=body)
    assert status == 422
    assert refused["error"]["message"]
    assert (await client.call("GET", f"/api/chats/{CHAT}"))[0] == 404


@pytest.mark.parametrize(
    "body",
    [
        {"retry": "unknown"},
        {"edit": "unknown", "text": "x"},
        {"after": "unknown", "text": "x"},
    ],
)
async def test_what_is_not_in_the_chat_is_refused(client: Client, body: dict[str, Any]) -> None:
    await ask(client, "Hello")
    status, refused = await client.call("POST", TURNS, json=body)
    assert status in (404, 409)
    assert refused["error"]["message"]
    assert len(await messages(client)) == 2


async def test_a_chat_is_exported_as_the_document_of_what_is_shown(client: Client) -> None:
    first = await ask(client, "The first wording")
    await post(client, text="The *second* wording", edit=first["message"]["id"])
    status, document = await client.call("GET", f"/api/chats/{CHAT}/markdown")
    assert status == 200
    text = document.decode()
    assert text.startswith("# ")
    assert "## You\n\nThe *second* wording" in text
    assert "## GLM-5.3-Flash" in text
    assert "The first wording" not in text
    assert (await client.call("GET", "/api/chats/another-chat/markdown"))[0] == 404
