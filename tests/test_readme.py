"""What the README says is true: its commands run, its settings exist, its links lead somewhere."""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import shlex
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from app.chat.entries import UserEntry
from app.commands.arguments import parse
from app.export.case import CaseTurn
from app.export.case_reading import read_case
from app.settings import Settings
from deploy.command_line import COMMANDS as DEPLOY_COMMANDS
from deploy.space.hub import Hub
from tests.site import serving

PROJECT = Path(__file__).parents[1]
README = (PROJECT / "README.md").read_text()
COMMANDS = [
    line.split("#", 1)[0].strip()
    for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    for line in block.splitlines()
    if line.split("#", 1)[0].strip()
]
PYTHON = ".venv/bin/python"
ASKS = [
    command
    for command in COMMANDS
    if command.startswith((f"{PYTHON} -m app ask", f"{PYTHON} -m app replay"))
]
MAKES = [command for command in COMMANDS if command.startswith("make ")]
INSTALLS = [command for command in COMMANDS if command.startswith(f"{PYTHON} -m pip install")]
DEPLOYS = [command for command in COMMANDS if command.startswith(f"{PYTHON} -m deploy")]
EXPORTS = [command for command in COMMANDS if command.startswith("export ")]


def clean_environment() -> dict[str, str]:
    """The environment of someone who has set nothing."""
    names = {str(field.alias) for field in Settings.model_fields.values()}
    return {name: value for name, value in os.environ.items() if name not in names}


def test_every_command_of_the_readme_is_checked_here() -> None:
    simulate = [c for c in COMMANDS if c.startswith(f"{PYTHON} -m app simulate")]
    checked = (ASKS, MAKES, EXPORTS, INSTALLS, DEPLOYS, simulate)
    assert sum(map(len, checked)) == len(COMMANDS)
    assert parse(shlex.split(simulate[0])[3:]).port == 8100


@pytest.mark.parametrize("command", ASKS)
def test_ask_and_replay_answer_without_any_setting(command: str) -> None:
    words = [sys.executable, *shlex.split(command)[1:]]
    done = subprocess.run(
        words, cwd=PROJECT, env=clean_environment(), capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("command", MAKES)
def test_the_make_targets_exist(command: str) -> None:
    done = subprocess.run(
        ["make", "--dry-run", *shlex.split(command)[1:]],
        cwd=PROJECT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", EXPORTS)
def test_the_variables_are_settings_or_the_hub_s_own(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = command.removeprefix("export ").split("=", 1)[0]
    if name not in {field.alias for field in Settings.model_fields.values()}:
        monkeypatch.setenv(name, "test-token-not-real")
        assert Hub.of_environment().token.get_secret_value() == "test-token-not-real"


@pytest.mark.parametrize("command", DEPLOYS)
def test_the_deploy_commands_take_these_arguments(command: str) -> None:
    words = shlex.split(command)[3:]
    name = words[0]
    parser = argparse.ArgumentParser()
    import_module(f"deploy.commands.{name}").add_arguments(parser)
    assert name in DEPLOY_COMMANDS
    parser.parse_args(words[1:])


@pytest.mark.parametrize("command", INSTALLS)
def test_the_extras_exist(command: str) -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    (extra,) = re.findall(r"\.\[(\w+)\]", command)
    assert extra in project["optional-dependencies"]
    assert (PROJECT / "constraints.txt").exists()


async def test_the_python_example_gets_an_answer() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    async with serving(simulator_tokens_per_second=5000) as base:
        code = example.replace("http://127.0.0.1:7860", base)
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE
        )
        printed, _ = await process.communicate()
    assert process.returncode == 0
    assert b"simulator" in printed


@pytest.mark.parametrize("link", re.findall(r"\]\((?!http)([^)#]+)\)", README))
def test_the_links_lead_to_files(link: str) -> None:
    assert (PROJECT / link).exists()


def test_the_least_case_file_is_one() -> None:
    (least,) = re.findall(r"`(\{\"format\".*?\})`", README, re.DOTALL)
    assert [type(entry.said) for entry in read_case(least.encode()).path()] == [UserEntry, CaseTurn]


@pytest.mark.parametrize("folder", re.findall(r"^\| `([a-z_/.]+)`", README, re.MULTILINE))
def test_the_map_of_the_code_names_what_is_there(folder: str) -> None:
    assert (PROJECT / folder).exists()
