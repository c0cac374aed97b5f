"""What several commands take as seconds, and what is said of anything else."""

from __future__ import annotations

import pytest

from deploy import exit_status
from deploy.command_line import COMMANDS, run


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "soon", ""])
def test_seconds_are_a_number_over_0(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("push", "wait", "wake", "scale", "stop", "logs", "promote", "space"):
        assert name in COMMANDS
        assert run([name, "--poll", text]) == exit_status.USAGE
        assert f"--poll: {text!r} is no number of seconds over 0" in capsys.readouterr().err
