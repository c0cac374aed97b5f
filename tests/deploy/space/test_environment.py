"""Which settings a Space is given: text as secrets, figures as variables, none of this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.settings import Settings
from deploy.errors import UsageError
from deploy.space.environment import environment_of

KEY = "test-key-not-real"


def settings(**values: Any) -> Settings:
    values.setdefault("GLM_DEPLOYMENT_FILE", "/nowhere/deployment.json")
    return Settings(_env_file=None, **values)


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for field in Settings.model_fields.values():
        monkeypatch.delenv(str(field.alias), raising=False)


def test_text_is_secret_and_figures_can_be_read() -> None:
    environment = environment_of(
        settings(
            OPENAI_BASE_URL="https://model.example/v1",
            OPENAI_API_KEY=KEY,
            GLM_ALLOWED_USERS="ada grace",
            GLM_VISITOR_TOKENS_PER_DAY=5000,
            GLM_KEEP_DAYS=1.5,
            GLM_MCP=True,
        )
    )
    assert environment.secrets == {
        "OPENAI_BASE_URL": "https://model.example/v1",
        "OPENAI_API_KEY": KEY,
        "GLM_ALLOWED_USERS": "ada grace",
    }
    assert environment.variables == {
        "GLM_VISITOR_TOKENS_PER_DAY": "5000",
        "GLM_KEEP_DAYS": "1.5",
        "GLM_MCP": "true",
    }
    assert environment.sign_in
    assert environment.asks == "model.example"
    assert KEY not in repr(environment)


def test_what_is_given_reads_back_as_the_same_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    here = settings(
        BASETEN_API_KEY=KEY,
        BASETEN_MODEL_ID="abc1d2ef",
        GLM_PUBLIC=False,
        GLM_PRICE_HOUR=52.00,
        GLM_GRACE_S=0,
        GLM_AUTH="ada:test-password",
    )
    environment = environment_of(here)
    for name, value in {**environment.secrets, **environment.variables}.items():
        monkeypatch.setenv(name, value)
    there = Settings(_env_file=None)
    assert there.model_copy(update={"deployment_file": here.deployment_file}) == here


def test_what_is_of_this_machine_is_left_out_and_named() -> None:
    environment = environment_of(
        settings(GRADIO_SERVER_NAME="127.0.0.1", GRADIO_SERVER_PORT=7999, GLM_DATA_FOLDER="mine")
    )
    assert environment.left_out == (
        "GLM_DATA_FOLDER",
        "GLM_DEPLOYMENT_FILE",
        "GRADIO_SERVER_NAME",
        "GRADIO_SERVER_PORT",
    )
    assert (environment.secrets, environment.variables) == ({}, {})
    mounted = environment_of(settings(GLM_DATA_FOLDER="/data/chats"))
    assert mounted.secrets == {"GLM_DATA_FOLDER": "/data/chats"}


def test_without_a_server_the_simulator_answers() -> None:
    assert environment_of(settings()).asks is None


@pytest.mark.parametrize("environment", ["production", None])
def test_the_record_of_a_deployment_goes_as_secrets(
    tmp_path: Path, environment: str | None
) -> None:
    place = f"environments/{environment}" if environment else "deployment/dep2345"
    path = tmp_path / "record.json"
    told = f'"{environment}"' if environment else "null"
    path.write_text(
        f"""{{"model_id": "abc1d2ef", "deployment_id": "dep2345", "environment": {told},
        "base_url": "https://model-abc1d2ef.api.baseten.co/{place}/sync/v1",
        "served_name": "zai-org/GLM-5.3-Flash"}}"""
    )
    given = environment_of(settings(BASETEN_API_KEY=KEY, GLM_DEPLOYMENT_FILE=str(path))).secrets
    where = (
        {"BASETEN_ENVIRONMENT": environment}
        if environment
        else {"BASETEN_DEPLOYMENT_ID": "dep2345"}
    )
    assert given == {
        "BASETEN_API_KEY": KEY,
        "BASETEN_MODEL_ID": "abc1d2ef",
        "GLM_MODEL": "zai-org/GLM-5.3-Flash",
        **where,
    }


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"OPENAI_BASE_URL": "http://127.0.0.1:8000/v1"}, "of this machine"),
        ({"OPENAI_BASE_URL": "http://localhost/v1"}, "of this machine"),
        ({"OPENAI_BASE_URL": "https://192.168.1.5/v1"}, "of its own network"),
        ({"OPENAI_BASE_URL": "http://[::1]:8080/v1"}, "of this machine"),
        ({"OPENAI_BASE_URL": "https://model.example:8000/v1"}, "port 8000"),
        ({"DATABASE_URL": "postgresql://ada@db.example/chats"}, "port 5432"),
        ({"DATABASE_URL": "sqlite:////tmp/chats.sqlite3"}, "--bucket"),
        ({"GLM_MCP_SERVERS": "https://a.example/mcp http://localhost:9/mcp"}, "MCP"),
        ({"GLM_AUTH": "nonsense"}, "name:password"),
        ({"GLM_AUTH": "ada:x", "GLM_REQUIRE_SIGN_IN": True}, "unset one of the two"),
        ({"BASETEN_MODEL_ID": "abc1d2ef"}, "BASETEN_API_KEY is missing"),
    ],
)
def test_what_could_not_work_on_a_space_is_refused_before_it_is_uploaded(
    values: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        environment_of(settings(**values))


@pytest.mark.parametrize(
    "values",
    [
        {"OPENAI_BASE_URL": "https://model.example:443/v1"},
        {"OPENAI_BASE_URL": "http://8.8.8.8:8080/v1"},
        {"DATABASE_URL": "postgresql://ada@db.example:443/chats"},
    ],
)
def test_what_a_space_reaches_is_given(values: dict[str, str]) -> None:
    assert environment_of(settings(**values)).secrets == values
