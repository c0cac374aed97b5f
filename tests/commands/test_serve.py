from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.settings import PROJECT, Settings
from tests.interrupts import take_interrupts
from tests.own_disk import folder_beside_the_app


def test_a_taken_port_is_said_in_a_sentence(process: Callable[..., Any]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        for words, variables in (
            (["serve"], {"GRADIO_SERVER_PORT": port}),
            (["simulate", "--port", port], {}),
        ):
            done = process(*words, **variables)
            assert done.returncode == 2
            assert f"127.0.0.1:{port} cannot be served" in done.stderr
            assert "Traceback" not in done.stderr


def test_settings_that_do_not_fit_are_said_before_anything_starts(
    process: Callable[..., Any],
) -> None:
    done = process("serve", BASETEN_MODEL_ID="abc1d2ef", GRADIO_SERVER_PORT="0")
    assert done.returncode == 2
    assert "BASETEN_API_KEY is missing" in done.stderr
    assert done.stdout == ""


def test_a_store_that_cannot_be_used_is_said_before_anything_starts(
    process: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "journal").write_text("not a folder")
    done = process("serve", GRADIO_SERVER_PORT="0")
    assert done.returncode == 2
    assert "GLM_DATA_FOLDER" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("words", [["serve"], ["simulate", "--port", "0"]])
def test_ctrl_c_ends_it_without_a_word(tmp_path: Path, words: list[str]) -> None:
    ours = {str(field.alias) for field in Settings.model_fields.values()}
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    with subprocess.Popen(
        [sys.executable, "-m", "app", *words],
        cwd=PROJECT,
        env=kept
        | {
            "GLM_DATA_FOLDER": str(tmp_path),
            "GRADIO_SERVER_PORT": "0",
            "PYTHONUNBUFFERED": "1",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=take_interrupts,
    ) as process:
        assert process.stdout is not None
        assert any("http://" in line for line in process.stdout)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (0, "")


@pytest.mark.parametrize(
    ("variables", "line"),
    [
        ({}, "Chats are kept in: {folder}/chats.sqlite3"),
        (
            {"SPACE_ID": "someone/space"},
            "Chats are kept in: {folder}/chats.sqlite3, until this Space restarts",
        ),
    ],
)
def test_the_start_says_where_chats_are_kept_and_for_how_long(
    variables: dict[str, str], line: str
) -> None:
    ours = {str(field.alias) for field in Settings.model_fields.values()}
    inherited = {name: value for name, value in os.environ.items() if name not in ours}
    with folder_beside_the_app() as folder:
        own = {"GLM_DATA_FOLDER": str(folder), "GRADIO_SERVER_PORT": "0"}
        with subprocess.Popen(
            [sys.executable, "-m", "app"],
            cwd=PROJECT,
            env=inherited | own | variables,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            said = [next(process.stdout) for _ in range(3)]
            process.terminate()
            process.wait(timeout=30)
    assert said[-1] == f"{line.format(folder=folder)}\n"
