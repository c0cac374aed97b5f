"""Pushes from end to end: the real truss package against a Baseten on loopback."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import SecretStr

from app.deployment import read_record
from deploy import exit_status
from deploy.command_line import run
from deploy.credentials import Credentials
from deploy.errors import CredentialsError
from deploy.preset import DEFAULT_PRESET, load_preset
from deploy.pushing import push_by_truss
from tests.deploy.fake_baseten import API_KEY, DROPPED, FakeBaseten

CONFIG = (DEFAULT_PRESET / "config.yaml").read_bytes()
MODEL = load_preset().model_name
ONE_DEPLOYMENT = r"GET /v1/models/\w+/deployments/\w+ "


def push(*words: str) -> int:
    return run(["push", "--yes", "--poll", "0.01", *words])


def record() -> Any:
    return read_record(Path(os.environ["GLM_DEPLOYMENT_FILE"]))


def test_a_new_model_serves_at_last_however_rough_its_way(
    baseten: FakeBaseten, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Unknown at first, asleep, woken, unhealthy, and nobody answers in the middle of it."""
    way = ("BUILDING", "DEPLOYING", "SCALED_TO_ZERO", "WAKING_UP", "LOADING_MODEL", "UNHEALTHY")
    baseten.account.script, baseten.account.polls_per_status = (*way, "ACTIVE"), 3
    baseten.fail(ONE_DEPLOYMENT, 404, {"code": "NOT_FOUND", "message": "not yet"}, times=2)
    baseten.fail(ONE_DEPLOYMENT, DROPPED, times=3, after=12)

    assert push() == exit_status.OK

    [deployment] = baseten.deployments()
    out, err = capfd.readouterr()
    assert deployment.created_by == "create_model_from_truss"
    assert deployment.config["resources"]["instance_type"] == "H100:8"
    server = yaml.safe_load(CONFIG)["docker_server"]
    assert server.items() <= deployment.config["docker_server"].items()
    assert baseten.archive(deployment) == {"config.yaml": CONFIG}
    assert deployment.raw_config == CONFIG.decode()
    wanted = {"min_replica": 0, "max_replica": 1, "concurrency_target": 16}
    assert wanted.items() <= deployment.autoscaling.items()
    assert len(baseten.asked(r"PATCH .*/autoscaling_settings")) == 1
    assert baseten.asked(r"POST /model-\w+/deployment/\w+/wake")
    said = (
        "uploading the preset",
        "Deploying",
        "Asleep, scaled to zero",
        "Waking up",
        "does not answer",
        "Running, but unhealthy",
        "Serving",
    )
    places = [err.find(words) for words in said]
    assert -1 not in places
    assert places[0] == min(places)
    assert places[-1] == max(places)
    assert record().environment == "production"
    assert record().base_url.endswith(f"{deployment.model_id}/environments/production/sync/v1")
    assert record().served_name == "zai-org/GLM-5.3-Flash"
    assert "python -m deploy verify" in out
    assert f"python -m deploy stop --model-id {deployment.model_id}" in out
    assert API_KEY not in out + err
    kept = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert not [file for file in kept if API_KEY.encode() in file.read_bytes()]


def test_a_second_version_stands_beside_the_first(
    baseten: FakeBaseten, capfd: pytest.CaptureFixture[str]
) -> None:
    first = baseten.deployed(MODEL)

    assert push("--json", "--set", "max-num-seqs=16", "--scale-down-delay", "300") == exit_status.OK

    second = baseten.deployments()[1]
    told = json.loads(capfd.readouterr().out)
    assert second.created_by == "create_model_version_from_truss"
    assert (second.model_id, second.environment) == (first.model_id, None)
    [asked] = baseten.asked("graphql-create_model_version_from_truss")
    assert "preserve_env_instance_type: false" in asked.body["query"]
    assert "environment_name" not in asked.body["query"]
    assert told["environment"] is None
    assert told["base_url"].endswith(f"/deployment/{second.id}/sync/v1")
    assert told["autoscaling"] == {
        "min_replica": 0,
        "max_replica": 1,
        "concurrency_target": 16,
        "scale_down_delay": 300,
    }
    assert second.autoscaling["scale_down_delay"] == 300
    assert first.autoscaling["scale_down_delay"] == 900
    assert record().base_url == told["base_url"]
    assert baseten.account.models[first.model_id].find("production") is first


def test_a_promotion_that_is_pending_leaves_the_environment_to_the_first(
    baseten: FakeBaseten, capfd: pytest.CaptureFixture[str]
) -> None:
    first = baseten.deployed(MODEL)
    baseten.account.promotion = "pending"

    assert push("--promote") == exit_status.OK

    second = baseten.deployments()[1]
    out = capfd.readouterr().out
    assert second.environment == "production"
    assert f"production is served by deployment {first.id} until this one takes over" in out
    assert record().environment is None
    assert record().base_url.endswith(f"/deployment/{second.id}/sync/v1")
    baseten.finish_promotions()
    assert baseten.account.models[first.model_id].find("production") is second


def test_a_deployment_that_fails_is_told_with_what_it_costs(
    baseten: FakeBaseten, capfd: pytest.CaptureFixture[str]
) -> None:
    baseten.account.script = ("BUILDING", "DEPLOYING", "DEPLOY_FAILED")

    assert push() == exit_status.FAILED

    err = capfd.readouterr().err
    [deployment] = baseten.deployments()
    named = f"--model-id {deployment.model_id} --deployment-id {deployment.id}"
    assert f"python -m deploy logs {named}" in err
    assert f"Deployment {deployment.id} of model {deployment.model_id} is not billed" in err
    assert record() is None


def test_a_preset_that_baseten_refuses_is_not_uploaded(
    baseten: FakeBaseten, capfd: pytest.CaptureFixture[str]
) -> None:
    baseten.account.validation = {"errors": ["H100:8 is not available to you"]}

    assert push() == exit_status.INVALID_CONFIG

    err = capfd.readouterr().err
    assert "H100:8 is not available to you" in err
    assert "No deployment was made, and nothing new is billed." in err
    assert not baseten.asked("upload")


def test_an_upload_that_is_refused_deploys_nothing(
    baseten: FakeBaseten, capfd: pytest.CaptureFixture[str]
) -> None:
    refusal = "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"
    baseten.fail("PUT /fake-baseten-bucket", 403, refusal)

    assert push() == exit_status.FAILED

    err = capfd.readouterr().err
    assert "The upload was refused" in err
    assert "AccessDenied" in err
    assert "No deployment was made, and nothing new is billed." in err
    assert not baseten.deployments()


async def test_a_key_that_truss_is_refused_is_told_as_such(
    baseten: FakeBaseten, tmp_path: Path
) -> None:
    (tmp_path / "config.yaml").write_bytes(CONFIG)
    wrong = Credentials(SecretStr("wrong-key-not-real"), "a test", baseten.url, baseten.url)
    with pytest.raises(CredentialsError, match="log in") as caught:
        await push_by_truss(tmp_path, team=None, environment=None, credentials=wrong)
    assert "wrong-key-not-real" not in str(caught.value)


def test_a_refused_key_ends_the_push_before_anything(
    baseten: FakeBaseten, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("BASETEN_API_KEY", "wrong-key-not-real")
    assert push() == exit_status.CREDENTIALS
    assert "wrong-key-not-real" not in "".join(capfd.readouterr())
    assert not baseten.asked("graphql")


def test_a_secret_that_is_missing_ends_the_push_before_anything(
    baseten: FakeBaseten, capfd: pytest.CaptureFixture[str]
) -> None:
    baseten.account.secrets.clear()

    assert push() == exit_status.NOT_FOUND

    err = capfd.readouterr().err
    assert "the secret hf_access_token does not exist in team Default" in err
    assert "https://app.baseten.co/settings/secrets" in err
    assert not baseten.asked("graphql")


def test_a_preset_with_an_error_asks_nobody(baseten: FakeBaseten) -> None:
    assert push("--set", "port=8080") == exit_status.INVALID_CONFIG
    assert not baseten.requests


def test_without_a_terminal_and_a_yes_nobody_is_asked(
    baseten: FakeBaseten, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["push"]) == exit_status.USAGE
    assert "--yes" in capfd.readouterr().err
    assert not baseten.requests
