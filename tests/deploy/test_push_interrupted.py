"""Ctrl-C in a push, as a user presses it: a real signal to a real process, at a terminal or not."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from deploy import exit_status
from tests.deploy.fake_baseten import API_KEY, FakeBaseten

PROJECT = Path(__file__).parents[2]
LIMIT_S = 60


def start(*words: str, stdin: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
    """A push in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "deploy", "push", "--poll", "0.05", *words],
        cwd=PROJECT,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def until_asked_at_the_terminal(child: subprocess.Popen[str]) -> str:
    """What a push shows up to its question."""
    assert child.stderr is not None
    shown = ""
    while not shown.endswith("[y/N] "):
        piece = child.stderr.read(1)
        assert piece, shown
        shown += piece
    return shown


def test_while_it_loads_it_says_what_is_billed_and_how_to_stop(baseten: FakeBaseten) -> None:
    baseten.account.script = ("BUILDING", "LOADING_MODEL")
    child = start("--yes")
    baseten.until_asked(r"GET /v1/models/\w+/deployments/\w+ ", 6, LIMIT_S)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=LIMIT_S)

    [deployment] = baseten.deployments()
    assert child.returncode == exit_status.INTERRUPTED
    assert "goes on without this command and is billed at $52.00 an hour" in err
    named = f"--model-id {deployment.model_id} --deployment-id {deployment.id}"
    assert f"python -m deploy stop {named}" in err
    assert f"python -m deploy wait {named}" in err
    assert "Traceback" not in err
    assert API_KEY not in out + err
    assert not Path(os.environ["GLM_DEPLOYMENT_FILE"]).exists()


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_while_truss_pushes_truss_is_ended_and_nothing_is_deployed(
    baseten: FakeBaseten, sent: signal.Signals
) -> None:
    released = baseten.hold("graphql-truss_validation")
    child = start("--yes")
    baseten.until_asked("graphql-truss_validation", 1, LIMIT_S)
    child.send_signal(sent)
    _, err = child.communicate(timeout=LIMIT_S)
    released.set()

    assert child.returncode == exit_status.INTERRUPTED
    assert "No deployment is known yet, but one may still be made" in err
    assert "https://app.baseten.co/models" in err
    assert not baseten.deployments()
    assert not baseten.asked("graphql-create")


def test_what_truss_had_asked_for_is_found_and_named_though_truss_is_gone(
    baseten: FakeBaseten,
) -> None:
    released = baseten.hold("graphql-create_model_from_truss")
    child = start("--yes")
    baseten.until_asked("graphql-create_model_from_truss", 1, LIMIT_S)
    looks = len(baseten.asked("GET /v1/models "))
    child.send_signal(signal.SIGINT)
    baseten.until_asked("GET /v1/models ", looks + 1, LIMIT_S)
    released.set()
    _, err = child.communicate(timeout=LIMIT_S)

    [deployment] = baseten.deployments()
    assert child.returncode == exit_status.INTERRUPTED
    assert "Made since this push began" in err
    named = f"--model-id {deployment.model_id} --deployment-id {deployment.id}"
    assert f"python -m deploy stop {named}" in err
    assert "No deployment" not in err


@pytest.mark.parametrize("interrupts", [1, 2])
def test_an_api_that_is_silent_does_not_keep_a_push_that_is_interrupted(
    baseten: FakeBaseten, interrupts: int
) -> None:
    baseten.hold("graphql-truss_validation")
    child = start("--yes", "--json")
    baseten.until_asked("graphql-truss_validation", 1, LIMIT_S)
    looks = len(baseten.asked("GET /v1/models "))
    baseten.hold("GET /v1/models ")
    child.send_signal(signal.SIGINT)
    baseten.until_asked("GET /v1/models ", looks + 1, LIMIT_S)
    if interrupts == 2:
        child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=15)

    assert child.returncode == exit_status.INTERRUPTED
    message = json.loads(out)["error"]["message"]
    assert message.startswith(
        "Interrupted.\nWhether a deployment was made, and is billed, could not"
    )
    assert "Seeing whether a deployment was made." in err
    assert "Traceback" not in err


def test_a_push_goes_on_though_nobody_reads_what_it_tells(baseten: FakeBaseten) -> None:
    child = start("--yes")
    assert child.stderr is not None
    child.stderr.close()
    assert child.stdout is not None
    assert "It serves" in child.stdout.read()
    assert child.wait(LIMIT_S) == exit_status.OK
    child.stdout.close()
    assert baseten.deployments()[0].autoscaling["concurrency_target"] == 16


def test_a_folder_of_temporary_files_that_is_gone_is_told_and_nothing_is_deployed(
    baseten: FakeBaseten, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    ours, theirs = pty.openpty()
    child = start(stdin=theirs)
    os.close(theirs)
    until_asked_at_the_terminal(child)
    folder.rmdir()
    os.write(ours, b"y\n")
    _, err = child.communicate(timeout=LIMIT_S)
    os.close(ours)

    assert child.returncode == exit_status.FAILED
    assert "see whether there is room in the folder of temporary files" in err
    assert "No deployment was made, and nothing new is billed." in err
    assert not baseten.asked("graphql")


@pytest.mark.parametrize(
    ("answer", "status"), [("n\n", exit_status.FAILED), ("\x03", exit_status.INTERRUPTED)]
)
def test_a_no_or_ctrl_c_at_the_question_pushes_nothing(
    baseten: FakeBaseten, answer: str, status: int
) -> None:
    ours, theirs = pty.openpty()
    child = start("--json", stdin=theirs)
    os.close(theirs)
    shown = until_asked_at_the_terminal(child)
    if answer == "\x03":
        child.send_signal(signal.SIGINT)
    else:
        os.write(ours, answer.encode())
    out, _ = child.communicate(timeout=LIMIT_S)
    os.close(ours)

    assert child.returncode == status
    words = "Nothing was pushed." if status == exit_status.FAILED else "Interrupted."
    assert json.loads(out) == {"error": {"message": words}}
    assert "$52.00 an hour" in shown
    assert not baseten.asked("POST ")
