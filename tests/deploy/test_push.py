"""Pushes from end to end: the real truss package against a Baseten on loopback."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import SecretStr

from app.deployment import read_record
from deploy import exit_status
from deploy.command_line import run
from deploy.credentials import Credentials, find_credentials
from deploy.errors import CredentialsError
from deploy.management import Management
from deploy.planning import Wishes, make_plan
from deploy.preset import DEFAULT_PRESET, load_preset
from deploy.pushing import push_by_truss
from deploy.record import require_writable_record
from deploy.rollout import left_by_push
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
    assert f"Until this one takes over, production is deployment {first.id} (serving, " in out
    assert record().environment is None
    assert record().base_url.endswith(f"/deployment/{second.id}/sync/v1")
    baseten.finish_promotions()
    assert baseten.account.models[first.model_id].find("production") is second


def test_one_before_that_is_stopped_is_not_said_to_serve(
    baseten: FakeBaseten, capfd: pytest.CaptureFixture[str]
) -> None:
    first = baseten.deployed(MODEL, status="INACTIVE")
    assert push() == exit_status.OK
    out = capfd.readouterr().out
    before = f"production is deployment {first.id} (stopped, not billed)."
    assert f"Until this one is promoted, {before}" in out


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


def test_one_that_is_made_after_all_is_found_and_named(
    baseten: FakeBaseten, capfd: pytest.CaptureFixture[str]
) -> None:
    """A gateway gives up on the request, whose deployment is made some time later."""
    create = "graphql-create_model_from_truss"
    baseten.fail(create, 504, "<html>Gateway time-out</html>", times=99)

    def make_later() -> None:
        baseten.until_asked(create)
        baseten.until_asked("GET /v1/models ", 3)
        baseten.deployed(MODEL, status="BUILDING")

    later = threading.Thread(target=make_later)
    later.start()
    assert push() == exit_status.FAILED
    later.join()

    err = capfd.readouterr().err
    [deployment] = baseten.deployments()
    named = f"--model-id {deployment.model_id} --deployment-id {deployment.id}"
    assert "504" in err
    assert f"python -m deploy stop {named}" in err
    assert "No deployment" not in err


async def test_of_two_pushes_neither_takes_the_other_s_for_its_own(baseten: FakeBaseten) -> None:
    there = baseten.deployed(MODEL)
    async with Management(find_credentials()) as management:
        plan = await make_plan(management, load_preset(), Wishes(), ())
        made = [baseten.deployed(MODEL, status=status) for status in ("BUILDING", "BUILD_FAILED")]
        left = await left_by_push(management, plan, refused=False, within_s=30.0)
    assert left.count("Made since this push began, by it or by another: ") == 2
    assert f"Deployment {made[0].id} of model {there.model_id} goes on without this command" in left
    assert f"Deployment {made[1].id} of model {there.model_id} is not billed" in left
    assert there.id not in left


def test_the_time_bounds_all_that_follows_the_upload(
    baseten: FakeBaseten, capfd: pytest.CaptureFixture[str]
) -> None:
    baseten.hold("PATCH .*/autoscaling_settings")
    assert push("--timeout", "1") == exit_status.FAILED
    [deployment] = baseten.deployments()
    err = capfd.readouterr().err
    assert "It does not serve after 1 s" in err
    assert f"python -m deploy stop --model-id {deployment.model_id}" in err


@pytest.mark.parametrize("route", ["PATCH .*/autoscaling_settings", ONE_DEPLOYMENT])
@pytest.mark.parametrize(
    ("status", "body"), [(200, "<html>A gateway</html>"), (302, "moved"), (400, "odd")]
)
def test_one_odd_answer_does_not_spoil_the_autoscaling(
    baseten: FakeBaseten, route: str, status: int, body: str
) -> None:
    baseten.fail(route, status, body)
    assert push("--no-wait") == exit_status.OK
    assert baseten.deployments()[0].autoscaling["concurrency_target"] == 16


def test_autoscaling_that_is_refused_again_and_again_is_given_up(
    baseten: FakeBaseten, capfd: pytest.CaptureFixture[str]
) -> None:
    baseten.fail("PATCH .*/autoscaling_settings", 400, {"message": "not now"}, times=99)
    assert push("--no-wait") == exit_status.FAILED
    assert len(baseten.asked("PATCH ")) == 3
    assert "Autoscaling was not read back as it was to be set" in capfd.readouterr().out


@pytest.mark.parametrize("place", ["/proc/record.json", "FOLDER", "FOLDER/file/record.json"])
def test_a_record_that_cannot_be_written_is_told_before_anything(
    baseten: FakeBaseten,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    place: str,
) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    monkeypatch.setenv("GLM_DEPLOYMENT_FILE", place.replace("FOLDER", str(tmp_path)))
    before = sorted(tmp_path.iterdir())
    assert push() == exit_status.FAILED
    assert "set GLM_DEPLOYMENT_FILE" in capfd.readouterr().err
    assert not baseten.requests
    assert sorted(tmp_path.iterdir()) == before


def test_a_record_in_a_folder_that_is_yet_to_be_made_can_be_written(
    baseten: FakeBaseten, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLM_DEPLOYMENT_FILE", str(tmp_path / "a" / "b" / "record.json"))
    require_writable_record()
    assert not (tmp_path / "a").exists()


def test_a_record_that_fails_at_last_leaves_a_way_to_connect(
    baseten: FakeBaseten, capfd: pytest.CaptureFixture[str]
) -> None:
    def block() -> None:
        baseten.until_asked(r"PATCH .*/autoscaling_settings")
        Path(os.environ["GLM_DEPLOYMENT_FILE"]).mkdir()

    blocking = threading.Thread(target=block)
    baseten.account.polls_per_status = 5
    blocking.start()
    assert push() == exit_status.FAILED
    blocking.join()

    [deployment] = baseten.deployments()
    err = capfd.readouterr().err
    named = f"--model-id {deployment.model_id} --deployment-id {deployment.id}"
    assert "It serves, but the page cannot be told" in err
    assert f"python -m deploy connect {named}" in err
    assert f"python -m deploy stop {named}" in err


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
