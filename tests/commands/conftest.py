"""Commands run as their users run them, with nothing set but what a test sets."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from app.__main__ import main
from app.settings import Settings

PROJECT = Path(__file__).parents[2]

RunCommand: TypeAlias = Callable[..., subprocess.CompletedProcess[str]]

_OURS = tuple(str(field.alias) for field in Settings.model_fields.values())


def _own_variables(folder: Path) -> dict[str, str]:
    return {"GLM_SIMULATOR_TOKENS_PER_SECOND": "5000", "GLM_DATA_FOLDER": str(folder)}


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> RunCommand:
    """Runs the entry of `python -m app` with words, variables and standard input, to its end.

    It is run in this process: the imports of one of its own take longer than most commands. In a
    test that has a loop it goes to a thread, since each command makes its own.
    """

    def run_command(
        *words: str, stdin: str = "", **variables: str
    ) -> subprocess.CompletedProcess[str]:
        for name in _OURS:
            monkeypatch.delenv(name, raising=False)
        for name, value in (_own_variables(tmp_path) | variables).items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(PROJECT)
        monkeypatch.setattr(sys, "argv", ["app", *words])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        capsys.readouterr()
        try:
            status = main()
        except SystemExit as ended:  # of argparse
            status = int(ended.code or 0)
        return subprocess.CompletedProcess(words, status, *capsys.readouterr())

    return run_command


@pytest.fixture
def process(tmp_path: Path) -> RunCommand:
    """The same by `python -m app`, in a process of its own."""

    def run_process(
        *words: str, stdin: str = "", **variables: str
    ) -> subprocess.CompletedProcess[str]:
        inherited = {name: value for name, value in os.environ.items() if name not in _OURS}
        return subprocess.run(
            [sys.executable, "-m", "app", *words],
            cwd=PROJECT,
            env=inherited | _own_variables(tmp_path) | variables,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
        )

    return run_process
