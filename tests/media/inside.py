"""What the tests have a worker do. It imports nothing of the project, to see what a worker does."""

from __future__ import annotations

import sys
from pathlib import Path


def imported() -> set[str]:
    """The project's own packages that this process has imported."""
    names = (name.split(".") for name in sys.modules if name.startswith("app."))
    return {".".join(name[:2]) for name in names}


def memory_for(folder: Path) -> tuple[str, int]:
    """What is said of the picture in the folder, and the bytes that this process held at most."""
    from app.media import ImageLimits, MediaRefused, work

    try:
        work.picture(folder / work.SOURCE, folder, "x", ImageLimits())
        said = ""
    except MediaRefused as refused:
        said = str(refused)
    status = Path("/proc/self/status").read_text()
    return said, int(status.split("VmHWM:")[1].split()[0]) * 1024
