"""The folder of a Space: the app, its assets, an app file, requirements.txt and README.md."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from app.model_server_settings import PROJECT
from deploy.errors import DeployError, UsageError
from deploy.space.card import APP_FILE, Card
from deploy.space.packages import Packages, packages_of

_COPIED: Final = ("app", "assets", ".env.example")
_WRITTEN: Final = (APP_FILE, "README.md", "requirements.txt")
_OF_GIT: Final = (".git", ".gitattributes", ".gitignore")
"""What a clone of a Space, or the Hub itself, has beside them."""

_OF_A_RUN: Final = ("data", "__pycache__")
"""What is left beside them where the app was run in the folder."""

_APP_FILE_TEXT: Final = '''\
"""The app file of this Space: serves the GLM Playground where a Space shows it."""

import os
import sys

from app.__main__ import main
from app.spaces import on_space

# Guarded: pictures and clips are opened in processes that import this file again.
if __name__ == "__main__":
    if on_space():
        os.environ.setdefault("GRADIO_SERVER_NAME", "0.0.0.0")
    sys.exit(main())
'''


@dataclass(frozen=True, slots=True)
class Staged:
    """A folder that was staged: its files as paths in it, in order, and their size in bytes."""

    folder: Path
    files: tuple[PurePosixPath, ...]
    size: int


def stage(folder: Path, *, license_id: str, sign_in: bool) -> Staged:
    """Writes the folder of a Space; one that was staged before is replaced.

    Raises UsageError where something else lies there, and DeployError where it cannot be written.
    """
    packages = packages_of(PROJECT)
    card = Card(packages.gradio, license_id, sign_in)
    folder = folder.expanduser().resolve()
    _require_free(folder)
    try:
        _write(folder, card, packages)
    except OSError as error:
        raise DeployError(f"{folder} cannot be written ({error.strerror or error}).") from None
    return read_staged(folder)


def read_staged(folder: Path) -> Staged:
    """What was staged in a folder; what git has there is not of it."""
    roots = [folder / name for name in (*_COPIED, *_WRITTEN)]
    found = sorted(file for root in roots for file in _files(root))
    return Staged(
        folder,
        tuple(PurePosixPath(file.relative_to(folder)) for file in found),
        sum(file.stat().st_size for file in found),
    )


def strangers(names: Iterable[str]) -> list[str]:
    """Which files, by their paths in a folder or a repository, are no part of a staged Space."""
    known = {*_COPIED, *_WRITTEN, *_OF_GIT, *_OF_A_RUN}
    return [name for name in names if PurePosixPath(name).parts[0] not in known]


def is_staged(names: Collection[str]) -> bool:
    """Whether a repository with these files holds a Space that was staged here."""
    return {*_WRITTEN, "app/__main__.py"} <= set(names) and not strangers(names)


def is_fresh(names: Collection[str]) -> bool:
    """Whether a repository with these files is a Space as the Hub makes it, with nothing in it."""
    return set(names) <= {*_OF_GIT, "README.md"}


def stale(names: Iterable[str], staged: Staged) -> list[str]:
    """Which files of a repository were staged before and are no longer there."""
    kept = {*map(str, staged.files), *_OF_GIT}
    return sorted(name for name in names if name not in kept)


def _require_free(folder: Path) -> None:
    """Raises UsageError where the folder holds what is not ours, or is a part of the project."""
    if any(folder.resolve().is_relative_to(PROJECT / name) for name in _COPIED):
        raise UsageError(f"{folder} is a part of the app itself: name a folder outside of it.")
    try:
        found = [each.name for each in folder.iterdir()]
    except FileNotFoundError:
        return
    except OSError as error:
        raise UsageError(
            f"{folder} cannot be used as a folder ({error.strerror}): name another."
        ) from None
    others = strangers(found)
    is_clone = ".git" in found and is_fresh(found)
    if others or (found and APP_FILE not in found and not is_clone):
        raise UsageError(
            f"{folder} holds what was not staged here, such as {min(others or found)}: "
            "name an empty folder, a clone of a new Space, or one that was staged before."
        )


def _write(folder: Path, card: Card, packages: Packages) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    # First: a folder that was left half written is known by it, and can be staged again.
    (folder / APP_FILE).write_text(_APP_FILE_TEXT, "utf-8")
    for name in _COPIED:
        if (folder / name).is_dir():
            shutil.rmtree(folder / name)
        for file in _files(PROJECT / name):
            copy = folder / file.relative_to(PROJECT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
    (folder / "requirements.txt").write_text(packages.requirements(), "utf-8")
    (folder / "README.md").write_text(card.text(), "utf-8")


def _files(root: Path) -> Iterator[Path]:
    """The files under a folder, or the file itself; what Python or Gradio left there is none."""
    if root.is_file():
        if root.suffix != ".pyi":
            yield root
    elif root.is_dir() and root.name != "__pycache__":
        for each in root.iterdir():
            if not each.name.startswith("."):
                yield from _files(each)
