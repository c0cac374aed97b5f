"""A process that is killed in the middle of an answer: the next one has all that had come."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from app.settings import PROJECT, Settings
from tests.site import CHAT, Client

_STARTED_S = 60.0


@asynccontextmanager
async def running(folder: Path) -> AsyncGenerator[tuple[str, asyncio.subprocess.Process]]:
    """`python -m app` in a process of its own, and its address."""
    ours = {str(field.alias) for field in Settings.model_fields.values()}
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "app",
        cwd=PROJECT,
        env=kept
        | {
            "GLM_DATA_FOLDER": str(folder),
            "GRADIO_SERVER_PORT": "0",
            "GLM_SIMULATOR_TOKENS_PER_SECOND": "100",
            "PYTHONUNBUFFERED": "1",
        },
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        async with asyncio.timeout(_STARTED_S):
            async for line in process.stdout:
                if b"http://" in line:
                    yield "http" + line.decode().split("http", 1)[1].split(" ", 1)[0], process
                    break
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


def text_of(events: list[dict[str, Any]]) -> str:
    return "".join(event["text"] for event in events if event["type"] == "reasoning")


async def test_a_loop_that_was_killed_has_its_steps_and_what_had_come_of_the_last(
    tmp_path: Path,
) -> None:
    parameters = {"type": "object", "properties": {"city": {"type": "string"}}}
    names = ("get_weather", "find_hotel")
    tools = [{"type": "function", "function": {"name": n, "parameters": parameters}} for n in names]
    text = "Use get_weather for Paris, then find_hotel in Paris."
    body = {"options": {"tools": tools}, "loop": {"mocks": [{"tool": "*", "result": 1}]}}
    body["loop"]["auto"] = True
    turns: list[str] = []
    async with aiohttp.ClientSession() as session:
        async with running(tmp_path) as (base, process):
            client = Client(session, base)
            started = await client.start(text, **body)
            try:
                async for event in client.events(started["run"]):
                    if event["type"] == "turn":
                        turns.append(event["turn"])
                    elif event["type"] == "reasoning" and len(turns) == 2:
                        process.kill()
            except aiohttp.ClientError:
                pass
            await process.wait()
        async with running(tmp_path) as (base, _):
            client = Client(session, base, client.token)
            _, chat = await client.call("GET", f"/api/chats/{CHAT}")
            assert [m["kind"] for m in chat["messages"]] == ["user", "turn", "results", "turn"]
            assert [m["id"] for m in chat["messages"] if m["kind"] == "turn"] == turns
            assert chat["messages"][-1]["state"] == "incomplete"
            again = {"retry": True, **body}
            _, started = await client.call("POST", f"/api/chats/{CHAT}/turns", json=again)
            await client.finish(started["run"])
            _, chat = await client.call("GET", f"/api/chats/{CHAT}")
            kinds = [m["kind"] for m in chat["messages"]]
            assert kinds == ["user", "turn", "results", "turn", "results", "turn"]
            assert chat["pending"] is None


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
async def test_what_had_come_is_there_marked_as_cut_and_can_be_continued(
    tmp_path: Path, ending: signal.Signals
) -> None:
    seen: list[dict[str, Any]] = []
    async with aiohttp.ClientSession() as session:
        async with running(tmp_path) as (base, process):
            client = Client(session, base)
            finished = await client.start("Hello")
            await client.finish(finished["run"])
            cut = await client.start("Explain a hash table in 200 words.")
            try:
                async for event in client.events(cut["run"]):
                    seen.append(event)
                    if event["type"] == "block":
                        process.send_signal(ending)
            except aiohttp.ClientError:
                pass
            await process.wait()
        async with running(tmp_path) as (base, _):
            client = Client(session, base, client.token)
            _, chat = await client.call("GET", f"/api/chats/{CHAT}")
            whole, last = chat["messages"][1], chat["messages"][3]
            assert (whole["id"], whole["state"]) == (finished["turn"], "complete")
            assert (last["id"], last["state"]) == (cut["turn"], "incomplete")
            assert last["can_continue"]
            _, source = await client.call("GET", f"/api/chats/{CHAT}/turns/{cut['turn']}")
            thought, answer = source["parts"]
            assert thought["text"] == text_of(seen)
            assert answer["text"]
            assert len(last["notices"]) == 1
            status, started = await client.call(
                "POST", f"/api/chats/{CHAT}/turns", json={"continue": True}
            )
            assert status == 201
            await client.finish(started["run"])
            _, source = await client.call("GET", f"/api/chats/{CHAT}/turns/{cut['turn']}")
            assert source["parts"][1]["text"].startswith(answer["text"].rstrip())
            assert len(source["parts"][1]["text"]) > len(answer["text"])
            _, chat = await client.call("GET", f"/api/chats/{CHAT}")
            assert chat["messages"][3]["state"] == "complete"
