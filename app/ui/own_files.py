"""The page's own files: scripts, styles, texts, pictures; where they are, and how they are served.

Their address holds a digest of all of them. So a browser keeps them for good, and asks for none
when the page is opened again; and a new page can never meet an old script.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Final

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

ASSETS: Final = Path(__file__).resolve().parents[2] / "assets"

_FOREVER: Final = "public, max-age=31536000, immutable"


def _version(folder: Path) -> str:
    """A digest of all files of a folder, by their names and what they hold."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            digest.update(f"{path.relative_to(folder).as_posix()}\0{len(data)}\0".encode())
            digest.update(data)
    return digest.hexdigest()[:16]


_VERSION: Final = _version(ASSETS)

OWN: Final = f"own/{_VERSION}"
"""Where the page finds them, relative to its own address. They are read once, at the start."""


class OwnFiles(StaticFiles):
    """Serves them under `own/`. Under another version's address, or none, a browser asks anew."""

    def __init__(self) -> None:
        super().__init__(directory=ASSETS)

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, or 304 where the browser's copy is still the same."""
        version, _, rest = path.partition(os.sep)
        if version == _VERSION:
            response = await super().get_response(rest, scope)
            if response.status_code in (200, 206, 304):
                response.headers["Cache-Control"] = _FOREVER
            return response
        # A tab that was opened before the app was renewed asks under the version that it knows.
        known = rest if re.fullmatch("[0-9a-f]{16}", version) else path
        response = await super().get_response(known, scope)
        response.headers["Cache-Control"] = "no-cache"
        return response
