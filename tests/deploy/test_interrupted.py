"""Ctrl-C while something is being told to Baseten: what may be billed is said, and how to stop it.

A real signal to a real process; the request that it comes in is held by the server.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from deploy import exit_status
from tests.deploy.fake_baseten import FakeBaseten
from tests.interrupts import take_interrupts

PROJECT = Path(__file__).parents[2]
LIMIT_S = 60


def interrupted(
    baseten: FakeBaseten, words: Sequence[str], pattern: str
) -> tuple[int | None, str, str]:
    """How a command ended that was interrupted while the request of this pattern was held."""
    released = baseten.hold(pattern)
    child = subprocess.Popen(
        [sys.executable, "-m", "deploy", *words],
        cwd=PROJECT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=take_interrupts,
    )
    baseten.until_asked(pattern, 1, LIMIT_S)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=LIMIT_S)
    released.set()
    return child.returncode, out, err


@pytest.mark.parametrize(
    ("command", "status", "pattern", "said"),
    [
        ("start", "INACTIVE", "POST .*/activate", "may have been started, and is then billed"),
        ("start", "INACTIVE", "GET /v1/instance_type_prices", "To stop paying"),
        ("wake", "SCALED_TO_ZERO", "POST .*/wake", "may have been woken, and is then billed"),
        ("stop", "ACTIVE", "POST .*/deactivate", "See whether it has with"),
        ("promote", "ACTIVE", "POST .*/promote", "may have been promoted to production"),
        ("connect", "ACTIVE", "GET /model-.*/models", "Nothing was written"),
        ("connect", "ACTIVE", "POST .*/chat/completions", "To stop paying"),
    ],
)
def test_it_says_what_may_be_billed(
    baseten: FakeBaseten, command: str, status: str, pattern: str, said: str
) -> None:
    baseten.deployed("glm")
    deployment = baseten.deployed("glm", status=status)
    named = ["--model-id", deployment.model_id, "--deployment-id", deployment.id]
    ended, out, err = interrupted(baseten, [command, *named], pattern)
    assert (ended, out) == (exit_status.INTERRUPTED, "")
    assert "Interrupted." in err
    assert said in err
    assert f"{' '.join(named)}" in err
    assert "Traceback" not in err


def test_a_change_of_autoscaling_that_was_under_way_can_be_looked_at(baseten: FakeBaseten) -> None:
    deployment = baseten.deployed("glm")
    named = ["--model-id", deployment.model_id, "--deployment-id", deployment.id]
    words = ["scale", *named, "--concurrency-target", "8", "--json"]
    ended, out, _ = interrupted(baseten, words, "PATCH .*/autoscaling_settings")
    assert ended == exit_status.INTERRUPTED
    assert (
        "may have been changed. To see: python -m deploy scale"
        in json.loads(out)["error"]["message"]
    )


def test_a_call_says_that_the_model_is_billed(
    baseten: FakeBaseten, monkeypatch: pytest.MonkeyPatch
) -> None:
    deployment = baseten.deployed("glm")
    monkeypatch.setenv("BASETEN_MODEL_ID", deployment.model_id)
    ended, out, err = interrupted(baseten, ["call", "chat"], "POST .*/chat/completions")
    assert (ended, out) == (exit_status.INTERRUPTED, "")
    assert "python -m deploy stop ends that" in err
