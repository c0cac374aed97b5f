"""How a sentence is made of a template and values: one rule, here and on the page.

`{name}` is a placeholder; any other brace is a brace.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_PLACEHOLDER: Final = re.compile(r"\{(\w+)\}")


def fill(template: str, values: Mapping[str, str]) -> str:
    """The template, each placeholder replaced by its value. Raises KeyError where one lacks."""
    return _PLACEHOLDER.sub(lambda found: values[found[1]], template)
