"""Commands run as their users run them, with nothing set but what a test sets."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from app.settings import Settings

PROJECT = Path(__file__).parents[2]


@pytest.fixture
def command(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs `python -m app` with words, variables and standard input, to its end."""

    def run_command(
        *words: str, stdin: str = "", **variables: str
    ) -> subprocess.CompletedProcess[str]:
        ours = {str(field.alias) for field in Settings.model_fields.values()}
        kept = {name: value for name, value in os.environ.items() if name not in ours}
        return subprocess.run(
            [sys.executable, "-m", "app", *words],
            cwd=PROJECT,
            env=kept
            | {"GLM_SIMULATOR_TOKENS_PER_SECOND": "5000", "GLM_DATA_FOLDER": str(tmp_path)}
            | variables,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
        )

    return run_command
