"""All that is found in a preset: by rules of our own, and by truss where it is installed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from deploy.errors import InvalidConfigError
from deploy.preset.finding import Finding, Rule
from deploy.preset.rules import engine, hardware, health, naming, secrecy, server, shape, weights
from deploy.preset.truss_config import is_installed, truss_findings
from deploy.preset.values import Preset

__all__ = ["Finding", "findings", "require_valid"]

_RULES: Final[tuple[Rule, ...]] = (
    shape.nothing_stands_twice,
    shape.mappings_are_mappings,
    shape.variables_are_text,
    naming.model_name,
    hardware.instance,
    server.port,
    server.command_is_there,
    server.command_is_read_whole,
    server.command_needs_no_shell,
    server.routes,
    engine.each_flag_once,
    engine.flags_are_known,
    engine.figures,
    engine.gpus_are_used,
    engine.concurrency,
    engine.calls_and_thought,
    engine.model_is_mounted,
    weights.image,
    weights.sources,
    weights.not_two_kinds_of_weights,
    secrecy.secrets_are_null,
    secrecy.secrets_are_declared,
    secrecy.no_key_stands_open,
    health.thresholds,
    health.deprecated,
    health.patience,
)


def findings(preset: Preset, settings_model: str) -> tuple[Finding, ...]:
    """All that is found, errors first, in the order of the rules.

    `settings_model` is the name that the UI asks for. Without truss its own checks are left out,
    unknown keys among them.
    """
    ours = list(_ours(preset, settings_model))
    theirs = truss_findings(preset) if is_installed() else ()
    found = [*ours, *(finding for finding in theirs if not _is_said(finding, ours))]
    return tuple(sorted(found, key=lambda finding: finding.severity))


def require_valid(preset: Preset, settings_model: str) -> None:
    """Returns where the preset may be pushed. Raises InvalidConfigError naming what is wrong."""
    errors = [found for found in findings(preset, settings_model) if found.severity == "error"]
    if errors:
        first = errors[0]
        more = f" And {len(errors) - 1} more." if len(errors) > 1 else ""
        raise InvalidConfigError(
            f"The preset must not be pushed: {first.field} is {first.value}. {first.rule}{more} "
            "python -m deploy check lists all."
        )


def _ours(preset: Preset, settings_model: str) -> Iterator[Finding]:
    for rule in _RULES:
        yield from rule(preset)
    yield from naming.served_name(preset, settings_model)


def _is_said(theirs: Finding, ours: list[Finding]) -> bool:
    """Whether a rule of ours has an error for the same field, or for one above or below it."""
    return any(
        found.severity == "error"
        and (
            found.field == theirs.field
            or found.field.startswith(f"{theirs.field}.")
            or theirs.field.startswith(f"{found.field}.")
        )
        for found in ours
    )
