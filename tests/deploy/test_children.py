"""Programs that push for us: what they are given, what is taken out of their words, their end."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from deploy.children import environment_for, run_child
from deploy.credentials import Credentials

KEY = "test-key-not-real"
BASETEN = Credentials(SecretStr(KEY), "a test", "https://api.baseten.co", "https://app.baseten.co")
PROJECT = Path(__file__).parents[2]
LIMIT_S = 30.0
# Each stays connected to the test for as long as it runs, whoever its parent is by then.
CONNECTED = "import socket, sys, time; line = socket.create_connection(('127.0.0.1', PORT))"
SLEEPS = f"{CONNECTED}; time.sleep(600)"
WITH_ONE_OF_ITS_OWN = (
    f"{CONNECTED}; import subprocess; subprocess.run([sys.executable, '-c', {SLEEPS!r}])"
)
ANSWERS = (
    f"{CONNECTED}; from deploy.child_answers import answer\n"
    "answer(lambda question, say: time.sleep(600))"
)
ASKS = """
import asyncio, sys
from pathlib import Path
from deploy.children import run_child
words = [sys.executable, "-c", sys.argv[1]]
question = b"{}" if sys.argv[2] == "asked" else None
asyncio.run(
    run_child(words, directory=Path(), environment={}, secret="none", question=question)
)
"""
LOOPBACK = Credentials(SecretStr(KEY), "a test", "http://127.0.0.1:9", "http://127.0.0.1:9")


def test_no_other_key_goes_along(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another-key-not-real")
    monkeypatch.setenv("BASETEN_PROFILE", "of-another-account")
    monkeypatch.setenv("BASETEN_API_KEY", "older-key-not-real")
    given = environment_for(BASETEN)
    assert given["BASETEN_API_KEY"] == given["BASETEN_TRUSS_AUTH_API_KEY"] == KEY
    assert given["BASETEN_TRUSS_AUTH_REMOTE_URL"] == "https://app.baseten.co"
    assert not [name for name in given if name.startswith("AWS_")]
    assert "BASETEN_PROFILE" not in given


def test_the_users_proxy_is_kept_for_baseten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.invalid:3128")
    assert environment_for(BASETEN)["HTTPS_PROXY"] == "http://proxy.invalid:3128"


def test_on_loopback_nothing_finds_its_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.invalid:3128")
    given = environment_for(LOOPBACK)
    assert given["HTTPS_PROXY"] == given["https_proxy"] == LOOPBACK.remote_url
    assert "127.0.0.1" in given["NO_PROXY"]


async def test_the_key_is_taken_out_of_what_a_program_says(tmp_path: Path) -> None:
    code = "import os, sys; print(os.environ['KEY']); print(os.environ['KEY'], file=sys.stderr)"
    ended = await run_child(
        [sys.executable, "-c", f"{code}; sys.exit(3)"],
        directory=tmp_path,
        environment={"KEY": KEY},
        secret=KEY,
    )
    assert (ended.status, ended.stdout.strip(), ended.stderr.strip()) == (3, "…", "…")


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(LIMIT_S)
        yield server


def connecting(program: str, listener: socket.socket) -> str:
    return program.replace("PORT", str(listener.getsockname()[1]))


def connected(listener: socket.socket) -> socket.socket:
    line, _ = listener.accept()
    line.settimeout(LIMIT_S)
    return line


def ended(line: socket.socket) -> bool:
    with line:
        return line.recv(1) == b""


@pytest.mark.parametrize(
    ("program", "kind", "processes"),
    [(ANSWERS, "asked", 1), (SLEEPS, "not", 1), (WITH_ONE_OF_ITS_OWN, "not", 2)],
)
def test_it_ends_with_who_asked_even_if_that_is_killed(
    listener: socket.socket, program: str, kind: str, processes: int
) -> None:
    code = connecting(program, listener)
    asker = subprocess.Popen([sys.executable, "-c", ASKS, code, kind], cwd=PROJECT)
    lines = [connected(listener) for _ in range(processes)]
    asker.kill()
    asker.wait()
    assert all(ended(line) for line in lines)


async def test_one_that_is_cancelled_ends_with_all_it_has_started(
    listener: socket.socket, tmp_path: Path
) -> None:
    words = [sys.executable, "-c", connecting(WITH_ONE_OF_ITS_OWN, listener)]
    running = asyncio.create_task(run_child(words, directory=tmp_path, environment={}, secret=KEY))
    lines = [await asyncio.to_thread(connected, listener) for _ in range(2)]
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert all([await asyncio.to_thread(ended, line) for line in lines])


async def test_one_that_will_not_end_is_killed_at_the_second_ctrl_c(
    listener: socket.socket, tmp_path: Path
) -> None:
    code = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLEEPS}"
    running = asyncio.create_task(
        run_child(
            [sys.executable, "-c", connecting(code, listener)],
            directory=PROJECT,
            environment={},
            secret=KEY,
            question=b"{}",
        )
    )
    line = await asyncio.to_thread(connected, listener)
    running.cancel()
    await asyncio.sleep(0.1)
    assert not running.done()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await asyncio.to_thread(ended, line)


async def test_one_that_a_signal_has_ended_has_not_ended_well(tmp_path: Path) -> None:
    code = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    words = [sys.executable, "-c", code]
    told = await run_child(words, directory=tmp_path, environment={}, secret=KEY)
    assert told.status == 128 + signal.SIGKILL


@pytest.mark.parametrize("question", [b"{}", None])
async def test_nobody_answers_what_it_asks(question: bytes | None) -> None:
    """A program that asks finds the input at its end, and does not wait for an answer."""
    code = "import json, sys; from deploy.child_answers import answer; "
    code += (
        "print(json.dumps({'read': sys.stdin.read()}))"
        if question is None
        else "answer(lambda question, say: {'read': sys.stdin.read()})"
    )
    told = await run_child(
        [sys.executable, "-c", code],
        directory=PROJECT,
        environment=dict(os.environ),
        secret=KEY,
        question=question,
    )
    assert told.stdout.strip() == '{"read": ""}'
