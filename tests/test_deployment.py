"""What the page makes of the record that `python -m deploy` writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.settings import Settings, SettingsError, load_settings

KEY = "test-key-not-real"
RECORD: dict[str, Any] = {
    "model_id": "abc1d2ef",
    "deployment_id": "wxyz789",
    "environment": "production",
    "base_url": "https://model-abc1d2ef.api.baseten.co/environments/production/sync/v1",
    "served_name": "served/Name",
}
OWN_URL = "https://model-abc1d2ef.api.baseten.co/deployment/wxyz789/sync/v1"


@pytest.fixture
def record(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A valid record, and nothing else set."""
    for field in Settings.model_fields.values():
        monkeypatch.delenv(str(field.alias), raising=False)
    monkeypatch.setitem(Settings.model_config, "env_file", tmp_path / "none")
    path = tmp_path / "deployment.json"
    path.write_text(json.dumps(RECORD))
    monkeypatch.setenv("GLM_DEPLOYMENT_FILE", str(path))
    return path


@pytest.mark.usefixtures("record")
def test_a_key_completes_the_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BASETEN_API_KEY", KEY)
    settings = load_settings()
    connection = settings.connection()
    assert connection.base_url == RECORD["base_url"]
    assert connection.model == "served/Name"
    assert connection.status_url.endswith("/v1/models/abc1d2ef/environments/production")
    assert settings.remarks() == ()


def test_without_an_environment_the_deployment_itself_is_asked(
    record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record.write_text(json.dumps({**RECORD, "environment": None, "base_url": OWN_URL}))
    monkeypatch.setenv("BASETEN_API_KEY", KEY)
    assert load_settings().connection().base_url == OWN_URL


def test_without_a_key_the_simulator_answers_and_what_is_missing_is_said_once(
    record: Path,
) -> None:
    settings = load_settings()
    assert settings.connection().kind == "simulator"
    (remark,) = settings.remarks()
    assert "BASETEN_API_KEY is missing" in remark
    assert str(record) in remark


@pytest.mark.usefixtures("record")
@pytest.mark.parametrize(
    ("variables", "base_url", "model"),
    [
        (
            {"BASETEN_MODEL_ID": "other12"},
            "https://model-other12.api.baseten.co/environments/production/sync/v1",
            "",
        ),
        (
            {"BASETEN_ENVIRONMENT": "staging"},
            "https://model-abc1d2ef.api.baseten.co/environments/staging/sync/v1",
            "served/Name",
        ),
        (
            {"BASETEN_DEPLOYMENT_ID": "wxyz789"},
            OWN_URL,
            "served/Name",
        ),
        ({"GLM_MODEL": "mine"}, RECORD["base_url"], "mine"),
    ],
)
def test_variables_win_over_the_record(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], base_url: str, model: str
) -> None:
    for name, value in {"BASETEN_API_KEY": KEY, **variables}.items():
        monkeypatch.setenv(name, value)
    connection = load_settings().connection()
    assert (connection.base_url, connection.model) == (base_url, model)


@pytest.mark.usefixtures("record")
def test_another_server_is_asked_where_one_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:8000/v1")
    settings = load_settings()
    assert settings.connection().base_url == "http://127.0.0.1:8000/v1"
    assert settings.remarks() == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        "\xff",
        json.dumps({**RECORD, "model_id": "a/../b"}),
        json.dumps({**RECORD, "environment": "a/b"}),
        json.dumps({name: value for name, value in RECORD.items() if name != "served_name"}),
        json.dumps({**RECORD, "base_url": f"https://{KEY}.example/v1"}),
        json.dumps({**RECORD, "base_url": "http://127.0.0.1:9/v1"}),
    ],
)
def test_a_malformed_record_is_one_sentence_and_sends_the_key_nowhere(
    record: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    record.write_text(text)
    monkeypatch.setenv("BASETEN_API_KEY", KEY)
    with pytest.raises(SettingsError, match="python -m deploy connect") as error:
        load_settings().connection()
    assert str(record) in str(error.value)
    assert KEY not in str(error.value)
    assert "\n" not in str(error.value)


def test_a_malformed_record_without_a_key_keeps_nobody_from_the_simulator(record: Path) -> None:
    record.write_text("{")
    settings = load_settings()
    assert settings.connection().kind == "simulator"
    (remark,) = settings.remarks()
    assert "is no record of a deployment" in remark
