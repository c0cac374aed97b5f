from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from app.settings import (
    PROJECT,
    Settings,
    SettingsError,
    compatible_connection,
    load_settings,
)

KEY = "test-key-not-real"


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    for field in Settings.model_fields.values():
        monkeypatch.delenv(str(field.alias), raising=False)
    for name in ("SPACE_ID", "SYSTEM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GLM_DEPLOYMENT_FILE", str(tmp_path / "deployment.json"))
    monkeypatch.setitem(Settings.model_config, "env_file", tmp_path / "none")


def example() -> str:
    """`.env.example` as the Settings class has it."""
    lines = ["# Every setting, with its default. Copy this file to .env and change what you need."]
    for field in Settings.model_fields.values():
        description = textwrap.wrap(field.description or "", 96)
        lines += [
            "",
            *(f"# {line}" for line in description),
            f"# {field.alias}={shown(field.default)}",
        ]
    return "\n".join(lines) + "\n"


def shown(default: Any) -> str:
    if default is None:
        return ""
    return str(default).lower() if isinstance(default, bool) else str(default)


def test_the_example_file_lists_every_setting_with_its_default() -> None:
    assert (PROJECT / ".env.example").read_text() == example()


def test_with_nothing_set_the_simulator_answers() -> None:
    settings = load_settings()
    assert settings.connection().kind == "simulator"
    assert settings.remarks() == ()


def test_the_baseten_pair_gives_the_seed_pages_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BASETEN_API_KEY", KEY)
    monkeypatch.setenv("BASETEN_MODEL_ID", "abc1d2ef")
    connection = load_settings().connection()
    assert connection.kind == "baseten"
    assert connection.base_url == (
        "https://model-abc1d2ef.api.baseten.co/environments/production/sync/v1"
    )
    assert connection.api_key == SecretStr(KEY)
    assert KEY not in repr(connection)


@pytest.mark.parametrize(
    ("name", "value", "place"),
    [
        ("BASETEN_ENVIRONMENT", "staging", "environments/staging"),
        ("BASETEN_ENVIRONMENT", "development", "development"),
        ("BASETEN_DEPLOYMENT_ID", "xyz123", "deployment/xyz123"),
    ],
)
def test_an_environment_or_a_deployment_is_part_of_the_address(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, place: str
) -> None:
    monkeypatch.setenv("BASETEN_API_KEY", KEY)
    monkeypatch.setenv("BASETEN_MODEL_ID", "abc1d2ef")
    monkeypatch.setenv(name, value)
    base_url = load_settings().connection().base_url
    assert base_url == f"https://model-abc1d2ef.api.baseten.co/{place}/sync/v1"


@pytest.mark.parametrize(
    ("variables", "resource"),
    [
        ({}, "environments/production"),
        ({"BASETEN_ENVIRONMENT": "development"}, "deployments/development"),
        ({"BASETEN_DEPLOYMENT_ID": "xyz123"}, "deployments/xyz123"),
        ({"BASETEN_API_URL": "https://api.baseten.co/"}, "environments/production"),
    ],
)
def test_the_management_api_is_asked_about_the_same_deployment(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], resource: str
) -> None:
    pair = {"BASETEN_API_KEY": KEY, "BASETEN_MODEL_ID": "abc1d2ef"}
    for name, value in {**pair, **variables}.items():
        monkeypatch.setenv(name, value)
    status_url = load_settings().connection().status_url
    assert status_url == f"https://api.baseten.co/v1/models/abc1d2ef/{resource}"


@pytest.mark.parametrize("address", ["http://127.0.0.1:8000", "http://[::1]:8000"])
def test_on_loopback_the_model_is_beside_the_management_api(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("BASETEN_API_KEY", KEY)
    monkeypatch.setenv("BASETEN_MODEL_ID", "abc1d2ef")
    monkeypatch.setenv("BASETEN_API_URL", address)
    connection = load_settings().connection()
    assert connection.base_url == f"{address}/model-abc1d2ef/environments/production/sync/v1"
    assert connection.status_url == f"{address}/v1/models/abc1d2ef/environments/production"


@pytest.mark.parametrize(
    "address",
    [
        "http://api.baseten.co",
        "https://api.baseten.co.example",
        "https://model.example",
        "http://192.0.2.7:8000",
        "http://127.0.0.1.example",
        "http://[::1",
        "http://127.0.0.1:99999",
        f"http://{KEY}@127.0.0.1",
    ],
)
def test_the_baseten_key_goes_to_no_address_of_anothers(
    monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("BASETEN_API_KEY", KEY)
    monkeypatch.setenv("BASETEN_MODEL_ID", "abc1d2ef")
    monkeypatch.setenv("BASETEN_API_URL", address)
    with pytest.raises(SettingsError, match="BASETEN_API_URL") as error:
        load_settings().connection()
    assert KEY not in str(error.value)


def test_a_base_url_alone_is_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:8000/v1/")
    connection = load_settings().connection()
    assert (connection.kind, connection.base_url) == ("compatible", "http://127.0.0.1:8000/v1")
    assert connection.api_key is None


def test_blanks_around_a_pasted_key_are_no_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:8000/v1")
    monkeypatch.setenv("OPENAI_API_KEY", f" {KEY}\n")
    assert load_settings().connection().api_key == SecretStr(KEY)


def test_an_openai_key_alone_is_ignored_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    settings = load_settings()
    assert settings.connection().kind == "simulator"
    (remark,) = settings.remarks()
    assert "OPENAI_API_KEY is ignored" in remark
    assert KEY not in remark


@pytest.mark.parametrize(
    ("variables", "named"),
    [
        ({"BASETEN_API_KEY": KEY}, ["BASETEN_MODEL_ID is missing"]),
        ({"BASETEN_MODEL_ID": "abc1d2ef"}, ["BASETEN_API_KEY is missing"]),
        (
            {
                "BASETEN_API_KEY": KEY,
                "BASETEN_MODEL_ID": "abc1d2ef",
                "OPENAI_BASE_URL": "http://127.0.0.1:1/v1",
                "OPENAI_API_KEY": KEY,
            },
            ["BASETEN_API_KEY", "OPENAI_BASE_URL"],
        ),
        ({"OPENAI_BASE_URL": "127.0.0.1:8000"}, ["http://"]),
        ({"OPENAI_BASE_URL": f"http://user:{KEY}@127.0.0.1/v1"}, ["password"]),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:99999/v1"}, ["http://"]),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:abc/v1"}, ["http://"]),
        ({"OPENAI_BASE_URL": "http://[::1/v1"}, ["http://"]),
        ({"OPENAI_BASE_URL": "http://127.0.0.1/v1?x=1"}, ["query"]),
        (
            {"OPENAI_BASE_URL": "http://127.0.0.1/v1", "OPENAI_API_KEY": f"{KEY}\n{KEY}"},
            ["OPENAI_API_KEY", "copy it again"],
        ),
        (
            {"BASETEN_MODEL_ID": "abc1d2ef", "BASETEN_API_KEY": f"{KEY}é"},
            ["BASETEN_API_KEY", "copy it again"],
        ),
        ({"GRADIO_SERVER_PORT": "seven"}, ["GRADIO_SERVER_PORT"]),
        ({"BASETEN_API_KEY": KEY, "BASETEN_MODEL_ID": "a/../b"}, ["BASETEN_MODEL_ID"]),
    ],
)
def test_what_does_not_fit_is_named_without_its_value(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], named: list[str]
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as error:
        load_settings().connection()
    assert all(name in str(error.value) for name in named)
    assert KEY not in str(error.value)
    assert error.value.__cause__ is None


def test_a_server_named_on_the_command_line_never_gets_the_baseten_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BASETEN_API_KEY", KEY)
    monkeypatch.setenv("BASETEN_MODEL_ID", "abc1d2ef")
    connection = compatible_connection("http://127.0.0.1:8000/v1", load_settings())
    assert connection.api_key is None


@pytest.mark.parametrize(
    ("variables", "public"),
    [
        ({}, False),
        ({"GRADIO_SERVER_NAME": "0.0.0.0"}, True),
        ({"GRADIO_SERVER_NAME": "::1"}, False),
        ({"GRADIO_SERVER_NAME": "localhost"}, False),
        ({"SPACE_ID": "someone/space"}, True),
        ({"GRADIO_SERVER_NAME": "0.0.0.0", "GLM_PUBLIC": "false"}, False),
    ],
)
def test_what_strangers_can_reach_is_public_and_has_limits(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], public: bool
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    settings = load_settings()
    assert settings.is_public() is public
    assert settings.grace_seconds() == (10.0 if public else 300.0)
    assert settings.token_cap() == (16_384 if public else None)
    assert settings.breaks_control_tokens() is public


def test_a_space_keeps_its_data_in_the_bucket_unless_told_otherwise(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert load_settings().data_path(tmp_path) == PROJECT / "data"
    monkeypatch.setenv("SPACE_ID", "someone/space")
    assert load_settings().data_path(tmp_path) == tmp_path / "glm-playground"
    assert load_settings().data_path(tmp_path / "nothing") == PROJECT / "data"
    monkeypatch.setenv("GLM_DATA_FOLDER", "")
    assert load_settings().data_path(tmp_path) == tmp_path / "glm-playground"
    for told, folder in (("data", PROJECT / "data"), ("/srv/chats", Path("/srv/chats"))):
        monkeypatch.setenv("GLM_DATA_FOLDER", told)
        assert load_settings().data_path(tmp_path) == folder
