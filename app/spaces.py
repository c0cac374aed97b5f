"""What is known of the Hugging Face Space that runs this app: is it one, and what lasts on it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, Literal, TypeAlias

MOUNT: Final = Path("/data")
"""Where owners are asked to mount a bucket; a Space has nothing there by itself."""

Ending: TypeAlias = Literal["chats", "media"]
"""What ends with a restart: chats and all that they hold, or their pictures and clips alone."""

_OWN: Final = Path(__file__).resolve().parent
"""A folder on the Space's own disk: the code of the app."""


def on_space() -> bool:
    """Whether the app runs on a Space.

    Source: the variables that Spaces set, https://huggingface.co/docs/hub/spaces-overview.
    """
    return "SPACE_ID" in os.environ or os.environ.get("SYSTEM") == "spaces"


def bucket_folder(mount: Path = MOUNT) -> Path | None:
    """The folder for what is kept on a Space with a bucket mounted that can be written to."""
    if on_space() and mount.is_dir() and os.access(mount, os.W_OK | os.X_OK):
        return mount / "glm-playground"
    return None


def is_mounted(folder: Path, own: Path = _OWN) -> bool:
    """Whether the folder is on a volume that is mounted into the Space.

    Never elsewhere than on a Space. `own` is a folder on the Space's own disk.
    """
    return on_space() and _device(folder) != _device(own)


def what_ends(chats: Path | None, media: Path, own: Path = _OWN) -> Ending | None:
    """What of all that is kept ends when this Space restarts; None where nothing does.

    `chats` is the folder of the chats, None where they are on a database server, and `media` that
    of pictures and clips. The Space's own disk is emptied by a restart, a mounted bucket is not:
    https://huggingface.co/docs/hub/spaces-storage.
    """
    if not on_space():
        return None
    if chats is not None and not is_mounted(chats, own):
        return "chats"
    return None if is_mounted(media, own) else "media"


def _device(folder: Path) -> int:
    """The file system that the folder is on, or will be on once it is made."""
    absolute = folder.absolute()
    there = next(each for each in (absolute, *absolute.parents) if os.path.isdir(each))
    return there.stat().st_dev
