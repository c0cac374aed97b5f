"""status, logs, wait, wake, scale, stop, start, promote and connect, as a user gives them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.deployment import read_record
from app.settings import load_settings
from deploy import exit_status
from deploy.command_line import run
from tests.deploy.fake.state import Deployment
from tests.deploy.fake_baseten import API_KEY, DROPPED, FakeBaseten

PROJECT = Path(__file__).parents[2]
LIMIT_S = 60
CONFIG = {
    "resources": {"instance_type": "H100:8"},
    "docker_server": {"start_command": "vllm serve --served-model-name zai-org/GLM-5.3-Flash"},
}
COMMANDS = ("status", "logs", "wait", "wake", "scale", "stop", "start", "promote", "connect")
WAITING = ("wait", "wake", "start", "stop", "promote", "connect", "scale")


@pytest.fixture
def serving(baseten: FakeBaseten) -> Deployment:
    """One deployment, of production."""
    return baseten.deployed("glm", CONFIG)


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, Any, str]]:
    """Runs a command with `--json`: its status, its object, and what it noted."""

    def ask(*words: str) -> tuple[int, Any, str]:
        quick = ("--poll", "0.01") if words[0] in WAITING else ()
        status = run([*words, *quick, "--json"])
        out, err = capsys.readouterr()
        assert API_KEY not in out + err
        return status, json.loads(out), err

    return ask


def named(deployment: Deployment) -> tuple[str, ...]:
    return "--model-id", deployment.model_id, "--deployment-id", deployment.id


def record_file() -> Path:
    return Path(os.environ["GLM_DEPLOYMENT_FILE"])


@pytest.mark.parametrize("command", COMMANDS)
def test_a_refused_key_is_3_and_an_unknown_model_4(
    baseten: FakeBaseten,
    told: Callable[..., tuple[int, Any, str]],
    monkeypatch: pytest.MonkeyPatch,
    command: str,
) -> None:
    status, value, _ = told(command, "--model-id", "nosuch1")
    assert status == exit_status.NOT_FOUND
    assert value["error"]["message"]
    monkeypatch.setenv("BASETEN_API_KEY", "test-key-not-real-and-wrong")
    status, value, _ = told(command, "--model-id", "nosuch1")
    assert status == exit_status.CREDENTIALS
    assert "test-key-not-real-and-wrong" not in value["error"]["message"]


@pytest.mark.parametrize("command", COMMANDS)
def test_with_nothing_named_and_no_record_it_says_what_to_do(
    baseten: FakeBaseten, told: Callable[..., tuple[int, Any, str]], command: str
) -> None:
    status, value, _ = told(command)
    assert status == exit_status.NOT_FOUND
    assert "python -m deploy connect" in value["error"]["message"]


def test_status_tells_what_it_costs_and_what_is_next(
    serving: Deployment, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["status", "--model-id", serving.model_id]) == exit_status.OK
    shown = capsys.readouterr().out
    assert "Serving (ACTIVE), billed at $52.00 an hour." in shown
    assert "production (points at it)" in shown
    assert f"/model-{serving.model_id}/environments/production/sync/v1" in shown
    assert "0 to 1 replicas, 1 requests at once" in shown
    assert f"python -m deploy connect {' '.join(named(serving))}" in shown


@pytest.mark.parametrize(
    ("status", "billed", "following"),
    [
        ("SCALED_TO_ZERO", False, "wake"),
        ("INACTIVE", False, "start"),
        ("LOADING_MODEL", True, "wait"),
        ("UNHEALTHY", True, "logs"),
        ("BUILD_FAILED", False, "logs"),
        ("SOMETHING_NEW", True, "wait"),
    ],
)
def test_status_of_each_kind(
    baseten: FakeBaseten,
    serving: Deployment,
    told: Callable[..., tuple[int, Any, str]],
    status: str,
    billed: bool,
    following: str,
) -> None:
    baseten.set_status(serving.model_id, status)
    ended, value, _ = told("status", *named(serving))
    assert ended == exit_status.OK
    assert (value["status"], value["billed"]) == (status, billed)
    assert value["dollars_per_hour"] == (pytest.approx(51.9984) if billed else 0)
    assert value["next"].startswith(f"python -m deploy {following} ")


def test_what_else_is_billed_is_told(
    baseten: FakeBaseten, serving: Deployment, told: Callable[..., tuple[int, Any, str]]
) -> None:
    other = baseten.deployed("glm", CONFIG)
    assert told("status", *named(serving))[1]["others_billed"] == [other.id]
    assert told("stop", *named(serving))[1]["others_billed"] == [other.id]


def test_logs_are_told_oldest_first(
    serving: Deployment, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["logs", *named(serving), "--limit", "5"]) == exit_status.OK
    first, last = capsys.readouterr().out.splitlines()
    assert first.endswith("(abcde) the build is done")
    assert last.endswith("the status is ACTIVE")


@pytest.mark.parametrize("words", [("--limit", "0"), ("--limit", "1001"), ("--follow",)])
def test_logs_that_cannot_be_given_are_refused(
    serving: Deployment, told: Callable[..., tuple[int, Any, str]], words: tuple[str, ...]
) -> None:
    assert told("logs", *named(serving), *words)[0] == exit_status.USAGE


def test_logs_are_followed_each_line_once_until_ctrl_c(
    baseten: FakeBaseten, serving: Deployment
) -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "deploy", "logs", *named(serving), "--follow", "--poll", "0.05"],
        cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    baseten.until_asked("POST .*/logs", 2, LIMIT_S)
    baseten.fail("POST .*/logs", DROPPED, times=2)
    baseten.set_status(serving.model_id, "UNHEALTHY")
    baseten.until_asked("POST .*/logs", 6, LIMIT_S)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=LIMIT_S)
    assert child.returncode == exit_status.INTERRUPTED
    assert [line.split(") ")[1] for line in out.splitlines()] == [
        "the build is done", "the status is ACTIVE", "the status is UNHEALTHY",
    ]  # fmt: skip
    assert "Baseten does not answer; asking again." in err
    assert "is billed at $52.00 an hour" in err
    assert "python -m deploy stop" in err
    assert "Traceback" not in err


def test_wait_shows_each_phase(
    baseten: FakeBaseten, serving: Deployment, told: Callable[..., tuple[int, Any, str]]
) -> None:
    baseten.set_status(serving.model_id, "BUILDING")
    serving.script = ["UNHEALTHY", "ACTIVE", "ACTIVE"]
    status, value, err = told("wait", *named(serving))
    assert (status, value["status"]) == (exit_status.OK, "ACTIVE")
    assert "Serving" in err


def test_wait_that_fails_says_what_is_billed(
    baseten: FakeBaseten, serving: Deployment, told: Callable[..., tuple[int, Any, str]]
) -> None:
    baseten.set_status(serving.model_id, "DEPLOY_FAILED")
    status, value, _ = told("wait", *named(serving))
    assert status == exit_status.FAILED
    assert "is not billed as it is" in value["error"]["message"]
    baseten.set_status(serving.model_id, "LOADING_MODEL")
    status, value, _ = told("wait", *named(serving), "--timeout", "0.05")
    assert status == exit_status.FAILED
    assert "billed at $52.00 an hour. To stop paying" in value["error"]["message"]


def test_ctrl_c_in_a_wait_says_what_is_billed(baseten: FakeBaseten, serving: Deployment) -> None:
    baseten.set_status(serving.model_id, "LOADING_MODEL")
    child = subprocess.Popen(
        [sys.executable, "-m", "deploy", "wait", *named(serving), "--poll", "0.05"],
        cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    baseten.until_asked("GET .*/deployments/", 4, LIMIT_S)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=LIMIT_S)
    assert child.returncode == exit_status.INTERRUPTED
    assert "is billed at $52.00 an hour" in err
    assert f"python -m deploy stop {' '.join(named(serving))}" in err
    assert "Traceback" not in out + err


def test_wake_wakes_and_waits(
    baseten: FakeBaseten, serving: Deployment, told: Callable[..., tuple[int, Any, str]]
) -> None:
    baseten.set_status(serving.model_id, "SCALED_TO_ZERO")
    status, value, _ = told("wake", *named(serving))
    assert (status, value["status"]) == (exit_status.OK, "ACTIVE")
    assert len(baseten.asked("POST .*/wake")) == 1
    assert told("wake", *named(serving))[0] == exit_status.OK
    assert len(baseten.asked("POST .*/wake")) == 1
    baseten.set_status(serving.model_id, "INACTIVE")
    status, value, _ = told("wake", *named(serving))
    assert status == exit_status.FAILED
    assert "python -m deploy start" in value["error"]["message"]


def test_scale_shows_changes_and_reads_back(
    serving: Deployment, told: Callable[..., tuple[int, Any, str]]
) -> None:
    assert told("scale", *named(serving))[1]["autoscaling"]["concurrency_target"] == 1
    status, value, _ = told(
        "scale", *named(serving), "--min", "1", "--max", "2", "--concurrency-target", "16",
        "--scale-down-delay", "300", "--window", "120", "--utilization", "80",
    )  # fmt: skip
    assert (status, value["holds"]) == (exit_status.OK, True)
    assert serving.autoscaling == {
        "min_replica": 1,
        "max_replica": 2,
        "autoscaling_window": 120,
        "scale_down_delay": 300,
        "concurrency_target": 16,
        "target_utilization_percentage": 80,
    }


@pytest.mark.parametrize(
    "words",
    [
        ("--min", "-1"),
        ("--min", "2"),
        ("--max", "0"),
        ("--window", "9"),
        ("--window", "3601"),
        ("--scale-down-delay", "3601"),
        ("--utilization", "101"),
        ("--concurrency-target", "0"),
        ("--min", "some"),
    ],
)
def test_scale_refuses_what_baseten_would_not_take(
    baseten: FakeBaseten, serving: Deployment, words: tuple[str, str]
) -> None:
    assert run(["scale", *named(serving), *words]) == exit_status.USAGE
    assert not baseten.asked("PATCH")


def test_scale_says_what_does_not_hold_yet(
    baseten: FakeBaseten, serving: Deployment, told: Callable[..., tuple[int, Any, str]]
) -> None:
    baseten.fail("PATCH", 200, {"status": "QUEUED", "message": "later"})
    status, value, _ = told("scale", *named(serving), "--concurrency-target", "16")
    assert (status, value["holds"]) == (exit_status.FAILED, False)
    assert value["autoscaling"]["concurrency_target"] == 1


def test_stop_and_start(serving: Deployment, told: Callable[..., tuple[int, Any, str]]) -> None:
    status, value, err = told("stop", *named(serving))
    assert (status, value["status"], value["billed"]) == (exit_status.OK, "INACTIVE", False)
    assert "answers no request until it is started again" in err
    assert told("stop", *named(serving))[0] == exit_status.OK
    status, value, err = told("start", *named(serving))
    assert (status, value["status"]) == (exit_status.OK, "ACTIVE")
    assert "is billed from now on" in err


def test_promote_waits_until_the_environment_points_at_it(
    baseten: FakeBaseten, serving: Deployment, told: Callable[..., tuple[int, Any, str]]
) -> None:
    assert told("connect", *named(serving))[0] == exit_status.OK
    new = baseten.deployed("glm", CONFIG)
    baseten.account.promotion = "pending"
    status, value, err = told("promote", *named(new), "--timeout", "0.1")
    assert status == exit_status.FAILED
    assert f"production still is deployment {serving.id}" in value["error"]["message"]
    assert f"production is deployment {serving.id}" in err
    baseten.finish_promotions()
    status, value, _ = told("promote", *named(new))
    assert (status, value["deployment_id"]) == (exit_status.OK, new.id)
    assert value["record_updated"] is False


def test_promote_puts_back_the_autoscaling_that_the_environment_replaced(
    baseten: FakeBaseten, serving: Deployment, told: Callable[..., tuple[int, Any, str]]
) -> None:
    new = baseten.deployed("glm", CONFIG)
    new.autoscaling["concurrency_target"] = 16
    status, value, _ = told("promote", *named(new))
    assert (status, value["before"]) == (exit_status.OK, serving.id)
    assert value["autoscaling"]["concurrency_target"] == 16
    assert len(baseten.asked("PATCH")) == 1


def test_promote_lets_its_own_record_name_the_environment(
    baseten: FakeBaseten, serving: Deployment, told: Callable[..., tuple[int, Any, str]]
) -> None:
    new = baseten.deployed("glm", CONFIG)
    assert told("connect", *named(new))[0] == exit_status.OK
    before = read_record(record_file())
    assert before is not None
    assert before.environment is None
    status, value, _ = told("promote")
    assert (status, value["record_updated"]) == (exit_status.OK, True)
    after = read_record(record_file())
    assert after is not None
    assert (after.deployment_id, after.environment) == (new.id, "production")
    assert load_settings().connection().base_url == after.base_url


def test_promote_to_an_environment_that_is_not_there(
    baseten: FakeBaseten, serving: Deployment, told: Callable[..., tuple[int, Any, str]]
) -> None:
    status, value, _ = told("promote", *named(serving), "--environment", "staging")
    assert status == exit_status.NOT_FOUND
    assert "it has production" in value["error"]["message"]
    assert not baseten.asked("POST .*/promote")


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (("--model-id", "{model}"), "environments/production"),
        (("--model-id", "{model}", "--deployment-id", "{deployment}"), "deployment/{deployment}"),
        (("{url}/model-{model}/environments/production/sync/v1",), "environments/production"),
        (("{url}/model-{model}/deployment/{deployment}/predict",), "deployment/{deployment}"),
    ],
)
def test_connect_writes_the_record_that_the_page_reads(
    baseten: FakeBaseten,
    serving: Deployment,
    told: Callable[..., tuple[int, Any, str]],
    words: tuple[str, ...],
    place: str,
) -> None:
    ids = {"model": serving.model_id, "deployment": serving.id, "url": baseten.url}
    status, value, _ = told("connect", *(word.format(**ids) for word in words))
    assert status == exit_status.OK
    assert value["base_url"].endswith(f"/model-{serving.model_id}/{place.format(**ids)}/sync/v1")
    connection = load_settings().connection()
    assert (connection.base_url, connection.model) == (value["base_url"], "zai-org/GLM-5.3-Flash")
    assert API_KEY not in record_file().read_text()
    assert [path.name for path in record_file().parent.glob("*deployment.json*")] == [
        record_file().name
    ]


def test_connect_wakes_one_that_sleeps_and_takes_the_name_it_finds(
    baseten: FakeBaseten, told: Callable[..., tuple[int, Any, str]]
) -> None:
    other = baseten.deployed("other", {}, "SCALED_TO_ZERO")
    status, value, err = told("connect", "--model-id", other.model_id)
    assert (status, value["served_name"]) == (exit_status.OK, "fake-model")
    assert "not as zai-org/GLM-5.3-Flash" in err


def test_connect_writes_nothing_where_the_model_does_not_answer(
    baseten: FakeBaseten, serving: Deployment, told: Callable[..., tuple[int, Any, str]]
) -> None:
    baseten.fail("POST .*chat/completions", 400, {"error": f"no, {API_KEY}"})
    status, value, _ = told("connect", *named(serving))
    assert status == exit_status.FAILED
    assert "nothing was written" in value["error"]["message"]
    assert not record_file().exists()


@pytest.mark.parametrize(
    "url",
    [
        "https://model-abc1d2ef.api.baseten.co.example/production/predict",
        "http://model-abc1d2ef.api.baseten.co/production/predict",
        "https://example.com/v1",
        "http://127.0.0.1:1/model-abc1d2ef/production",
        "https://[::1",
        "abc1d2ef",
    ],
)
def test_connect_refuses_an_address_of_anothers(
    baseten: FakeBaseten, told: Callable[..., tuple[int, Any, str]], url: str
) -> None:
    status, value, _ = told("connect", url)
    assert status == exit_status.USAGE
    assert "OPENAI_BASE_URL" in value["error"]["message"]
    assert not baseten.requests


def test_a_record_that_cannot_be_written_is_said(
    serving: Deployment,
    told: Callable[..., tuple[int, Any, str]],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("GLM_DEPLOYMENT_FILE", str(tmp_path / "file" / "record.json"))
    status, value, _ = told("connect", *named(serving))
    assert status == exit_status.FAILED
    assert str(tmp_path / "file") in value["error"]["message"]


def test_the_record_is_what_is_meant_where_nothing_is_named(
    serving: Deployment, told: Callable[..., tuple[int, Any, str]]
) -> None:
    told("connect", "--model-id", serving.model_id)
    value = told("status")[1]
    assert (value["deployment_id"], value["next"]) == (serving.id, "python -m deploy call chat")
    record_file().write_text("{")
    assert told("status")[0] == exit_status.USAGE
