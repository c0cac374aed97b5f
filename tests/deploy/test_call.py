"""`python -m deploy call`: the calls of the preset's page."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from app.deployment import DeploymentRecord
from app.simulator import SimulatorSettings
from app.simulator.embedded import running_simulator
from deploy.command_line import run
from tests.loopback import DONE, Loopback, Reply, chunk

KEY = "test-key-not-real"

Call: TypeAlias = Callable[..., Awaitable[tuple[int, str, str]]]


@pytest.fixture(autouse=True)
def _on_loopback_alone(
    loopback_only: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "BASETEN_API_KEY", "BASETEN_MODEL_ID"):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("GLM_DEPLOYMENT_FILE", str(tmp_path / "deployment.json"))
    monkeypatch.setenv("USER_TRUSSRC_PATH", str(tmp_path / "trussrc"))
    monkeypatch.setenv("BASETEN_TRUSS_AUTH_KEYRING_DISABLED", "1")
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
async def simulated() -> AsyncIterator[str]:
    async with running_simulator(SimulatorSettings(tokens_per_second=1e9)) as url:
        yield url


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """Runs the command beside the server that it asks: status, output, notes."""

    async def call(*words: str) -> tuple[int, str, str]:
        status = await asyncio.to_thread(run, ["call", *words])
        out, err = capsys.readouterr()
        return status, out, err

    return call


@pytest.mark.parametrize("stream", [(), ("--stream",)])
async def test_the_thought_the_answer_and_the_calls_are_printed(
    stream: tuple[str, ...], simulated: str, call: Call
) -> None:
    status, out, _ = await call("tools", *stream, "--base-url", simulated)
    assert status == 0
    assert out.startswith("The user wrote 28 characters")
    assert out.endswith('\n\nget_weather({"location": "Paris"})\n')


async def test_another_prompt_takes_the_place_of_the_page_s(simulated: str, call: Call) -> None:
    _, out, _ = await call("chat", "Name three birds", "--base-url", simulated)
    assert "> Name three birds" in out


async def test_as_json_it_is_one_object(simulated: str, call: Call) -> None:
    status, out, _ = await call("reasoning", "--json", "--base-url", simulated)
    report: dict[str, Any] = json.loads(out)
    assert status == 0
    assert report["reasoning"]
    assert "> How many r's in strawberry?" in report["content"]
    assert report["finish_reason"] == "stop"
    assert report["request"] == {
        "model": "zai-org/GLM-5.3-Flash",
        "messages": [{"role": "user", "content": "How many r's in strawberry?"}],
    }


BASE_URL = "https://model-abc1d2ef.api.baseten.co/environments/production/sync/v1"


@pytest.fixture
def record(tmp_path: Path) -> None:
    record = DeploymentRecord(
        model_id="abc1d2ef",
        deployment_id="xyz123",
        environment="production",
        base_url=BASE_URL,
        served_name="zai-org/GLM-5.3-Flash",
    )
    (tmp_path / "deployment.json").write_text(record.model_dump_json())


@pytest.mark.usefixtures("record")
@pytest.mark.parametrize("key", ["", KEY])
async def test_the_record_s_deployment_is_printed_as_the_page_has_it(
    key: str, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BASETEN_API_KEY", key)
    status, out, _ = await call("chat", "--curl")
    assert status == 0
    assert out == (
        f"""curl -s {BASE_URL}/chat/completions \\
  -H "Content-Type: application/json" \\
  -H "Authorization: Bearer $BASETEN_API_KEY" \\
  -d '{{
    "model": "zai-org/GLM-5.3-Flash",
    "messages": [
      {{"role": "user", "content": "What is machine learning?"}}
    ]
  }}'
"""
    )
    _, out, _ = await call("chat", "--python")
    assert 'api_key=os.environ["BASETEN_API_KEY"]' in out
    assert KEY not in out


@pytest.mark.usefixtures("record")
async def test_a_recorded_deployment_without_a_key_says_how_to_give_one(call: Call) -> None:
    status, _, err = await call("chat")
    assert status == 3
    assert ".venv/bin/truss login --browser" in err


@pytest.mark.parametrize(
    ("reply", "status", "sentence"),
    [
        (Reply.json({"error": "Unauthorized"}, status=401), 3, "HTTP 401: Unauthorized"),
        (Reply.json({"error": "no such model"}, status=404), 4, "HTTP 404: no such model"),
        (Reply.json({"error": "busy"}, status=503), 1, "HTTP 503: busy"),
        (Reply((chunk(content="Half an"), DONE)), 1, "The answer broke off before its end"),
    ],
)
async def test_what_goes_wrong_is_one_sentence(
    reply: Reply,
    status: int,
    sentence: str,
    loopback: Callable[..., Awaitable[Loopback]],
    call: Call,
) -> None:
    server = await loopback(reply)
    ended, _, err = await call("chat", "--stream", "--base-url", f"{server.url}/v1")
    assert ended == status
    assert err.startswith(sentence)


async def test_a_terminal_is_not_told_what_to_do(
    loopback: Callable[..., Awaitable[Loopback]], call: Call
) -> None:
    server = await loopback(Reply((chunk(content="a\x1b[2Jb"), chunk("stop"), DONE)))
    _, out, _ = await call("chat", "--stream", "--base-url", f"{server.url}/v1")
    assert out == "a\N{REPLACEMENT CHARACTER}[2Jb\n"


async def test_with_nothing_to_call_it_says_what_to_do(call: Call) -> None:
    status, _, err = await call("chat")
    assert status == 4
    assert "python -m deploy push" in err
