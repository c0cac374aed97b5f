"""What a Space installs: the app's packages and all that they need, each at its pinned version.

A Space's builder installs requirements.txt in one step with `gradio[oauth,mcp]` of the front
matter's sdk_version and a few packages of its own, and sees no other file: so the pins must agree
with gradio's, and stand in that file themselves.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from deploy.errors import DeployError

PYTHON_VERSION: Final = "3.11"
"""The Python of the Space: the least that the app takes, with which its tests run."""

_SPACE: Final[Mapping[str, str]] = {
    "implementation_name": "cpython",
    "os_name": "posix",
    "platform_machine": "x86_64",
    "platform_python_implementation": "CPython",
    "platform_system": "Linux",
    "python_full_version": f"{PYTHON_VERSION}.0",
    "python_version": PYTHON_VERSION,
    "sys_platform": "linux",
}
_BUILDER: Final = "gradio[oauth,mcp]"
"""Source: the image of Spaces with the SDK gradio."""


@dataclass(frozen=True, slots=True)
class Packages:
    """Packages by name, in the order of their names, each with its version."""

    versions: Mapping[str, str]

    @property
    def gradio(self) -> str:
        """The version of gradio, which the front matter names."""
        return self.versions["gradio"]

    def requirements(self) -> str:
        """The text of requirements.txt."""
        return "".join(f"{name}=={version}\n" for name, version in self.versions.items())


def packages_of(project: Path) -> Packages:
    """The packages that the app of a project's folder needs on a Space.

    The names are those of pyproject.toml, the versions those of constraints.txt; what these need
    in turn is told by what is installed. Raises DeployError where it is not, or has no pin.
    """
    pins = _pins((project / "constraints.txt").read_text("utf-8"))
    declared = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))["project"]
    waiting = [Requirement(text) for text in (*declared["dependencies"], _BUILDER)]
    seen: set[tuple[str, str]] = set()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name not in pins:
            raise DeployError(
                f"constraints.txt has no version of {name}: add it, so that the Space runs what "
                "the tests ran."
            )
        for extra in ("", *requirement.extras):
            if (name, extra) not in seen:
                seen.add((name, extra))
                waiting += _needed(name, extra)
    return Packages({name: pins[name] for name in sorted({name for name, _ in seen})})


def _pins(constraints: str) -> dict[str, str]:
    """The versions of constraints.txt by name."""
    lines = (line for line in constraints.splitlines() if "==" in line and line[0] != "#")
    pairs = (line.split("==") for line in lines)
    return {canonicalize_name(name): version.strip() for name, version in pairs}


def _needed(name: str, extra: str) -> list[Requirement]:
    """What a package, or one extra of it, needs on a Space."""
    try:
        found = [Requirement(text) for text in requires(name) or ()]
    except PackageNotFoundError:
        raise DeployError(
            f"{name}, which a Space needs, is not installed here: run "
            "pip install -c constraints.txt -e '.[deploy]'"
        ) from None
    return [
        each
        for each in found
        if each.marker is None or each.marker.evaluate({**_SPACE, "extra": extra})
    ]
