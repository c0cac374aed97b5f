"""A folder on the disk that the app itself is on, as all is that a Space has by itself."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PROJECT = Path(__file__).parents[1]


@contextmanager
def folder_beside_the_app() -> Iterator[Path]:
    """The system's folder for temporary files may be on another disk; this one is gone later."""
    ignored = PROJECT / ".pytest_cache"  # by git
    ignored.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ignored) as folder:
        yield Path(folder)
