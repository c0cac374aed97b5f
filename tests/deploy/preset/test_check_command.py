"""`check` and `explain`: what they print, how they end, and that no secret is repeated."""

from __future__ import annotations

import json
from typing import Any

import pytest

from deploy import exit_status
from deploy.command_line import run


def printed(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def test_the_preset_is_valid_with_two_warnings(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--json"]) == exit_status.OK
    value = printed(capsys)
    assert (value["valid"], value["errors"], value["warnings"]) == (True, 0, 2)
    assert value["next"] == "python -m deploy plan"


def test_an_error_ends_with_its_own_status(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--set", "docker_server.server_port=8080"]) == exit_status.INVALID_CONFIG
    said = capsys.readouterr().out
    assert "docker_server.server_port: 8080" in said
    assert "reserved" in said


@pytest.mark.parametrize(
    "name", ["api-key", "secrets.hf_access_token", "environment_variables.HF_TOKEN"]
)
@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_a_secret_is_never_repeated(
    name: str, as_json: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for command in ("check", "explain"):
        run([command, *as_json, "--set", f"{name}=test-key-not-real"])
        said = capsys.readouterr()
        assert "test-key-not-real" not in said.out + said.err


def test_a_name_that_nothing_has_is_answered_with_one_that_is_near(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["check", "--set", "max-model-lenn=1"]) == exit_status.USAGE
    assert "max-model-len" in capsys.readouterr().err


def test_every_flag_is_explained_with_its_value(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "--json", "--set", "max-model-len=262144"]) == exit_status.OK
    said = json.dumps(printed(capsys))
    for piece in ("max-model-len", "262144", "speculative-config.method", "mtp", "load-format"):
        assert piece in said


@pytest.mark.parametrize(
    "change",
    [
        "environment_variables={HF_TOKEN: test-key-not-real}",
        "docker_server.start_command=env HF_TOKEN=test-key-not-real vllm serve /a --port 8000",
        "docker_server.start_command=vllm serve /a --api-key test-key-not-real --port 8000",
    ],
)
@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_a_secret_inside_of_a_value_is_not_repeated_either(
    change: str, as_json: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for command in ("check", "explain"):
        run([command, *as_json, "--set", change])
        said = capsys.readouterr()
        assert "test-key-not-real" not in said.out + said.err


def test_a_value_that_names_a_secret_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", "--json", "--set", "weights.0.auth_secret_name=hf_access_token"])
    assert "weights.0.auth_secret_name=hf_access_token" in printed(capsys)["next"]


def test_a_value_is_no_command_to_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("check", "explain"):
        run([command, "--set", "served-model-name=a\x1b[2Jb"])
        assert "\x1b" not in capsys.readouterr().out
