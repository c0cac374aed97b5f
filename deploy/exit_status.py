"""How a command ends, as its exit status."""

from __future__ import annotations

from typing import Final

OK: Final = 0
FAILED: Final = 1
USAGE: Final = 2
CREDENTIALS: Final = 3
NOT_FOUND: Final = 4
INVALID_CONFIG: Final = 5
INTERRUPTED: Final = 130
