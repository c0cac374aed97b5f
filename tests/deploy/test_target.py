"""Which deployment is meant, and what is said where nothing names one."""

from __future__ import annotations

import json

import pytest

from deploy import exit_status
from deploy.command_line import run
from deploy.preset import load_preset
from tests.deploy.fake_baseten import FakeBaseten


@pytest.mark.parametrize("command", ["status", "stop", "wait"])
def test_what_a_push_left_without_a_record_is_found_by_its_model(
    baseten: FakeBaseten, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name = load_preset().model_name
    first = baseten.deployed(name, status="INACTIVE")
    second = baseten.deployed(name, status="BUILDING")
    assert run([command, "--json"]) == exit_status.NOT_FOUND
    told = json.loads(capsys.readouterr().out)["error"]["message"]
    for deployment, billing in ((first, "not billed"), (second, "billed")):
        named = f"--model-id {deployment.model_id} --deployment-id {deployment.id}"
        [line] = [line for line in told.splitlines() if named in line]
        assert line.endswith(f", {billing}")


def test_connect_wakes_nothing_where_its_record_could_not_be_written(
    baseten: FakeBaseten, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    deployment = baseten.deployed("glm", status="SCALED_TO_ZERO")
    monkeypatch.setenv("GLM_DEPLOYMENT_FILE", "/proc/record.json")
    assert run(["connect", "--model-id", deployment.model_id]) == exit_status.FAILED
    assert "/proc/record.json" in capsys.readouterr().err
    assert not baseten.requests
