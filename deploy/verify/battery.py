"""All checks there are, and which of them are made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from deploy.errors import UsageError
from deploy.verify import (
    answers,
    efforts,
    formats,
    limits,
    load,
    media,
    models,
    refusals,
    tools,
)
from deploy.verify.check import Check

_MODULES: Final = (models, answers, efforts, tools, formats, media, refusals, limits, load)

CHECKS: Final[tuple[Check, ...]] = tuple(
    check for module in _MODULES for check in module.topic.checks
)


def chosen(names: Sequence[str], *, quick: bool) -> tuple[Check, ...]:
    """The checks of these names, or all; `quick` leaves out what is costly.

    Raises UsageError where there is no such check, or none is left.
    """
    known = {check.name for check in CHECKS}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UsageError(
            f"There is no check {', '.join(unknown)}: choose of {', '.join(sorted(known))}."
        )
    named = [check for check in CHECKS if not names or check.name in names]
    checks = tuple(check for check in named if not (quick and check.costly))
    if not checks:
        raise UsageError("--quick leaves out what --only names: leave out one of the two.")
    return checks
