"""Uploads over HTTP: trimmed and shrunk as wished, told as they go, ended when nobody waits."""

from __future__ import annotations

import asyncio
import glob
import json
import os
import sys
import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.media.samples import clip, displayed_by, numbered
from tests.site import Client, serving

ON_ITS_SIDE = (0, 1, -1, 0)
NDJSON = {"Accept": "application/x-ndjson"}


@pytest.fixture
async def client(session: aiohttp.ClientSession) -> AsyncGenerator[Client]:
    async with serving(clip_seconds=3) as base:
        yield Client(session, base)


@pytest.fixture(scope="module")
def long() -> bytes:
    """A clip that takes seconds to encode."""
    return displayed_by(clip(1280, 720, frames=500, rate=30, codec="mpeg4"), *ON_ITS_SIDE)


def form(data: bytes, **wish: str) -> aiohttp.FormData:
    made = aiohttp.FormData()
    made.add_field("file", data, filename="x.mp4")
    for name, value in wish.items():
        made.add_field(name, value)
    return made


async def upload(client: Client, data: bytes, **wish: str) -> tuple[int, Any]:
    return await client.call("POST", "/api/media", data=form(data, **wish))


async def told(client: Client, session: aiohttp.ClientSession, data: bytes) -> list[Any]:
    headers = {"X-Owner": client.token, **NDJSON}
    async with session.post(f"{client.base}/api/media", data=form(data), headers=headers) as answer:
        assert (answer.status, answer.content_type) == (201, NDJSON["Accept"])
        return [json.loads(line) async for line in answer.content]


async def test_a_refused_clip_comes_with_figures_and_what_would_help(client: Client) -> None:
    status, refused = await upload(client, numbered())
    assert status == 422
    error = refused["error"]
    assert error["message"] == "“x.mp4” lasts 4 s, and at most 3 s can be sent: trim it."
    assert error["offers"] == ["trim"]
    assert error["clip"] == {
        "seconds": 4.0,
        "frames": 40,
        "width": 64,
        "height": 48,
        "bytes": error["clip"]["bytes"],
        "most_seconds": 3.0,
        "tokens": 24,
        "tokens_a_second": 6,
    }


async def test_a_part_is_kept_as_wished(client: Client) -> None:
    status, media = await upload(client, numbered(), start_s="1", end_s="3")
    assert (status, media["seconds"], media["tokens"]) == (201, 2.0, 12)
    assert media["note_sentences"][0]["key"] == "media_note.trimmed"
    shrunk = (await upload(client, clip(640, 480), shrink="true"))[1]
    assert (shrunk["width"], shrunk["seconds"]) == (640, 2.0)


@pytest.mark.parametrize("wish", [{"start_s": "-1"}, {"start_s": "nan"}, {"end_s": "0"}])
async def test_a_wish_that_is_none_is_refused(client: Client, wish: dict[str, str]) -> None:
    status, refused = await upload(client, clip(), **wish)
    assert (status, refused["error"]["code"]) == (422, "invalid_request")


async def test_a_refusal_of_anything_else_offers_nothing(client: Client) -> None:
    _, refused = await upload(client, b"%PDF-1.7")
    assert "offers" not in refused["error"]


async def test_what_is_encoded_is_told_as_it_goes(
    client: Client, session: aiohttp.ClientSession
) -> None:
    lying = displayed_by(clip(640, 480, frames=80, rate=30), *ON_ITS_SIDE)
    *progress, media = await told(client, session, lying)
    _, plain = await upload(client, lying)
    assert media.pop("type") == "media"
    assert media.pop("url").split("?")[0] == plain.pop("url").split("?")[0]
    assert media == plain
    shares = [event["share"] for event in progress if event["type"] == "progress"]
    assert shares == sorted(shares)
    assert all(0 <= share <= 1 for share in shares)


async def test_a_refusal_is_told_in_the_same_words(
    client: Client, session: aiohttp.ClientSession
) -> None:
    (refused,) = await told(client, session, numbered())
    assert refused == {"type": "refused", **(await upload(client, numbered()))[1]}


async def test_a_store_that_fails_is_told_as_a_refusal(
    session: aiohttp.ClientSession, tmp_path: Path
) -> None:
    async with serving(tmp_path) as base:
        (tmp_path / "media").write_bytes(b"no folder")
        (refused,) = await told(Client(session, base), session, clip())
    assert refused["type"] == "refused"
    assert refused["error"]["code"] == "store_unavailable"


@pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")
@pytest.mark.parametrize("headers", [{}, NDJSON], ids=["json", "ndjson"])
async def test_who_hangs_up_ends_the_work(
    session: aiohttp.ClientSession,
    headers: dict[str, str],
    long: bytes,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    async with serving() as base:
        client = Client(session, base)
        sending = asyncio.create_task(
            session.post(
                f"{base}/api/media",
                data=form(long),
                headers={"X-Owner": client.token, **headers},
            )
        )
        worker = await busy_worker(tmp_path)
        gone = asyncio.Event()
        descriptor = os.pidfd_open(worker)
        asyncio.get_running_loop().add_reader(descriptor, gone.set)
        if sending.done():
            (await sending).close()
        sending.cancel()
        async with asyncio.timeout(20):
            await gone.wait()
        asyncio.get_running_loop().remove_reader(descriptor)
        os.close(descriptor)
        assert (await client.upload(clip(), "x.mp4"))[0] == 201


async def busy_worker(folder: Path) -> int:
    """The process that encodes a clip in the folder, once it does."""
    async with asyncio.timeout(30):
        while True:
            # Not Path.glob, which fails where a process ends while it looks.
            for opened in glob.iglob("/proc/[0-9]*/fd/*"):
                try:
                    path = os.readlink(opened)
                except OSError:
                    continue
                if path.startswith(str(folder)) and path.endswith("/progress"):
                    return int(opened.split("/")[2])
            await asyncio.sleep(0)
