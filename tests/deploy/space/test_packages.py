"""What a Space installs: everything that the app needs, at the versions that the tests ran with."""

from __future__ import annotations

from importlib.metadata import requires, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from app.model_server_settings import PROJECT
from deploy.errors import DeployError
from deploy.space.packages import packages_of


def test_every_package_is_pinned_at_the_version_that_is_tested() -> None:
    packages = packages_of(PROJECT)
    assert packages.requirements().splitlines() == [
        f"{name}=={pinned}" for name, pinned in sorted(packages.versions.items())
    ]
    assert {name: version(name) for name in packages.versions} == packages.versions
    assert packages.gradio == version("gradio")


def test_what_is_needed_in_turn_is_among_them_and_what_only_we_need_is_not() -> None:
    names = set(packages_of(PROJECT).versions)
    assert {"starlette", "authlib", "mcp", "psycopg-binary", "uvloop", "av"} <= names
    assert not names & {"truss", "pytest", "playwright", "mypy", "ruff", "pip", "glm-playground"}


def test_the_pins_agree_with_what_the_builder_installs_beside_them() -> None:
    """Else a Space would not build: its builder adds gradio[oauth,mcp] to the same install."""
    versions = packages_of(PROJECT).versions
    checked = set()
    for text in requires("gradio") or ():
        requirement = Requirement(text)
        applies = any(
            requirement.marker is None or requirement.marker.evaluate({"extra": extra})
            for extra in ("", "oauth", "mcp")
        )
        if applies:
            name = canonicalize_name(requirement.name)
            assert requirement.specifier.contains(versions[name]), text
            checked.add(name)
    assert {"pydantic", "mcp", "authlib", "fastapi"} <= checked


def project(folder: Path, dependency: str, pins: str) -> Path:
    (folder / "pyproject.toml").write_text(f'[project]\ndependencies = ["{dependency}"]\n')
    (folder / "constraints.txt").write_text(pins)
    return folder


def test_a_package_without_a_pin_is_named(tmp_path: Path) -> None:
    pins = (PROJECT / "constraints.txt").read_text("utf-8")
    missing = "".join(line for line in pins.splitlines(True) if not line.startswith("starlette="))
    with pytest.raises(DeployError, match=r"no version of starlette"):
        packages_of(project(tmp_path, "gradio", missing))


def test_a_package_that_is_not_installed_is_named_with_what_installs_it(tmp_path: Path) -> None:
    pins = (PROJECT / "constraints.txt").read_text("utf-8") + "no-such-package-here==1.0\n"
    with pytest.raises(DeployError, match=r"^no-such-package-here, .*pip install"):
        packages_of(project(tmp_path, "No_Such_Package.here", pins))
