"""How a command that ran a turn ends, as its exit status."""

from __future__ import annotations

from typing import Final

COMPLETE: Final = 0
INCOMPLETE: Final = 1
BAD_ARGUMENTS: Final = 2
INTERRUPTED: Final = 130
