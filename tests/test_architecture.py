"""The arrows of the project point one way, and `ask` needs no page."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]

ALLOWED = {
    "chat": set(),
    "endpoint": {"chat"},
    "export": {"chat", "endpoint", "tools"},
    "media": {"chat"},
    "simulator": {"media"},
    "store": {"chat"},
    "tools": {"chat", "endpoint"},
    "turns": {"chat", "endpoint", "export", "media", "store", "tools"},
    "docs": {"turns"},
    "ui": {"chat", "endpoint", "export", "media", "store", "tools", "turns"},
}
FRAMEWORKS = {
    "gradio",
    "openai",
    "fastapi",
    "starlette",
    "aiohttp",
    "httpx",
    "PIL",
    "socket",
    "sqlalchemy",
}


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


@pytest.mark.parametrize("package", ALLOWED)
def test_a_package_imports_only_what_stands_below_it(package: str) -> None:
    for path in (PROJECT / "app" / package).rglob("*.py"):
        for name in imports(path):
            parts = name.split(".")
            if parts[0] == "app" and len(parts) > 1:
                assert parts[1] in ALLOWED[package] | {package}, f"{path.name} imports {name}"
            assert parts[0] != "deploy", f"{path.name} imports {name}"


def test_the_app_can_do_without_deploy_which_needs_little_of_it() -> None:
    allowed = {"settings", "model_server_settings", "connections", "deployment"}
    allowed |= {"chat", "endpoint", "export", "media", "tools"}
    for path in (PROJECT / "app").rglob("*.py"):
        assert not {name for name in imports(path) if name.split(".")[0] == "deploy"}, path.name
    for path in (PROJECT / "deploy").rglob("*.py"):
        used = {name.split(".")[1] for name in imports(path) if name.startswith("app.")}
        assert used <= allowed, f"{path.name} imports {used - allowed}"


def test_the_heart_imports_no_framework() -> None:
    for path in (PROJECT / "app" / "chat").rglob("*.py"):
        assert not {name.split(".")[0] for name in imports(path)} & FRAMEWORKS, path.name


def test_ask_imports_no_gradio() -> None:
    code = "import sys, app.commands.ask; print('gradio' in sys.modules, 'truss' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "False"]


def test_no_module_has_a_name_that_says_nothing() -> None:
    names = {path.stem for path in (PROJECT / "app").rglob("*.py")}
    assert not names & {"utils", "helpers", "common", "misc"}
