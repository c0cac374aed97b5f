"""Ctrl-C at one moment: as the module that GLM_TEST_INTERRUPTED names is about to be imported.

Python imports this module by its name in every process that has its folder on the path.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from types import ModuleType


class _Interrupting:
    @staticmethod
    def find_spec(
        name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> None:
        if name == os.environ.get("GLM_TEST_INTERRUPTED"):
            signal.raise_signal(signal.SIGINT)


sys.meta_path.insert(0, _Interrupting)
