"""What was sent and what came, read back as a script does: the real application."""

from __future__ import annotations

import base64
import io
import json
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
    async with serving(simulator_tokens_per_second=5000) as base:
        yield Client(session, base)


async def ask(client: Client, text: str, fault: str | None = None, **body: Any) -> str:
    started = await client.start(text, fault=fault, **body)
    await client.finish(started["run"])
    turn: str = started["turn"]
    return turn


async def exchanges(client: Client, turn: str) -> list[dict[str, Any]]:
    status, answer = await client.call("GET", f"{TURNS}/{turn}/exchanges")
    assert status == 200, answer
    found: list[dict[str, Any]] = answer["exchanges"]
    return found


async def test_the_request_is_shown_as_it_was_sent_whatever_was_said_later(client: Client) -> None:
    options = {"effort": "low", "system": "Be brief.", "seed": 7}
    turn = await ask(client, "What is two and two?", options=options)
    await ask(client, "And three and three?")
    (exchange,) = await exchanges(client, turn)
    assert exchange["is_exact"]
    assert exchange["request"] == {
        "model": "zai-org/GLM-5.3-Flash",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "What is two and two?"},
        ],
        "reasoning_effort": "low",
        "seed": 7,
        "stream": True,
        "stream_options": {"include_usage": True, "continuous_usage_stats": True},
    }


async def test_a_picture_is_shortened_where_it_is_shown_and_whole_where_it_is_copied(
    client: Client,
) -> None:
    data = io.BytesIO()
    Image.effect_noise((64, 64), 50).save(data, "PNG")
    _, media = await client.upload(data.getvalue())
    turn = await ask(client, "What is this?", attachments=[media["hash"]])
    (exchange,) = await exchanges(client, turn)
    shown = exchange["request"]["messages"][0]["content"][0]["image_url"]["url"]
    status, whole = await client.call("GET", f"{TURNS}/{turn}/exchanges/0/request")
    assert status == 200
    url = whole["messages"][0]["content"][0]["image_url"]["url"]
    assert len(shown) < 100 < len(url)
    head, _, payload = url.partition(",")
    assert head == "data:image/png;base64"
    assert Image.open(io.BytesIO(base64.b64decode(payload))).size == (64, 64)
    assert exchange["is_exact"]


async def test_the_wire_comes_back_event_by_event_with_growing_times(client: Client) -> None:
    turn = await ask(client, "Say something about the sea.")
    (exchange,) = await exchanges(client, turn)
    _, first = await client.call("GET", f"{TURNS}/{turn}/exchanges/0/wire?limit=2")
    assert first["more"]
    assert [event["n"] for event in first["events"]] == [0, 1]
    _, rest = await client.call("GET", f"{TURNS}/{turn}/exchanges/0/wire?after=1&limit=1000")
    assert not rest["more"]
    events = [*first["events"], *rest["events"]]
    assert len(events) == exchange["wire_events"]
    times = [event["at_s"] for event in events]
    assert times == sorted(times)
    assert events[-1]["text"] == "[DONE]"
    opening = json.loads(events[0]["text"])["choices"][0]["delta"]
    assert opening["role"] == "assistant"


async def test_seconds_and_tokens_are_told_by_what_they_went_on(client: Client) -> None:
    turn = await ask(client, "Write 80 words about the sea.")
    (exchange,) = await exchanges(client, turn)
    names = [phase["phase"] for phase in exchange["phases"]]
    assert names == ["waiting", "reasoning", "answer"]
    ends = [phase["to_s"] for phase in exchange["phases"]]
    assert [phase["from_s"] for phase in exchange["phases"]] == [0.0, *ends[:-1]]
    chunks = exchange["chunks"]
    assert sum(tokens * count for tokens, count in chunks["by_tokens"]) == chunks["tokens"]
    assert sum(count for _, count in chunks["by_tokens"]) == chunks["chunks"]


async def test_an_answer_that_was_gone_on_with_has_both_requests(client: Client) -> None:
    turn = await ask(client, "Write 300 words about rivers.", fault="reasoning=5;drop-after=60")
    status, started = await client.call("POST", TURNS, json={"continue": True})
    assert status == 201, started
    await client.finish(started["run"])
    first, second = await exchanges(client, turn)
    assert (first["is_exact"], second["is_exact"]) == (True, True)
    assert "continue_final_message" not in first["request"]
    assert second["request"]["continue_final_message"] is True
    assert second["request"]["messages"][-1]["role"] == "assistant"
    assert second["request"]["messages"][-1]["content"]


async def test_code_is_for_the_server_that_was_asked(client: Client) -> None:
    turn = await ask(client, "Hello")
    (exchange,) = await exchanges(client, turn)
    address = exchange["address"]
    assert address.startswith("http://127.0.0.1:")
    for form in ("python", "curl"):
        status, code = await client.call("GET", f"{TURNS}/{turn}/exchanges/0/{form}")
        assert status == 200
        assert address.removesuffix("/chat/completions").encode() in code
        assert b"zai-org/GLM-5.3-Flash" in code


async def test_a_request_made_of_what_is_gone_says_that_it_is_not_exact(
    session: aiohttp.ClientSession, tmp_path: Path
) -> None:
    data = io.BytesIO()
    Image.new("RGB", (40, 40), "green").save(data, "PNG")
    async with serving(tmp_path, simulator_tokens_per_second=5000) as base:
        client = Client(session, base)
        _, media = await client.upload(data.getvalue())
        turn = await ask(client, "What is this?", attachments=[media["hash"]])
        for path in (tmp_path / "media").rglob(f"*{media['hash']}*"):
            path.unlink()
        (exchange,) = await exchanges(client, turn)
        assert not exchange["is_exact"]
        assert [repair["code"] for repair in exchange["repairs"]] == ["history_repaired"]


async def test_what_was_never_recorded_is_an_empty_list_and_then_a_404(client: Client) -> None:
    turn = await ask(client, "Hello")
    status, edited = await client.call(
        "POST", f"/api/chats/{CHAT}/edits", json={"turn": turn, "text": "In my words"}
    )
    assert status == 201, edited
    mine = edited["id"]
    assert await exchanges(client, mine) == []
    status, refused = await client.call("GET", f"{TURNS}/{mine}/exchanges/0/wire")
    assert (status, refused["error"]["code"]) == (404, "not_recorded")


async def test_nobody_else_reads_what_was_sent(
    client: Client, session: aiohttp.ClientSession
) -> None:
    turn = await ask(client, "A secret")
    other = Client(session, client.base)
    await other.start("Mine")
    for path in ("", "/0/wire", "/0/request", "/0/python", "/0/curl"):
        status, refused = await other.call("GET", f"{TURNS}/{turn}/exchanges{path}")
        assert (status, refused["error"]["code"]) == (404, "no_message")


async def test_the_wire_of_a_turn_that_a_server_refused_is_its_error(client: Client) -> None:
    turn = await ask(client, "Hello", fault="status=404")
    (exchange,) = await exchanges(client, turn)
    _, wire = await client.call("GET", f"{TURNS}/{turn}/exchanges/0/wire")
    (event,) = wire["events"]
    assert json.loads(event["text"])["error"]["code"] == 404
    assert exchange["phases"] == [{"phase": "waiting", "from_s": 0.0, "to_s": event["at_s"]}]
