"""Uploads from end to end: the real huggingface_hub against a Hub on loopback."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.model_server_settings import PROJECT
from deploy import exit_status
from deploy.command_line import run
from deploy.space.hub import Hub
from tests.deploy.fake_hub import TOKEN, FakeHub
from tests.deploy.guard import sitecustomize
from tests.interrupts import take_interrupts

KEY = "test-key-not-real"
SPACE = "ada/glm-playground"
LIMIT_S = 60


@pytest.fixture
def hub(loopback_only: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """A Hub without Spaces, which the environment names, and no setting of the user's."""
    of_user = ("HF_", "BASETEN_", "OPENAI_", "GLM_", "GRADIO_", "DATABASE_")
    for name in list(os.environ):
        if name.startswith(of_user) and name != sitecustomize.STRANGERS:
            monkeypatch.delenv(name)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GLM_DEPLOYMENT_FILE", str(tmp_path / "deployment.json"))
    with FakeHub() as server:
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", server.url)
        yield server


def push(*words: str) -> int:
    return run(["space", "--push", SPACE, "--yes", "--poll", "0.01", *words])


def test_a_new_space_is_given_its_settings_and_files_and_runs(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "https://model.example/v1")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("GLM_KEEP_DAYS", "7")
    monkeypatch.setenv("GLM_REQUIRE_SIGN_IN", "true")
    monkeypatch.setenv("GRADIO_SERVER_PORT", "7999")

    assert push() == exit_status.OK

    out, err = capfd.readouterr()
    space = hub.spaces[SPACE]
    assert space.private
    assert space.secrets == {
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": "https://model.example/v1",
    }
    assert space.variables == {"GLM_KEEP_DAYS": "7", "GLM_REQUIRE_SIGN_IN": "true"}
    assert "hf_oauth: true" in space.files["README.md"].decode()
    picture = "assets/examples/picture.png"
    assert space.files[picture] == (PROJECT / picture).read_bytes()
    assert "truss" not in space.files["requirements.txt"].decode()
    assert len(space.commits) == 1
    settings = hub.asked.index(f"POST /api/spaces/{SPACE}/variables")
    assert settings < hub.asked.index(f"POST /api/spaces/{SPACE}/commit/main")
    for words in ("is made", "its owner alone", "Building", "Starting", "GRADIO_SERVER_PORT"):
        assert words in err
    assert "Secrets set: OPENAI_API_KEY, OPENAI_BASE_URL" in out
    assert "Variables set: GLM_KEEP_DAYS, GLM_REQUIRE_SIGN_IN" in out
    assert "It runs" in out
    assert f"{hub.url}/spaces/{SPACE}" in out
    for secret in (KEY, TOKEN):
        assert secret not in out + err
        assert not [name for name, data in space.files.items() if secret.encode() in data]


def test_without_settings_it_answers_by_the_simulator_and_says_so(
    hub: FakeHub, capfd: pytest.CaptureFixture[str]
) -> None:
    assert push("--public", "--json", "--no-wait") == exit_status.OK
    out, err = capfd.readouterr()
    assert re.search(r"answered by +the built-in simulator", err)
    told = json.loads(out)
    assert told["answered_by"] == "the built-in simulator"
    assert told["changed"]
    assert told["created"]
    assert (told["secrets"], told["variables"]) == ([], {})
    assert not hub.spaces[SPACE].private


def test_a_second_upload_changes_what_changed_and_removes_what_is_gone(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert push() == exit_status.OK
    space = hub.spaces[SPACE]
    space.files["app/chat/gone.py"] = b"# of a version before"
    space.files["assets/favicon.svg"] = b"<svg/>"
    space.secrets["OPENAI_BASE_URL"] = "https://model.example/v1"
    space.variables["OF_THE_OWNER"] = "1"
    monkeypatch.setenv("GLM_KEEP_DAYS", "7")
    capfd.readouterr()

    assert push() == exit_status.OK

    err = capfd.readouterr().err
    assert set(space.commits[-1]) == {"app/chat/gone.py", "assets/favicon.svg"}
    assert "app/chat/gone.py" not in space.files
    assert "exists, and is changed" in err
    assert re.search(r"kept +OF_THE_OWNER, OPENAI_BASE_URL\n", err)
    assert "the model server that its own settings name (OPENAI_BASE_URL)" in err
    assert space.variables == {"OF_THE_OWNER": "1", "GLM_KEEP_DAYS": "7"}

    assert push() == exit_status.OK
    assert "No file had changed" in capfd.readouterr().out
    assert len(space.commits) == 2


def test_another_model_server_takes_the_place_of_the_one_before(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Else the app on the Space would ask the old one, or refuse to start with both."""
    monkeypatch.setenv("BASETEN_API_KEY", KEY)
    monkeypatch.setenv("BASETEN_MODEL_ID", "abc1d2ef")
    monkeypatch.setenv("BASETEN_DEPLOYMENT_ID", "dep2345")
    assert push("--public") == exit_status.OK
    assert "is billed while it serves" in capfd.readouterr().err
    space = hub.spaces[SPACE]
    space.variables["BASETEN_ENVIRONMENT"] = "staging"
    for name in ("BASETEN_API_KEY", "BASETEN_MODEL_ID", "BASETEN_DEPLOYMENT_ID"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("OPENAI_BASE_URL", "https://model.example/v1")

    assert push("--json") == exit_status.OK

    told = json.loads(capfd.readouterr().out)
    gone = ["BASETEN_API_KEY", "BASETEN_DEPLOYMENT_ID", "BASETEN_MODEL_ID", "BASETEN_ENVIRONMENT"]
    assert told["taken_out"] == gone
    assert told["answered_by"] == "model.example"
    assert space.secrets == {"OPENAI_BASE_URL": "https://model.example/v1"}
    assert space.variables == {}


def test_what_was_a_variable_and_is_a_secret_now_does_not_stand_twice(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert push() == exit_status.OK
    space = hub.spaces[SPACE]
    space.variables["GLM_ALLOWED_USERS"] = "ada"
    monkeypatch.setenv("GLM_ALLOWED_USERS", "ada grace")
    assert push() == exit_status.OK
    assert (space.secrets, space.variables) == ({"GLM_ALLOWED_USERS": "ada grace"}, {})


def test_people_come_in_by_one_way_only(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLM_AUTH", "ada:test-password")
    assert push() == exit_status.OK
    space = hub.spaces[SPACE]
    monkeypatch.delenv("GLM_AUTH")
    monkeypatch.setenv("GLM_REQUIRE_SIGN_IN", "true")
    assert push() == exit_status.OK
    assert (space.secrets, space.variables) == ({}, {"GLM_REQUIRE_SIGN_IN": "true"})

    monkeypatch.delenv("GLM_REQUIRE_SIGN_IN")
    assert push() == exit_status.OK
    assert space.variables == {"GLM_REQUIRE_SIGN_IN": "true"}, "an open door is no default"
    assert "hf_oauth: true" in space.files["README.md"].decode()


def test_a_hub_that_does_not_answer_for_a_while_is_asked_again(
    hub: FakeHub, capfd: pytest.CaptureFixture[str]
) -> None:
    hub.fail("/runtime", 502, b"<html>bad gateway</html>", times=3)
    assert push() == exit_status.OK
    assert "The Hub does not answer; asking again" in capfd.readouterr().err


def test_one_that_does_not_run_in_time_is_no_success(
    hub: FakeHub, capfd: pytest.CaptureFixture[str]
) -> None:
    hub.script = ("BUILDING",)
    assert push("--timeout", "0.2") == exit_status.FAILED
    assert "It does not run yet: building." in capfd.readouterr().out


def test_an_owner_that_the_token_cannot_act_for_is_said_before_anything_is_made(
    hub: FakeHub, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["space", "--push", "adda/glm", "--yes"]) == exit_status.USAGE
    assert "adda is neither ada" in capfd.readouterr().err
    assert run(["space", "--push", "analytical/glm", "--yes", "--no-wait"]) == exit_status.OK


def test_the_address_of_its_page_names_a_space_as_well(hub: FakeHub) -> None:
    words = ["space", "--push", f"{hub.url}/spaces/{SPACE}", "--yes", "--no-wait"]
    assert run(words) == exit_status.OK
    assert SPACE in hub.spaces


def test_without_a_yes_the_plan_is_shown_and_nothing_is_made(
    hub: FakeHub, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["space", "--push", SPACE]) == exit_status.USAGE
    err = capfd.readouterr().err
    assert "is made" in err
    assert "add --yes" in err
    assert not hub.spaces


def test_a_bucket_is_mounted_beside_what_is_mounted_already(hub: FakeHub) -> None:
    assert push() == exit_status.OK
    models = {"type": "model", "source": "a/b", "mountPath": "/models", "readOnly": True}
    hub.spaces[SPACE].volumes = [models]
    assert push("--bucket", "ada/chats") == exit_status.OK
    assert hub.buckets == {"ada/chats": "private"}
    mounted = {"type": "bucket", "source": "ada/chats", "mountPath": "/data"}
    assert hub.spaces[SPACE].volumes == [models, mounted]


def test_a_space_of_something_else_is_left_alone(
    hub: FakeHub, capfd: pytest.CaptureFixture[str]
) -> None:
    assert push() == exit_status.OK
    hub.spaces[SPACE].files = {"README.md": b"", "my_app.py": b"mine"}
    assert push() == exit_status.USAGE
    assert "such as my_app.py" in capfd.readouterr().err
    assert hub.spaces[SPACE].files["my_app.py"] == b"mine"


def test_a_build_that_fails_says_why(hub: FakeHub, capfd: pytest.CaptureFixture[str]) -> None:
    hub.script, hub.reason = ("BUILDING", "BUILD_ERROR"), "pip found no such version"
    assert push() == exit_status.FAILED
    out = capfd.readouterr().out
    assert "The build failed (pip found no such version)" in out
    assert f"{hub.url}/spaces/{SPACE}?logs=build" in out


@pytest.mark.parametrize(
    ("pattern", "status", "body", "ends", "said"),
    [
        ("whoami", 401, "Invalid credentials", exit_status.CREDENTIALS, "The Hub refused"),
        ("repos/create", 403, "no right", exit_status.CREDENTIALS, "Nothing was changed"),
        ("repos/create", 402, "Pay first", exit_status.FAILED, "Pay first"),
        ("/secrets$", 500, "broken", exit_status.FAILED, "Done by then: made the Space"),
        ("/commit/", 400, "too many files", exit_status.FAILED, "set the secret OPENAI_BASE_URL"),
        ("/runtime", 200, b"<html>", exit_status.FAILED, "uploaded the files"),
        ("/runtime", 404, "gone", exit_status.NOT_FOUND, "uploaded the files"),
    ],
)
def test_what_the_hub_refuses_is_said_with_what_was_done(
    hub: FakeHub,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    pattern: str,
    status: int,
    body: str | bytes,
    ends: int,
    said: str,
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "https://model.example/v1")
    hub.fail(pattern, status, body)
    assert push() == ends
    err = capfd.readouterr().err
    assert said in err
    assert "Traceback" not in err


def test_a_license_that_the_hub_does_not_know_is_a_fault_of_the_arguments(
    hub: FakeHub, capfd: pytest.CaptureFixture[str]
) -> None:
    assert push("--license", "nonsense") == exit_status.USAGE
    assert '"license" must be one of [mit, other]' in capfd.readouterr().err
    assert not hub.spaces


def test_without_a_token_it_says_how_to_get_one(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("HF_TOKEN")
    assert push() == exit_status.CREDENTIALS
    assert "hf auth login" in capfd.readouterr().err
    assert not hub.asked


def test_a_token_may_stand_in_the_file_of_settings(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("HF_TOKEN")
    (tmp_path / ".env").write_text(f"HF_TOKEN={TOKEN}\n")
    assert Hub.of_environment(tmp_path / ".env").token.get_secret_value() == TOKEN


@pytest.mark.parametrize("name", ["glm", "a/b/c", "a b/c", "/x", "x/", "ada/x..y"])
def test_a_name_that_is_none_is_refused_before_anything_is_asked(hub: FakeHub, name: str) -> None:
    assert run(["space", "--push", name, "--yes"]) == exit_status.USAGE
    assert run(["space", "--push", SPACE, "--bucket", name, "--yes"]) == exit_status.USAGE
    assert not hub.asked


def test_a_hub_that_nobody_answers_at_is_said(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert push() == exit_status.FAILED
    assert "cannot be reached" in capfd.readouterr().err


def test_ctrl_c_in_an_upload_ends_it_and_says_what_was_done(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLM_KEEP_DAYS", "7")
    come = hub.hold("/commit/")
    child = subprocess.Popen(
        [sys.executable, "-m", "deploy", "space", "--push", SPACE, "--yes"],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=take_interrupts,
    )
    assert come.wait(LIMIT_S)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=LIMIT_S)
    assert child.returncode == exit_status.INTERRUPTED
    assert "Done by then: made the Space, set the variable GLM_KEEP_DAYS." in err
    assert "Traceback" not in err
    assert not hub.spaces[SPACE].commits
