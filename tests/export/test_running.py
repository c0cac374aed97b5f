"""The code runs as it stands, sends what the playground sent, and shows what the server said."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from app.endpoint.wire_json import encode_body
from app.export import curl_code, python_code
from tests.conftest import StartLoopback
from tests.export.bodies import BODIES, STREAMED, body
from tests.export.running import KEY, KEY_VARIABLE, Recorder, Run, Said, start
from tests.loopback import DONE, Reply, chunk


@pytest.mark.parametrize("sent", BODIES.values(), ids=BODIES)
async def test_the_program_gets_the_same_answer(
    sent: dict[str, Any], simulator: Recorder, run_python: Run
) -> None:
    said = Said.of(await simulator.answer(encode_body(sent)))
    assert said.content or said.calls

    printed = await run_python(python_code(sent, base_url=simulator.url, key_variable=KEY_VARIABLE))

    assert printed == said.printed()
    assert_the_same(simulator)


@pytest.mark.parametrize("sent", BODIES.values(), ids=BODIES)
async def test_the_command_gets_the_same_answer(
    sent: dict[str, Any], simulator: Recorder, run_shell: Run
) -> None:
    said = Said.of(await simulator.answer(encode_body(sent)))
    assert said.content or said.calls

    printed = await run_shell(curl_code(sent, base_url=simulator.url, key_variable=KEY_VARIABLE))

    assert Said.of(printed.encode()) == said
    assert_the_same(simulator)


def assert_the_same(simulator: Recorder) -> None:
    """The second request brought the JSON of the first, the order of keys aside, and the key."""
    first, second = map(json.loads, simulator.bodies)
    assert json.dumps(second, sort_keys=True) == json.dumps(first, sort_keys=True)
    assert simulator.headers[1]["authorization"] == f"Bearer {KEY}"
    assert simulator.headers[1]["content-type"] == "application/json"


async def test_a_server_without_a_key_needs_no_variable(
    simulator: Recorder, run_python: Run, run_shell: Run
) -> None:
    for run, code in ((run_python, python_code), (run_shell, curl_code)):
        assert await run(code(body(), base_url=simulator.url, key_variable=None))
    with_python, with_curl = simulator.headers
    assert with_python["authorization"] == "Bearer none-needed"
    assert "authorization" not in with_curl


async def test_the_older_name_of_reasoning_is_read_too(
    loopback: StartLoopback, run_python: Run
) -> None:
    message = {"role": "assistant", "content": "Hi", "reasoning_content": "Hm."}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    whole = await loopback(Reply.json({"id": "c", "choices": [choice]}))
    streamed = await loopback(
        Reply((chunk(reasoning_content="Hm."), chunk(content="Hi"), chunk("stop"), DONE))
    )
    for server, sent in ((whole, body()), (streamed, body(**STREAMED))):
        text = python_code(sent, base_url=f"{server.url}/v1", key_variable=None)
        assert await run_python(text) == "Hm.\n\nHi\n"


async def test_what_is_streamed_is_shown_as_it_comes(
    loopback: StartLoopback, tmp_path: Path
) -> None:
    more = asyncio.Event()
    server = await loopback(Reply((chunk(content="Hi"), more, chunk("stop"), DONE)))
    programs = {
        sys.executable: python_code(body(**STREAMED), base_url=server.url, key_variable=None),
        "sh": curl_code(body(**STREAMED), base_url=server.url, key_variable=None),
    }
    for interpreter, text in programs.items():
        more.clear()
        process = await start(interpreter, tmp_path / "program", text)
        assert process.stdout is not None
        assert b"Hi" in await process.stdout.read(1000)
        more.set()
        await process.communicate()
        assert process.returncode == 0
