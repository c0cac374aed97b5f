"""The folder that is pushed: config.yaml alone."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from deploy.preset import Preset

CONFIG: Final = "config.yaml"


@contextmanager
def staged(preset: Preset) -> Iterator[Path]:
    """A temporary folder with the preset's text in it, for as long as the block runs.

    All of the folder is uploaded, whatever lies in it: nothing of the project may.
    """
    with tempfile.TemporaryDirectory(prefix="glm-preset-") as folder:
        # As bytes, so that no line ending is changed on the way.
        (Path(folder) / CONFIG).write_bytes(preset.text.encode())
        yield Path(folder)
