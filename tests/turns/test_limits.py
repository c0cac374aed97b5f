"""What a visitor may take: each limit, whichever way in, with when to come back."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from gradio_client import Client as GradioClient
from gradio_client.exceptions import AppError

from app.turns.limits import SENTENCES
from tests.loopback import answer
from tests.media.samples import encoded, quarters
from tests.site import CHAT, Client, serving

PUBLIC: dict[str, Any] = {"public": True, "simulator_tokens_per_second": 5000.0}


async def refused(
    session: aiohttp.ClientSession, base: str, token: str, path: str, body: Any
) -> tuple[int, str | None, Any]:
    """Status, Retry-After and the refusal."""
    async with session.post(base + path, json=body, headers={"X-Owner": token}) as response:
        return response.status, response.headers.get("Retry-After"), (await response.json())


def returns_at_midnight(status: int, after: str | None, answer: Any) -> bool:
    message = answer["error"]["message"]
    is_told = "come back in" in message and message.endswith("at 00:00 UTC.")
    return status == 429 and is_told and after is not None and 0 < int(after) <= 86_400


async def _end(client: Client, run: str) -> Any:
    """The event that tells how the turn of a run ended."""
    return next(event for event in await client.finish(run) if event["type"] == "turn_end")


async def test_tokens_of_the_day_end_and_stay_ended_after_a_restart_and_in_another_browser(
    session: aiohttp.ClientSession, tmp_path: Path
) -> None:
    settings = PUBLIC | {"visitor_tokens_per_day": 10}
    async with serving(tmp_path, **settings) as base:
        first = Client(session, base)
        started = await first.start("Hello")
        await first.finish(started["run"])
        path, body = f"/api/chats/{CHAT}/turns", {"text": "More"}
        told = await refused(session, base, first.token, path, body)
        assert returns_at_midnight(*told)
        assert told[2]["error"]["code"] == "tokens_used_up"
        assert told[2]["error"]["values"]["most"] == "10"
        chat = (await first.call("GET", f"/api/chats/{CHAT}"))[1]
        assert len(chat["messages"]) == 2  # what was refused left nothing behind
    async with serving(tmp_path, **settings) as base:
        other = Client(session, base)
        told = await refused(session, base, other.token, path, {"text": "Somebody else?"})
        assert returns_at_midnight(*told)


async def test_the_endpoint_of_programs_counts_the_same_tokens(
    session: aiohttp.ClientSession,
) -> None:
    async with serving(**PUBLIC, visitor_tokens_per_day=10) as base:
        client = await asyncio.to_thread(GradioClient, base, verbose=False)
        answer = await asyncio.to_thread(client.predict, "Hello", api_name="/chat")
        assert answer["complete"] is True
        with pytest.raises(AppError, match=r"tokens that one visitor has.*at 00:00 UTC"):
            await asyncio.to_thread(client.predict, "Hello", api_name="/chat")
        told = await refused(
            session, base, "t" * 22, f"/api/chats/{CHAT}/turns", {"text": "By the page?"}
        )
        assert returns_at_midnight(*told)


async def test_turns_under_way_at_once_cannot_pass_the_day_by_more_than_what_runs(
    session: aiohttp.ClientSession,
) -> None:
    async with serving(public=True, visitor_tokens_per_day=10, visitor_slots=1) as base:
        client = Client(session, base)
        runs = [await client.start("Hello", chat=f"chat-number-{n}") for n in range(4)]
        ends = [await _end(client, run["run"]) for run in runs]
        codes = [[notice["code"] for notice in end["notices"]] for end in ends]
        assert codes == [[], *[["used_up"]] * 3]
        assert "come back in" in ends[1]["notices"][0]["message"]


async def test_a_server_that_tells_no_usage_is_estimated(
    session: aiohttp.ClientSession, loopback: Any
) -> None:
    server = await loopback(answer("word " * 100))
    async with serving(
        public=True, visitor_tokens_per_day=120, openai_base_url=f"{server.url}/v1"
    ) as base:
        client = Client(session, base)
        await client.finish((await client.start("Hello"))["run"])
        told = await refused(
            session, base, client.token, f"/api/chats/{CHAT}/turns", {"text": "More"}
        )
        assert returns_at_midnight(*told)


async def test_uploads_of_a_day_end_by_either_way_in(session: aiohttp.ClientSession) -> None:
    picture = encoded(quarters(), "PNG")
    most = 2.5 * len(picture) / 1_000_000
    async with serving(**PUBLIC, visitor_upload_mb_per_day=most) as base:
        client = Client(session, base)
        for _ in range(2):
            assert (await client.upload(picture))[0] == 201
        status, answer = await client.upload(picture)
        assert (status, answer["error"]["code"]) == (429, "uploads_used_up")
        form = aiohttp.FormData()
        form.add_field("file", b"x" * len(picture), filename="chat.case.json")
        status, answer = await client.call("POST", "/api/cases", data=form)
        assert (status, answer["error"]["code"]) == (429, "uploads_used_up")


async def test_uploads_at_once_do_not_pass_together(session: aiohttp.ClientSession) -> None:
    picture = encoded(quarters(), "PNG")
    most = 2.5 * len(picture) / 1_000_000
    async with serving(**PUBLIC, visitor_upload_mb_per_day=most) as base:
        clients = [Client(session, base) for _ in range(8)]
        answers = await asyncio.gather(*(client.upload(picture) for client in clients))
        assert sorted(status for status, _ in answers) == [201] * 2 + [429] * 6


async def test_who_keeps_too_much_must_delete_first(session: aiohttp.ClientSession) -> None:
    async with serving(**PUBLIC, visitor_stored_mb=0.02) as base:
        client = Client(session, base)
        await client.finish((await client.start("word " * 5000))["run"])
        turn = (await client.call("GET", f"/api/chats/{CHAT}"))[1]["messages"][1]["id"]
        picture = encoded(quarters(), "PNG")
        answers = [
            await client.call("POST", f"/api/chats/{CHAT}/turns", json={"text": "More"}),
            await client.call("PUT", f"/api/chats/{CHAT}/setup", json={"tools": "[]"}),
            await client.call(
                "POST", f"/api/chats/{CHAT}/edits", json={"turn": turn, "text": "Longer"}
            ),
            await client.upload(picture),
        ]
        for status, answer in answers:
            assert (status, answer["error"]["code"]) == (507, "storage_full")
            assert "Delete chats" in answer["error"]["remedy"]
        assert (await client.call("DELETE", f"/api/chats/{CHAT}"))[0] == 204
        assert (await client.upload(picture))[0] == 201


async def test_turns_a_minute_say_when_to_come_back(session: aiohttp.ClientSession) -> None:
    async with serving(**PUBLIC, visitor_turns_per_minute=1) as base:
        client = Client(session, base)
        await client.start("Hello")
        status, after, _ = await refused(
            session, base, client.token, "/api/chats/another-chat/turns", {"text": "More"}
        )
        assert status == 429
        assert after is not None
        assert 1 <= int(after) <= 60


async def test_among_friends_nothing_is_limited_unless_the_owner_says_so(
    session: aiohttp.ClientSession,
) -> None:
    speed = {"simulator_tokens_per_second": 5000.0}
    for settings, expected in ((speed, 201), (speed | {"visitor_tokens_per_day": 10}, 429)):
        async with serving(**settings) as base:
            client = Client(session, base)
            await client.finish((await client.start("Hello"))["run"])
            path = f"/api/chats/{CHAT}/turns"
            status, _ = await client.call("POST", path, json={"text": "More"})
            assert status == expected


async def test_the_limits_are_told_to_programs(session: aiohttp.ClientSession) -> None:
    async with serving(public=True) as base, session.get(f"{base}/docs") as response:
        page = await response.text()
    for sentence in (
        "A visitor has 1,000,000 tokens a day",
        "A visitor uploads at most 500 MB a day.",
        "At most 200 MB of chats, pictures and clips are kept for a visitor.",
        "Retry-After",
    ):
        assert sentence in page


def test_every_limit_is_told_in_one_sentence() -> None:
    for sentence in SENTENCES.values():
        assert sentence.endswith(".")
        assert ". " not in sentence
