from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any


def test_a_taken_port_is_said_in_a_sentence(command: Callable[..., Any]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        for words, variables in (
            (["serve"], {"GRADIO_SERVER_PORT": port}),
            (["simulate", "--port", port], {}),
        ):
            done = command(*words, **variables)
            assert done.returncode == 2
            assert f"127.0.0.1:{port} cannot be served" in done.stderr
            assert "Traceback" not in done.stderr


def test_settings_that_do_not_fit_are_said_before_anything_starts(
    command: Callable[..., Any],
) -> None:
    done = command("serve", BASETEN_MODEL_ID="abc1d2ef", GRADIO_SERVER_PORT="0")
    assert done.returncode == 2
    assert "BASETEN_API_KEY is missing" in done.stderr
    assert done.stdout == ""
