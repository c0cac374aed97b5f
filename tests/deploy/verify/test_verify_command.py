"""`python -m deploy verify`, as a user runs it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from app.deployment import DeploymentRecord
from app.simulator import SimulatorSettings, create_simulator
from app.simulator.embedded import on_loopback, running_simulator
from deploy.bodies import MOST_BYTES
from deploy.command_line import run
from deploy.verify.battery import CHECKS
from tests.deploy.verify.altered import Altered
from tests.interrupts import take_interrupts
from tests.loopback import SILENCE, Loopback, Reply

PROJECT = Path(__file__).parents[3]
KEY = "test-key-not-real"
MODEL = "zai-org/GLM-5.3-Flash"
# Fast, and slow enough for sixteen answers to be under way at once.
SPEED = 600
COSTLY = [check.name for check in CHECKS if check.costly]


@dataclass(frozen=True, slots=True)
class Ended:
    """A command that has ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Verify: TypeAlias = Callable[..., Awaitable[Ended]]


@pytest.fixture
async def simulated() -> AsyncIterator[str]:
    async with running_simulator(SimulatorSettings(tokens_per_second=SPEED)) as url:
        yield url


@pytest.fixture
def verify(capsys: pytest.CaptureFixture[str]) -> Verify:
    """Runs the command beside the server that is verified."""

    async def verify(*words: str) -> Ended:
        status = await asyncio.to_thread(run, ["verify", *words])
        return Ended(status, *capsys.readouterr())

    return verify


def outcomes(report: Any) -> dict[str, str]:
    return {check["name"]: check["outcome"] for check in report["checks"]}


async def test_the_whole_battery_passes_against_the_simulator(
    simulated: str, verify: Verify
) -> None:
    ended = await verify("--base-url", simulated, "--yes", "--json")
    expected = {check.name: "pass" for check in CHECKS}
    expected |= {"key": "skipped", "cached_tokens": "skipped"}
    assert outcomes(ended.json) == expected
    assert (ended.status, ended.json["differ"], ended.json["not_made"]) == (0, 0, 0)
    seen = {check["name"]: check["seen"] for check in ended.json["checks"]}
    assert seen["cached_tokens"] == "the preset lacks --enable-prompt-tokens-details"
    assert seen["reasoning"] == "the field is reasoning"
    assert "40 checks, about 57 requests and at most" in ended.err


async def test_results_are_lines_and_a_sum(simulated: str, verify: Verify) -> None:
    ended = await verify("--base-url", simulated, "--only", "model", "--only", "context")
    assert ended.out.splitlines() == [
        "pass      model                 the model is served as zai-org/GLM-5.3-Flash",
        "pass      context               a request may take 1,048,576 tokens",
        "2 pass, 0 differ, 0 skipped.",
    ]


async def test_the_preset_s_figures_are_what_a_server_is_held_to(
    simulated: str, verify: Verify
) -> None:
    words = ("--set", "max-model-len=262144", "--only", "context", "--json")
    ended = await verify("--base-url", simulated, *words)
    [check] = ended.json["checks"]
    assert ended.status == 1
    assert check["promise"] == "a request may take 262,144 tokens"
    assert (check["outcome"], check["seen"]) == ("differs", "max_model_len is 1,048,576")


async def test_cached_tokens_are_looked_at_where_the_preset_tells_them(verify: Verify) -> None:
    settings = SimulatorSettings(tokens_per_second=1e9, cached_tokens=True)
    async with running_simulator(settings) as url:
        words = ("--set", "enable-prompt-tokens-details", "--only", "cached_tokens", "--json")
        ended = await verify("--base-url", url, *words)
    assert outcomes(ended.json) == {"cached_tokens": "pass"}


async def test_what_costs_most_is_not_made_without_a_yes(simulated: str, verify: Verify) -> None:
    only = [word for name in COSTLY for word in ("--only", name)]
    ended = await verify("--base-url", simulated, *only, "--json")
    assert outcomes(ended.json) == dict.fromkeys(COSTLY, "skipped")
    assert "20 requests" in ended.err


async def test_quick_leaves_out_what_costs_most(simulated: str, verify: Verify) -> None:
    ended = await verify("--base-url", simulated, "--quick", "--json")
    made = outcomes(ended.json)
    assert ended.status == 0
    assert set(made) == {check.name for check in CHECKS} - set(COSTLY)


async def test_a_key_that_a_server_repeats_is_not_told(
    verify: Verify, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    simulator = create_simulator(SimulatorSettings(model=f"model of {KEY}"))
    async with on_loopback(Altered(simulator)) as url:
        ended = await verify("--base-url", f"{url}/v1", "--only", "model", "--json")
    assert ended.json["checks"][0]["seen"] == "served is model of [API key]"
    assert KEY not in ended.out + ended.err


async def test_only_its_own_key_goes_to_a_server(
    loopback: Callable[..., Awaitable[Loopback]],
    verify: Verify,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BASETEN_API_KEY", KEY)
    server = await loopback(Reply.json({"data": []}))
    await verify("--base-url", f"{server.url}/v1", "--only", "model")
    assert server.exchanges
    assert all(KEY.encode() not in exchange.head for exchange in server.exchanges)


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        ((), 4, "No deployment is known"),
        (("--base-url", "http://127.0.0.1:1/v1"), 1, "No connection to 127.0.0.1:1"),
        (("--base-url", "not an address"), 2, "The base URL must start with http"),
        (("--only", "nope"), 2, "There is no check nope: choose of at_once"),
        (("--only", "at_once", "--quick"), 2, "--quick leaves out what --only names"),
        (("--set", "max-num-seqs-"), 5, "give it --served-model-name"),
    ],
)
async def test_what_cannot_be_done_is_one_sentence(
    words: Sequence[str], status: int, sentence: str, verify: Verify
) -> None:
    ended = await verify(*words)
    assert (ended.status, ended.out) == (status, "")
    assert sentence in ended.err


async def test_a_refused_key_ends_it(
    loopback: Callable[..., Awaitable[Loopback]], verify: Verify
) -> None:
    server = await loopback(Reply.json({"error": "Unauthorized"}, status=401))
    ended = await verify("--base-url", f"{server.url}/v1")
    assert ended.status == 3
    assert ended.err.endswith("refuses the key, or misses one (HTTP 401): set OPENAI_API_KEY.\n")


@pytest.mark.parametrize("looks", [0, 1])
async def test_a_server_that_falls_silent_before_the_first_check_is_given_up(
    looks: int, loopback: Callable[..., Awaitable[Loopback]], verify: Verify
) -> None:
    server = await loopback(*[Reply.json({"data": [{"id": MODEL}]})] * looks, SILENCE)
    ended = await verify("--base-url", f"{server.url}/v1", "--timeout", "0.3", "--yes", "--json")
    assert ended.status == 1
    assert "did not answer in 0.3 s" in ended.json["error"]["message"]
    assert len(server.exchanges) == looks + 1


async def test_a_list_of_models_without_end_is_given_up(
    loopback: Callable[..., Awaitable[Loopback]], verify: Verify
) -> None:
    endless = Reply([b" " * 2**20] * (MOST_BYTES // 2**20 + 1), end="hang")
    server = await loopback(Reply.json({"data": [{"id": MODEL}]}), endless)
    ended = await verify("--base-url", f"{server.url}/v1")
    assert (ended.status, ended.out) == (1, "")
    assert f"the answer is larger than {MOST_BYTES:,} bytes" in ended.err


async def test_with_a_closed_input_nobody_is_asked(simulated: str) -> None:
    words = f"{sys.executable} -m deploy verify --json --base-url {simulated}"
    process = await asyncio.create_subprocess_shell(
        f"exec {words} --only max_tokens_too_many <&-",
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert outcomes(json.loads(out)) == {"max_tokens_too_many": "skipped"}
    assert b"Traceback" not in err


@pytest.fixture
async def recorded(
    loopback: Callable[..., Awaitable[Loopback]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., Awaitable[Loopback]]:
    """A recorded deployment on a Baseten that says this status, and answers its models so."""

    async def recorded(status: str, models: Reply) -> Loopback:
        environment, address = "/v1/models/abc1d2ef/environments/production", "/model-abc1d2ef"
        told = Reply.json({"current_deployment": {"id": "xyz123", "status": status}})
        base_url = f"{address}/environments/production/sync/v1"
        routes = {f"GET {environment}": [told], f"GET {base_url}/models": [models]}
        server = await loopback(Reply.json({}, status=404), routes=routes)
        record = DeploymentRecord(
            model_id="abc1d2ef",
            deployment_id="xyz123",
            environment="production",
            base_url=f"{server.url}{base_url}",
            served_name=MODEL,
        )
        (tmp_path / "deployment.json").write_text(record.model_dump_json())
        monkeypatch.setenv("BASETEN_API_URL", server.url)
        monkeypatch.setenv("BASETEN_API_KEY", KEY)
        return server

    return recorded


async def test_the_record_s_deployment_is_verified_with_its_key(
    recorded: Callable[..., Awaitable[Loopback]], verify: Verify
) -> None:
    server = await recorded("ACTIVE", Reply.json({"data": [{"id": MODEL}]}))
    ended = await verify("--only", "model", "--json")
    assert outcomes(ended.json) == {"model": "pass"}
    assert {exchange.headers["authorization"] for exchange in server.exchanges} == {f"Bearer {KEY}"}


async def test_a_model_that_sleeps_is_not_woken(
    recorded: Callable[..., Awaitable[Loopback]], verify: Verify
) -> None:
    server = await recorded("SCALED_TO_ZERO", Reply.json({"error": "parked"}, status=500))
    ended = await verify()
    assert ended.status == 1
    assert "run python -m deploy wake" in ended.err
    assert [exchange.path for exchange in server.exchanges] == [
        "/v1/models/abc1d2ef/environments/production"
    ]


async def test_a_deployment_that_is_switched_off_is_not_asked(
    recorded: Callable[..., Awaitable[Loopback]], verify: Verify
) -> None:
    await recorded("INACTIVE", SILENCE)
    ended = await verify()
    assert (ended.status, ended.err) == (
        1,
        "The deployment is switched off (INACTIVE): activate it on Baseten.\n",
    )


@pytest.mark.parametrize(("answer", "outcome"), [("y", "pass"), ("n", "skipped"), ("", "skipped")])
async def test_it_asks_before_what_costs_most(answer: str, outcome: str, simulated: str) -> None:
    ours, its = os.openpty()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "deploy", "verify", "--base-url", simulated,
        "--only", "max_tokens_too_many", "--json",
        cwd=PROJECT,
        stdin=its,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    os.close(its)
    os.write(ours, f"{answer}\n".encode())
    out, err = await process.communicate()
    os.close(ours)
    assert outcomes(json.loads(out)) == {"max_tokens_too_many": outcome}
    assert b"1 request and no tokens to speak of for max_tokens_too_many." in err
    assert b"Make these too? [y/N]" in err


@pytest.mark.parametrize("as_json", [False, True])
async def test_ctrl_c_ends_it_with_what_was_seen(
    as_json: bool, loopback: Callable[..., Awaitable[Loopback]]
) -> None:
    server = await loopback(
        SILENCE, routes={"GET /v1/models": [Reply.json({"data": [{"id": MODEL}]})]}
    )
    words = ["--base-url", f"{server.url}/v1", "--only", "model", "--only", "whole"]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "deploy", "verify", *words, *(["--json"] if as_json else []),
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=take_interrupts,
    )  # fmt: skip
    # Two looks at the server, its models, and then what is never answered.
    await server.exchange(3)
    process.send_signal(signal.SIGINT)
    out, _ = await process.communicate()
    assert process.returncode == 130
    if as_json:
        report = json.loads(out)
        assert (outcomes(report), report["not_made"]) == ({"model": "pass"}, 1)
    else:
        assert out.decode().splitlines() == [
            f"pass      model                 the model is served as {MODEL}",
            "1 pass, 0 differ, 0 skipped, 1 not made: it was interrupted.",
        ]
