"""A staged Space in an environment of its own: what its requirements.txt names, and no more."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import venv
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from gradio_client import Client

from deploy.space.folder import stage
from deploy.space.packages import packages_of
from tests.interrupts import take_interrupts

PROJECT = Path(__file__).parents[3]
# The packages of an environment of its own are installed.
pytestmark = pytest.mark.timeout(1200)

BUILDER = ("gradio[oauth,mcp]=={gradio}", "uvicorn>=0.14.0", "websockets>=10.4", "spaces")
"""What a Space installs in the same step. Source: the image of Spaces with the SDK gradio."""

SPACE = {
    "SYSTEM": "spaces",
    "SPACE_ID": "ada/glm-playground",
    "SPACE_AUTHOR_NAME": "ada",
    "SPACE_REPO_NAME": "glm-playground",
    "SPACE_HOST": "ada-glm-playground.hf.space",
    "GRADIO_SERVER_NAME": "0.0.0.0",
    "GRADIO_NUM_PORTS": "1",
    "GRADIO_ALLOW_FLAGGING": "never",
    "GRADIO_THEME": "huggingface",
}


@pytest.fixture(scope="module")
def space(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A Space without secrets as it runs on its machine; gives its address."""
    folder = tmp_path_factory.mktemp("space")
    stage(folder / "app", license_id="other", sign_in=False)
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / "bin" / "python"
    of_builder = [each.format(gradio=packages_of(PROJECT).gradio) for each in BUILDER]
    installed = subprocess.run(
        [python, "-m", "pip", "install", "-q", "-r", "requirements.txt", *of_builder],
        cwd=folder / "app",
        capture_output=True,
        text=True,
        check=False,
    )
    assert installed.returncode == 0, installed.stderr
    names = ("PATH", "LANG", "TMPDIR")
    inherited = {name: os.environ[name] for name in names if name in os.environ}
    process = subprocess.Popen(
        [python, "space.py"],
        cwd=folder / "app",
        env={**inherited, **SPACE, "HOME": str(folder), "GRADIO_SERVER_PORT": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=take_interrupts,
    )
    assert process.stdout is not None
    told = ""
    try:
        for line in process.stdout:
            told += line
            if port := re.search(r"GLM Playground: http://0\.0\.0\.0:(\d+)", line):
                break
        else:
            pytest.fail(told)
        assert "the built-in simulator answers" in told
        yield f"http://127.0.0.1:{port[1]}"
    finally:
        process.send_signal(signal.SIGINT)
        told, _ = process.communicate(timeout=30)
        assert (process.returncode, "Traceback" in told) == (0, False)


def test_it_answers_by_the_simulator(space: str) -> None:
    answer = Client(space, verbose=False).predict("What is machine learning?", api_name="/chat")
    assert answer["complete"]
    assert "This is the simulator" in answer["content"]


def test_behind_the_space_s_proxy_the_page_has_the_space_s_address(space: str) -> None:
    proxied = {
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Host": SPACE["SPACE_HOST"],
        "X-Forwarded-For": "203.0.113.7",
    }
    answer = httpx2.get(f"{space}/config", headers=proxied)
    assert answer.json()["root"] == f"https://{SPACE['SPACE_HOST']}"
    assert httpx2.get(f"{space}/own/favicon.svg", headers=proxied).status_code == 200


def test_its_visitors_are_strangers(space: str) -> None:
    told = httpx2.get(f"{space}/docs").text
    assert "A visitor starts at most 20 turns in a minute" in told
