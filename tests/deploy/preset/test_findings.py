"""What is found in a preset: nothing in the right one, each wrong value by field and severity."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from deploy.errors import DeployError
from deploy.preset import DEFAULT_PRESET, findings, load_preset

MODEL = "zai-org/GLM-5.3-Flash"
EXPECTED = Path(__file__).with_name("expected.json")
READY = "environment_variables.VLLM_ENGINE_READY_TIMEOUT_S"
OF_THE_PRESET = {
    ("warning", READY),
    ("warning", "runtime.health_checks.restart_check_delay_seconds"),
}


def found(*changes: str, path: Path | None = None, model: str = MODEL) -> set[tuple[str, str]]:
    preset = load_preset(path, changes)
    return {(each.severity, each.field) for each in findings(preset, model)} - OF_THE_PRESET


def written(folder: Path, old: str, new: str) -> Path:
    """The preset with one piece of its text replaced."""
    text = DEFAULT_PRESET.joinpath("config.yaml") if DEFAULT_PRESET.is_dir() else DEFAULT_PRESET
    before = text.read_text(encoding="utf-8")
    assert old in before
    path = folder / "config.yaml"
    path.write_text(before.replace(old, new, 1), encoding="utf-8")
    return path


def test_the_preset_is_the_one_that_was_given_value_for_value() -> None:
    preset = load_preset()
    assert preset.config == json.loads(EXPECTED.read_text(encoding="utf-8"))
    assert yaml.safe_load(preset.text) == preset.config


def test_the_preset_earns_two_warnings_and_no_error() -> None:
    seen = {(each.severity, each.field) for each in findings(load_preset(), MODEL)}
    assert seen == OF_THE_PRESET


@pytest.mark.parametrize(
    ("change", "severity", "field"),
    [
        ("docker_server.server_port=8080", "error", "docker_server.server_port"),
        ("docker_server.server_port=99999", "error", "docker_server.server_port"),
        ("port=8001", "error", "--port"),
        ("resources.instance_type=banana", "error", "resources.instance_type"),
        ("resources.instance_type=H100x8", "error", "resources.instance_type"),
        ("resources.instance_type=H100:4", "error", "--tensor-parallel-size"),
        ("tensor-parallel-size=4", "error", "--tensor-parallel-size"),
        ("served-model-name=other/model", "error", "--served-model-name"),
        ("max-num-seqs=32", "error", "runtime.predict_concurrency"),
        ("max-num-seqs=32", "warning", "--max-num-seqs"),
        ("runtime.predict_concurrency=0", "error", "runtime.predict_concurrency"),
        ("secrets.hf_access_token=test-key-not-real", "error", "secrets.hf_access_token"),
        (
            "runtime.health_checks.restart_check_delay_seconds=1900",
            "error",
            "runtime.health_checks.restart_check_delay_seconds",
        ),
        (
            "runtime.health_checks.restart_threshold_seconds=5",
            "error",
            "runtime.health_checks.restart_threshold_seconds",
        ),
        ('model_name=a"b', "error", "model_name"),
        ("model_name=a\\b", "error", "model_name"),
        ("model_name-", "error", "model_name"),
        ("base_image-", "error", "base_image.image"),
        ("docker_server.readiness_endpoint-", "error", "docker_server.readiness_endpoint"),
        ("docker_server.start_command-", "error", "docker_server.start_command"),
        ("docker_server.predict_endpoint=v1/chat", "error", "docker_server.predict_endpoint"),
        ("kv-cache-dtype=fp8", "error", "--kv-cache-dtype"),
        ("tool-call-parser-", "error", "--tool-call-parser"),
        ("gpu-memory-utilization=1.5", "error", "--gpu-memory-utilization"),
        ("gpu-memory-utilization=\uff10.9", "error", "--gpu-memory-utilization"),
        ("max-model-len=\uff15", "error", "--max-model-len"),
        (f"max-model-len={'9' * 5000}", "error", "--max-model-len"),
        (f"resources.instance_type=H100:{'9' * 5000}", "error", "resources.instance_type"),
        (f"runtime.predict_concurrency=0x{'f' * 5000}", "error", "runtime.predict_concurrency"),
        ("runtime=5", "error", "runtime"),
        ("runtime.health_checks=[1]", "error", "runtime.health_checks"),
        (f"{READY}=²", "error", READY),
    ],
)
def test_a_wrong_value_is_found_in_its_field(change: str, severity: str, field: str) -> None:
    assert (severity, field) in found(change)


@pytest.mark.parametrize(
    "change",
    [
        "max-model-len=262144",
        "gpu-memory-utilization=0.85",
        "environment_variables.VLLM_ENGINE_READY_TIMEOUT_S=3000",
        "docker_server.readiness_endpoint=/ping",
        "model_name=model:glm-5.3-flash preset:latency two",
    ],
)
def test_a_right_value_is_let_through(change: str) -> None:
    assert found(change) == set()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("--port 8000", "--port 8000 --seed 100%"),
        ("--port 8000", "--port 8000 ;rest"),
        ("--port 8000", "--port $PORT"),
        ("--port 8000", "--port 8000 && date"),
    ],
)
def test_what_the_start_command_loses_on_its_way_is_found(
    tmp_path: Path, old: str, new: str
) -> None:
    assert ("error", "docker_server.start_command") in found(path=written(tmp_path, old, new))


def test_a_comment_sign_in_the_start_command_is_found(tmp_path: Path) -> None:
    path = written(tmp_path, "start_command: >-\n    vllm serve", 'start_command: "vllm # serve" #')
    with pytest.raises(DeployError):
        load_preset(path)
    path.write_text(yaml.safe_dump(_with_command("vllm serve /app --port 8000 #rest")))
    assert ("error", "docker_server.start_command") in found(path=path)


def _with_command(command: str) -> dict[str, object]:
    config = json.loads(EXPECTED.read_text(encoding="utf-8"))
    config["docker_server"]["start_command"] = command
    assert isinstance(config, dict)
    return config


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("secrets:\n", "unknown_key: 1\nsecrets:\n", "unknown_key"),
        ("secrets:\n", "secrets: {}\nsecrets:\n", "secrets"),
        ("  VLLM_LOGGING_LEVEL: WARNING", "  VLLM_LOGGING_LEVEL: null", "VLLM_LOGGING_LEVEL"),
        (
            "hf://zai-org/GLM-5.3-Flash@3f1971b7b5f7a528c9c4ef6212c8785298a8c24a",
            "hf://one",
            "source",
        ),
        ('"/app/checkpoint/model"', '"app/model"', "mount_location"),
        ('auth_secret_name: "hf_access_token"', 'auth_secret_name: "another"', "auth_secret_name"),
    ],
)
def test_a_wrong_text_is_found_in_its_field(tmp_path: Path, old: str, new: str, field: str) -> None:
    seen = found(path=written(tmp_path, old, new))
    assert any(severity == "error" and field in where for severity, where in seen), seen


def test_the_name_that_the_page_asks_for_is_compared() -> None:
    assert ("error", "--served-model-name") in found(model="another/model")


def test_a_patience_without_measure_is_warned_of() -> None:
    preset = load_preset(None, (f"{READY}={'9' * 5000}",))
    assert ("warning", READY) in {(each.severity, each.field) for each in findings(preset, MODEL)}
