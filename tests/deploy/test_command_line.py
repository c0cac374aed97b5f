"""How a command ends: by signals, with streams that are closed or full, by words it cannot take."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from app.settings import Settings
from deploy import exit_status
from deploy.command_line import run
from deploy.preset import load_preset
from tests.deploy.fake_baseten import API_KEY, FakeBaseten

PROJECT = Path(__file__).parents[2]
INTERRUPTING = Path(__file__).with_name("interrupting")
MODEL = load_preset().model_name
LIMIT_S = 60
FAULTS = ("Traceback", "Exception ignored")


def ended(
    shell: str, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """A line of sh, in which `deploy` is the program; it gives how the line has ended."""
    line = f'deploy() {{ "{sys.executable}" -m deploy "$@"; }}; {shell}'
    return subprocess.run(
        ["sh", "-c", line],
        cwd=PROJECT,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )


def started(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "deploy", *words],
        cwd=PROJECT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def loading(baseten: FakeBaseten) -> str:
    """A deployment that will serve; the arguments that name it."""
    deployment = baseten.deployed(MODEL)
    deployment.status, deployment.script = "BUILDING", ["LOADING_MODEL", "ACTIVE"]
    return f"--model-id {deployment.model_id} --deployment-id {deployment.id} --poll 0.1"


# Signals.


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_an_end_from_outside_says_what_is_left_as_ctrl_c_does(
    baseten: FakeBaseten, number: signal.Signals
) -> None:
    deployment = baseten.deployed(MODEL, status="BUILDING")
    child = started(
        "wait", "--model-id", deployment.model_id, "--deployment-id", deployment.id, "--poll", "0.1"
    )
    baseten.until_asked(r"GET /v1/models/\w+/deployments/\w+ ", 3, LIMIT_S)
    child.send_signal(number)
    child.send_signal(number)  # a terminal that is closed may tell it twice
    out, err = child.communicate(timeout=LIMIT_S)

    assert child.returncode == exit_status.INTERRUPTED
    assert "Interrupted." in err
    assert "python -m deploy stop" in err
    assert not any(fault in out + err for fault in FAULTS)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_an_end_from_outside_ends_the_push_that_is_under_way(
    baseten: FakeBaseten, number: signal.Signals
) -> None:
    released = baseten.hold("graphql-truss_validation")
    child = started("push", "--yes")
    baseten.until_asked("graphql-truss_validation", 1, LIMIT_S)
    child.send_signal(number)
    out, err = child.communicate(timeout=LIMIT_S)
    released.set()

    assert child.returncode == exit_status.INTERRUPTED
    assert "Interrupted." in err
    assert not any(fault in out + err for fault in FAULTS)
    assert not baseten.deployments()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_an_end_from_outside_ends_the_question_too(
    baseten: FakeBaseten, number: signal.Signals
) -> None:
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "deploy", "push"],
        cwd=PROJECT,
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(theirs)
    assert child.stderr is not None
    shown = ""
    while not shown.endswith("[y/N] "):
        shown += child.stderr.read(1)
    child.send_signal(number)
    _, err = child.communicate(timeout=LIMIT_S)
    os.close(ours)
    assert child.returncode == exit_status.INTERRUPTED
    assert not any(fault in err for fault in FAULTS)
    assert not baseten.asked("POST ")


def test_what_nohup_asks_to_ignore_is_ignored(baseten: FakeBaseten) -> None:
    deployment = baseten.deployed(MODEL, status="BUILDING")
    words = ["wait", "--model-id", deployment.model_id, "--deployment-id", deployment.id]
    child = subprocess.Popen(
        ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", sys.executable, "-m", "deploy", *words],
        cwd=PROJECT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    baseten.until_asked(r"GET /v1/models/\w+/deployments/\w+ ", 1, LIMIT_S)
    child.send_signal(signal.SIGHUP)
    baseten.set_status(deployment.model_id, "ACTIVE")
    child.communicate(timeout=LIMIT_S)
    assert child.returncode == exit_status.OK


@pytest.mark.parametrize(
    "module", ["deploy.command_line", "asyncio", "deploy.commands.explain", "rich.table"]
)
@pytest.mark.parametrize("as_json", [[], ["--json"]])
def test_ctrl_c_while_python_still_imports_ends_without_a_traceback(
    module: str, as_json: list[str]
) -> None:
    command = ended(
        " ".join(["deploy explain", *as_json]),
        {"PYTHONPATH": str(INTERRUPTING), "GLM_TEST_INTERRUPTED": module},
    )
    assert command.returncode == exit_status.INTERRUPTED
    assert command.stderr == ""
    if as_json:
        assert json.loads(command.stdout) == {"error": {"message": "Interrupted."}}


def test_ctrl_c_in_the_midst_of_a_command_is_one_object(baseten: FakeBaseten) -> None:
    deployment = baseten.deployed(MODEL)
    released = baseten.hold("GET /v1/models")
    child = started("status", "--json", "--model-id", deployment.model_id)
    baseten.until_asked("GET /v1/models", 1, LIMIT_S)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=LIMIT_S)
    released.set()
    assert child.returncode == exit_status.INTERRUPTED
    assert json.loads(out) == {"error": {"message": "Interrupted."}}
    assert err == ""


# Streams.


@pytest.mark.parametrize("command", ["check", "explain --json", "push --help", ""])
def test_a_full_disk_is_told_in_a_sentence(command: str) -> None:
    seen = ended(f"deploy {command} >/dev/full")
    assert seen.returncode == exit_status.FAILED
    assert seen.stderr == "Standard output could not be written: No space left on device.\n"


def test_a_full_disk_ends_a_call_that_streams(baseten: FakeBaseten) -> None:
    deployment = baseten.deployed(MODEL, load_preset().config)
    url = f"{baseten.url}/model-{deployment.model_id}/environments/production/sync/v1"
    line = f"deploy call chat --stream --base-url {url} >/dev/full"
    seen = ended(line, {"OPENAI_API_KEY": API_KEY})
    assert seen.returncode == exit_status.FAILED
    assert seen.stderr == "Standard output could not be written: No space left on device.\n"


@pytest.mark.parametrize("command", ["check", "explain --json", "push --help"])
def test_a_reader_that_leaves_ends_the_command_silently(command: str) -> None:
    gone, pipe = os.pipe()
    os.close(gone)
    seen = subprocess.run(
        [sys.executable, "-m", "deploy", *command.split()],
        cwd=PROJECT,
        stdout=pipe,
        stderr=subprocess.PIPE,
        text=True,
        timeout=LIMIT_S,
    )
    os.close(pipe)
    assert (seen.returncode, seen.stderr) == (exit_status.FAILED, "")


def test_a_reader_of_the_progress_who_leaves_does_not_end_what_is_under_way(
    baseten: FakeBaseten,
) -> None:
    words = loading(baseten).split()
    gone, pipe = os.pipe()
    os.close(gone)
    seen = subprocess.run(
        [sys.executable, "-m", "deploy", "wait", "--json", *words],
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=pipe,
        text=True,
        timeout=LIMIT_S,
    )
    os.close(pipe)
    assert seen.returncode == exit_status.OK
    assert json.loads(seen.stdout)["status"] == "ACTIVE"


def test_standard_error_that_is_closed_leaves_one_object(baseten: FakeBaseten) -> None:
    words = loading(baseten)
    seen = ended(f"deploy wait --json {words} 2>&-")
    assert json.loads(seen.stdout)["status"] == "ACTIVE"


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("push <&-", exit_status.USAGE),
        ("explain >&-", exit_status.OK),
        ("explain <&- >&- 2>&-", exit_status.OK),
    ],
)
def test_streams_that_are_closed_are_no_fault(baseten: FakeBaseten, line: str, status: int) -> None:
    seen = ended(f"deploy {line}")
    assert seen.returncode == status
    assert not any(fault in seen.stderr for fault in FAULTS)


def test_letters_that_a_terminal_does_not_have_are_no_fault() -> None:
    seen = ended("deploy explain --set served-model-name=模型", {"PYTHONIOENCODING": "ascii"})
    assert seen.returncode == exit_status.OK
    assert "--served-model-name" in seen.stdout


def test_an_env_file_that_is_no_text_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / ".env"
    file.write_bytes("GLM_MODEL=modèle\n".encode("latin-1"))
    monkeypatch.setitem(Settings.model_config, "env_file", file)
    assert run(["check"]) == exit_status.USAGE
    assert "is not UTF-8 text: save it as UTF-8" in capsys.readouterr().err


# Words, and what nobody has foreseen.


@pytest.mark.parametrize(
    "words",
    [
        ["status", "--json", "--model-id", "a/b"],
        ["wait", "--js", "--timeout", "nan"],
        ["check", "--json", "--set"],
        ["nonsense", "--json"],
    ],
)
def test_words_that_are_refused_are_one_object(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words) == exit_status.USAGE
    said = capsys.readouterr()
    assert "error: " in json.loads(said.out)["error"]["message"]
    assert said.err == ""


def test_words_that_are_refused_are_told_with_the_usage(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["wait", "--timeout", "nan"]) == exit_status.USAGE
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("usage: python -m deploy wait")
    assert said.err.endswith("error: argument --timeout: 'nan' is no number of seconds over 0\n")


@pytest.mark.parametrize("as_json", [False, True])
def test_what_was_not_foreseen_is_a_sentence_without_what_it_held(
    as_json: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def fail(_arguments: object, _output: object) -> int:
        raise KeyError(API_KEY)

    command = SimpleNamespace(add_arguments=lambda _parser: None, run=fail)
    monkeypatch.setitem(sys.modules, "deploy.commands.status", as_module(command))
    assert run(["status", *["--json"] * as_json]) == exit_status.FAILED
    said = capsys.readouterr()
    told = json.loads(said.out)["error"]["message"] if as_json else said.err
    assert "not foreseen (KeyError)" in told
    assert API_KEY not in said.out + said.err
    assert "Traceback" not in said.err


def as_module(command: SimpleNamespace) -> ModuleType:
    module = ModuleType("command")
    module.__dict__.update(vars(command))
    return module


def test_a_python_without_the_packages_is_told_how_to_get_them() -> None:
    bare = [sys.executable, "-S", "-m", "deploy", "status"]
    done = subprocess.run(bare, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == exit_status.FAILED
    assert "is not installed for this Python: run make deploy" in done.stderr
    assert "Traceback" not in done.stderr
