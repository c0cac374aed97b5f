"""`--via`: the push by another program, and what is done when it fails or is not there."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from deploy import exit_status
from deploy.command_line import run
from deploy.preset import load_preset
from tests.deploy.fake_baseten import API_KEY, FakeBaseten
from tests.deploy.programs import pushing_cli

MODEL = load_preset().model_name


def push(*words: str) -> int:
    return run(["push", "--yes", "--poll", "0.01", *words])


@pytest.fixture
def called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Puts programs named `baseten` and `truss` on PATH; gives the file that tells their call."""
    folder = tmp_path / "programs"
    folder.mkdir()
    source = Path(pushing_cli.__file__).read_text("utf-8")
    for name in ("baseten", "truss"):
        program = folder / name
        program.write_text(f"#!{sys.executable}\n{source}", "utf-8")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    file = tmp_path / "called.json"
    monkeypatch.setenv("GLM_TEST_CALLED", str(file))
    return file


def words_of(called: Path) -> Any:
    told = json.loads(called.read_text("utf-8"))
    assert told["files"] == ["config.yaml"]
    return told["words"]


def test_baseten_is_run_as_the_presets_page_shows(
    baseten: FakeBaseten, called: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert push("--via", "baseten-cli") == exit_status.OK
    assert words_of(called) == ["model", "push", "--output", "json"]
    [deployment] = baseten.deployments()
    assert deployment.autoscaling["concurrency_target"] == 16
    out, err = capfd.readouterr()
    assert "baseten-cli: Uploaded model in 0s" in err
    assert f"deployment {deployment.id}" in out
    assert API_KEY not in out + err


def test_it_promotes_with_the_presets_hardware_and_settings(
    baseten: FakeBaseten, called: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The environment had settings of its own, which a deployment that takes it over inherits."""
    first = baseten.deployed(MODEL)
    assert push("--via", "baseten-cli", "--promote", "--team", "Default", "--json") == 0
    second = baseten.deployments()[1]
    assert words_of(called)[4:] == [
        "--environment",
        "production",
        "--override-env-instance-type",
        "--team",
        "Default",
    ]
    told = json.loads(capfd.readouterr().out)
    assert told["environment"] == "production"
    assert baseten.account.models[first.model_id].find("production") is second
    assert second.autoscaling["concurrency_target"] == 16


def test_truss_is_run_without_questions(baseten: FakeBaseten, called: Path) -> None:
    baseten.deployed(MODEL)
    assert push("--via", "truss-cli", "--environment", "production", "--no-wait") == 0
    assert words_of(called) == [
        "push",
        "--output",
        "json",
        "--non-interactive",
        "--environment",
        "production",
        "--no-preserve-env-instance-type",
    ]


@pytest.mark.skipif(shutil.which("truss", path=Path(sys.executable).parent) is None, reason="truss")
def test_the_real_truss_program_is_understood(
    baseten: FakeBaseten, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    baseten.deployed(MODEL)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    assert push("--via", "truss-cli", "--promote", "--no-wait", "--json") == exit_status.OK
    deployment = baseten.deployments()[1]
    told = json.loads(capfd.readouterr().out)
    assert (told["model_id"], told["deployment_id"]) == (deployment.model_id, deployment.id)
    assert deployment.environment == "production"
    [asked] = baseten.asked("graphql-create_model_version_from_truss")
    assert "preserve_env_instance_type: false" in asked.body["query"]


@pytest.mark.parametrize(
    ("ends", "status"),
    [
        (1, exit_status.FAILED),
        (2, exit_status.USAGE),
        (3, exit_status.CREDENTIALS),
        (4, exit_status.NOT_FOUND),
        (5, exit_status.INVALID_CONFIG),
        (6, exit_status.FAILED),
    ],
)
def test_a_failure_keeps_its_kind_and_says_what_was_left(
    baseten: FakeBaseten,
    called: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    ends: int,
    status: int,
) -> None:
    """The program made a deployment and then failed: it is found, and named to be stopped."""
    monkeypatch.setenv("GLM_TEST_ENDS", str(ends))
    assert push("--via", "baseten-cli") == status
    err = capfd.readouterr().err
    [deployment] = baseten.deployments()
    assert "baseten has failed: Error: something was wrong with …." in err
    assert "goes on without this command and is billed" in err
    assert f"python -m deploy stop --model-id {deployment.model_id}" in err
    assert API_KEY not in err


def test_a_program_that_does_not_say_what_it_made_has_failed(
    baseten: FakeBaseten,
    called: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("GLM_TEST_ENDS", "silent")
    assert push("--via", "truss-cli") == exit_status.FAILED
    err = capfd.readouterr().err
    assert "did not say which deployment it made" in err
    assert "goes on without this command and is billed" in err


def test_a_deployment_that_takes_too_long_is_told_as_billed(
    baseten: FakeBaseten, called: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    baseten.account.script = ("LOADING_MODEL",)
    assert push("--via", "baseten-cli", "--timeout", "0.2", "--json") == exit_status.FAILED
    message = json.loads(capfd.readouterr().out)["error"]["message"]
    [deployment] = baseten.deployments()
    assert "is billed at $52.00 an hour" in message
    assert f"python -m deploy stop --model-id {deployment.model_id}" in message
    assert f"python -m deploy wait --model-id {deployment.model_id}" in message


def test_autoscaling_that_cannot_be_set_is_told_though_it_serves(
    baseten: FakeBaseten, called: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    baseten.fail("PATCH .*/autoscaling_settings", 500, times=99)
    assert push("--via", "baseten-cli", "--json") == exit_status.FAILED
    told = json.loads(capfd.readouterr().out)
    assert told["autoscaling"] is None
    assert told["base_url"].endswith("/environments/production/sync/v1")
    assert baseten.deployments()[0].autoscaling["concurrency_target"] == 1


def test_a_program_that_is_not_there_is_told_before_anything(
    baseten: FakeBaseten, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    assert push("--via", "baseten-cli") == exit_status.USAGE
    assert "brew install baseten" in capfd.readouterr().err
    assert not baseten.requests
