"""The app as a visitor's host runs it: `python -m app` in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]

_OF_THE_APP = ("BASETEN_", "OPENAI_", "GLM_", "GRADIO_", "SPACE_", "SYSTEM", "DATABASE_")
"""How the variables begin that it reads: what this machine sets of them is left out."""


@contextmanager
def running_app(folder: Path, **environment: str) -> Iterator[str]:
    """The app with these variables and no others of its own; gives the address that it prints.

    What it keeps and prints is in `folder`. A traceback that it printed fails the test.
    """
    printed = folder / "stderr.txt"
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(_OF_THE_APP)
    }
    own = {
        "GLM_DATA_FOLDER": str(folder / "data"),
        "GRADIO_SERVER_PORT": "0",
        "PYTHONUNBUFFERED": "1",
    }
    with printed.open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "app"],
            cwd=PROJECT,
            env=inherited | own | environment,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        try:
            yield _printed_address(process, printed)
        finally:
            process.terminate()
            try:
                process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    said = printed.read_text()
    assert "Traceback" not in said, f"The app failed while the tests used it:\n{said[-4000:]}"


def _printed_address(process: subprocess.Popen[str], printed: Path) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if "http://" in line:
            return line.split("http://")[1].split()[0].join(("http://", "/"))
    pytest.fail(f"The app ended before it served a page:\n{printed.read_text()[-4000:]}")
