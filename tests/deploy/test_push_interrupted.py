"""Ctrl-C in a push, as a user presses it: a real signal to a real process, at a terminal or not."""

from __future__ import annotations

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


def test_while_truss_pushes_truss_is_ended_and_nothing_is_deployed(baseten: FakeBaseten) -> None:
    released = baseten.hold("graphql-truss_validation")
    child = start("--yes")
    baseten.until_asked("graphql-truss_validation", 1, LIMIT_S)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=LIMIT_S)
    released.set()

    assert child.returncode == exit_status.INTERRUPTED
    assert "No deployment was made, and nothing new is billed." in err
    assert not baseten.deployments()


@pytest.mark.parametrize(
    ("answer", "status"), [("n\n", exit_status.FAILED), ("\x03", exit_status.INTERRUPTED)]
)
def test_a_no_or_ctrl_c_at_the_question_pushes_nothing(
    baseten: FakeBaseten, answer: str, status: int
) -> None:
    ours, theirs = pty.openpty()
    child = start(stdin=theirs)
    os.close(theirs)
    assert child.stderr is not None
    shown = ""
    while not shown.endswith("[y/N] "):
        shown += child.stderr.read(1)
    if answer == "\x03":
        child.send_signal(signal.SIGINT)
    else:
        os.write(ours, answer.encode())
    child.communicate(timeout=LIMIT_S)
    os.close(ours)

    assert child.returncode == status
    assert "$52.00 an hour" in shown
    assert not baseten.asked("POST ")
