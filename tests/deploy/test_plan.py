"""`plan`: what it tells of an account, while it changes nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from deploy import exit_status
from deploy.command_line import run
from deploy.preset import load_preset
from deploy.prices import LISTED_ON
from tests.deploy.fake_baseten import FakeBaseten

MODEL = load_preset().model_name


def plan(capsys: pytest.CaptureFixture[str], *words: str, status: int = exit_status.OK) -> Any:
    """The plan as JSON."""
    assert run(["plan", "--json", *words]) == status
    return json.loads(capsys.readouterr().out)


def test_nothing_is_changed(baseten: FakeBaseten, capsys: pytest.CaptureFixture[str]) -> None:
    baseten.deployed(MODEL)
    plan(capsys)
    assert {asked.method for asked in baseten.requests} == {"GET"}


def test_a_new_model_becomes_production(
    baseten: FakeBaseten, capsys: pytest.CaptureFixture[str]
) -> None:
    told = plan(capsys)
    assert told["model"] == {"name": MODEL, "id": None, "new": True, "deployments": 0}
    assert (told["team"], told["environment"]) == ("Default", "production")
    assert told["serving_now"] == []
    assert told["secrets"] == {"hf_access_token": True}
    assert told["upload"].keys() == {"config.yaml"}
    assert told["price"]["dollars_per_hour"] == pytest.approx(52, abs=0.01)
    assert told["price"]["source"] == "the live price list"
    assert told["price"]["idle_tail_dollars"] == 13.0
    assert told["price"]["cold_start_most_dollars"] == 43.33
    assert {one["severity"] for one in told["findings"]} == {"warning"}


def test_an_existing_model_goes_on_serving(
    baseten: FakeBaseten, capsys: pytest.CaptureFixture[str]
) -> None:
    first = baseten.deployed(MODEL, status="SCALED_TO_ZERO")
    told = plan(capsys)
    assert (told["model"]["id"], told["environment"]) == (first.model_id, None)
    serving = {
        "environment": "production",
        "deployment_id": first.id,
        "status": "SCALED_TO_ZERO",
    }
    assert told["serving_now"] == [serving]
    assert plan(capsys, "--promote")["environment"] == "production"


def test_the_words_for_a_reader_name_the_money(
    baseten: FakeBaseten, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plan", "--scale-down-delay", "300"]) == exit_status.OK
    out = capsys.readouterr().out
    assert "H100:8, $52.00 an hour (the live price list)" in out
    assert "scaled to zero when idle for 5 minutes" in out
    assert "$4.33 after the last request" in out
    assert "give up on a start after 50 minutes, $43.33" in out


def test_without_the_live_list_the_price_says_how_old_it_is(
    baseten: FakeBaseten, capsys: pytest.CaptureFixture[str]
) -> None:
    baseten.fail("GET /v1/instance_type_prices", 500)
    price = plan(capsys)["price"]
    assert LISTED_ON.isoformat() in price["source"]
    assert price["dollars_per_hour"] == pytest.approx(52, abs=0.01)


def test_a_missing_secret_is_told_with_how_to_create_it(
    baseten: FakeBaseten, capsys: pytest.CaptureFixture[str]
) -> None:
    baseten.account.secrets.clear()
    assert run(["plan", "--json"]) == exit_status.NOT_FOUND
    told = json.loads(capsys.readouterr().out)
    assert (told["secrets"], told["would_be_pushed"]) == ({"hf_access_token": False}, False)
    assert run(["plan"]) == exit_status.NOT_FOUND
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("It would not be pushed: the secret hf_access_token does not exist")
    assert "baseten org secret set --name hf_access_token" in last


def test_secrets_that_cannot_be_read_are_not_called_missing(
    baseten: FakeBaseten, capsys: pytest.CaptureFixture[str]
) -> None:
    baseten.fail("GET .*/secrets", 403)
    assert plan(capsys)["secrets"] == {"hf_access_token": None}


def test_of_several_teams_one_must_be_named(
    baseten: FakeBaseten, capsys: pytest.CaptureFixture[str]
) -> None:
    baseten.account.teams = [{"id": "a", "name": "Lab"}, {"id": "b", "name": "Shop"}]
    assert run(["plan"]) == exit_status.USAGE
    assert "add --team, one of Lab, Shop" in capsys.readouterr().err
    assert run(["plan", "--team", "Kitchen"]) == exit_status.USAGE
    assert "There is no team Kitchen" in capsys.readouterr().err
    told = plan(capsys, "--team", "Shop", status=exit_status.NOT_FOUND)
    assert (told["team"], told["secrets"]) == ("Shop", {"hf_access_token": False})


def test_a_models_own_team_needs_no_name(
    baseten: FakeBaseten, capsys: pytest.CaptureFixture[str]
) -> None:
    baseten.account.teams = [{"id": "a", "name": "Lab"}, {"id": "b", "name": "Shop"}]
    baseten.account.create_model(MODEL, "b")
    baseten.account.secrets_of("b")["hf_access_token"] = "not-real"
    assert plan(capsys)["team"] == "Shop"


def test_an_environment_that_does_not_exist_is_told(
    baseten: FakeBaseten, capsys: pytest.CaptureFixture[str]
) -> None:
    baseten.deployed(MODEL)
    assert run(["plan", "--environment", "staging"]) == exit_status.NOT_FOUND
    assert "has no environment staging: it has production" in capsys.readouterr().err


def test_a_preset_with_an_error_is_planned_and_told(
    baseten: FakeBaseten, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plan", "--json", "--set", "port=8080"]) == exit_status.INVALID_CONFIG
    findings = json.loads(capsys.readouterr().out)["findings"]
    assert "error" in {one["severity"] for one in findings}


def test_a_delay_that_baseten_does_not_take_is_refused(baseten: FakeBaseten) -> None:
    assert run(["plan", "--scale-down-delay", "7200"]) == exit_status.USAGE
    assert not baseten.requests


@pytest.mark.parametrize(
    "change",
    [
        "secrets.hf_access_token=SECRET",
        "secrets={hf_access_token: SECRET}",
        "api-key=SECRET",
        "environment_variables.HF_TOKEN=SECRET",
        " environment_variables.HF_TOKEN =SECRET",
        "environment_variables={HF_TOKEN: SECRET}",
        "docker_server.start_command=vllm serve /app --api-key SECRET --port 8000",
    ],
)
@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_a_secret_that_was_given_is_never_repeated(
    baseten: FakeBaseten, change: str, as_json: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    run(["plan", *as_json, "--set", change, "--set", "max-model-len=262144"])
    said = capsys.readouterr()
    assert "(not shown)" in said.out
    assert "max-model-len=262144" in said.out
    assert "SECRET" not in said.out + said.err


@pytest.mark.parametrize("change", ["runtime=5", "runtime.health_checks=[1]"])
def test_health_checks_that_are_no_mapping_are_found_and_planned(
    baseten: FakeBaseten, change: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plan", "--json", "--set", change]) == exit_status.INVALID_CONFIG
    told = json.loads(capsys.readouterr().out)
    assert told["price"]["cold_start_most_dollars"] is None
    assert "error" in {one["severity"] for one in told["findings"]}
