"""Folders for what nobody else on the machine may read."""

from __future__ import annotations

from pathlib import Path


def make_private(folder: Path) -> None:
    """Makes the folder, and those above it that are missing, readable for this user alone."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)
