"""What a wait shows where there is no terminal, and what it has cost."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.output import Output
from deploy.progress import Progress, clock_text

PROJECT = Path(__file__).parents[2]
PHASES = """
from deploy.output import Output
from deploy.progress import Progress
with Progress(Output(), 60.0) as progress:
    progress.phase("Building [/bold]\\x1b]0;title", billed=True)
    progress.phase("Loading", billed=True)
"""


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (7.9, "0:07"), (723, "12:03"), (3723, "1:02:03")]
)
def test_seconds_read_as_a_clock(seconds: float, text: str) -> None:
    assert clock_text(seconds) == text


def test_each_phase_is_a_line_once(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    with Progress(Output(), 60.0, clock=clock) as progress:
        progress.phase("Uploading", billed=False)
        clock.seconds = 30
        progress.phase("Building", billed=True)
        clock.seconds = 90
        progress.phase("Building", billed=True)
        clock.seconds = 150
        progress.phase("Sleeping", billed=False)
    assert capsys.readouterr().err.splitlines() == [
        "0:00 Uploading",
        "0:30 Building",
        "2:30 Sleeping, about $2.00 so far",
    ]


def test_what_is_not_billed_costs_nothing() -> None:
    clock = Clock()
    with Progress(Output(), 60.0, clock=clock) as progress:
        progress.phase("Building", billed=True)
        clock.seconds = 60
        progress.phase("Sleeping", billed=False)
        clock.seconds = 6000
    assert progress.spent() == "about $1.00"
    assert progress.elapsed_s() == 6000


def test_the_cost_stands_still_after_the_end() -> None:
    clock = Clock()
    with Progress(Output(), 60.0, clock=clock) as progress:
        progress.phase("Building", billed=True)
        clock.seconds = 60
    clock.seconds = 6000
    assert progress.spent() == "about $1.00"


def test_without_a_price_no_cost_is_made_up(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(Output(), None) as progress:
        progress.phase("Building", billed=True)
        progress.phase("Loading", billed=True)
    assert progress.spent() == ""
    assert "$" not in capsys.readouterr().err


def at_a_terminal(kind: str) -> str:
    """What two phases show at a terminal of a kind, as TERM names it."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": kind}
    child = subprocess.run(
        [sys.executable, "-c", PHASES], cwd=PROJECT, env=environment, stderr=theirs
    )
    os.close(theirs)
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    assert child.returncode == 0
    return shown


def test_a_terminal_that_cannot_move_its_cursor_gets_plain_lines() -> None:
    shown = at_a_terminal("dumb")
    assert "\x1b" not in shown
    assert [line[:13] for line in shown.splitlines()] == ["0:00 Building", "0:00 Loading,"]


def test_words_of_a_server_are_no_commands_to_a_terminal() -> None:
    shown = at_a_terminal("xterm")
    assert "Building [/bold]\ufffd]0;title" in shown
    assert "\x1b[" in shown  # which is the live table's own


def test_a_terminal_that_is_closed_ends_nothing() -> None:
    ours, theirs = pty.openpty()
    os.close(ours)
    child = subprocess.run(
        [sys.executable, "-c", PHASES],
        cwd=PROJECT,
        env={**os.environ, "TERM": "xterm"},
        stderr=theirs,
    )
    os.close(theirs)
    assert child.returncode == 0
