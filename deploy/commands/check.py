"""`check`: what is wrong with the preset, by field, value and rule."""

from __future__ import annotations

import argparse
import shlex
import shutil
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Final

from app.settings import SettingsError, load_settings
from deploy import exit_status
from deploy.errors import UsageError
from deploy.output import Output
from deploy.preset import Finding, Preset, add_preset_arguments, findings, load_preset
from deploy.preset.finding import hides_value
from deploy.preset.truss_config import require_truss

_WIDEST: Final = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the preset and its changes."""
    parser.description = (
        "Validates the preset: by truss's own checks, and by rules for what truss lets through. "
        "Errors end with status 5, warnings with 0."
    )
    add_preset_arguments(parser)


async def run(arguments: argparse.Namespace, output: Output) -> int:
    """Tells what is found. Raises UsageError, InvalidConfigError, DeployError without truss."""
    require_truss()
    preset = load_preset(arguments.preset, arguments.set)
    found = findings(preset, _settings_model())
    errors = sum(finding.severity == "error" for finding in found)
    after = " ".join(["python -m deploy", "check" if errors else "plan", *_preset_words(arguments)])
    value = {
        "preset": preset.name,
        "path": str(preset.path),
        "valid": not errors,
        "errors": errors,
        "warnings": len(found) - errors,
        "findings": [asdict(finding) for finding in found],
        "next": after,
    }
    output.result(value, "\n".join(_lines(preset, found, errors, after)))
    return exit_status.INVALID_CONFIG if errors else exit_status.OK


def _settings_model() -> str:
    try:
        return load_settings().model
    except SettingsError as error:
        raise UsageError(str(error)) from None


def _preset_words(arguments: argparse.Namespace) -> Iterator[str]:
    """The same preset and changes, for the next command; a change to a secret is left out."""
    if arguments.preset:
        yield shlex.join(["--preset", str(arguments.preset)])
    for change in arguments.set:
        if not hides_value(change):
            yield shlex.join(["--set", change])


def _lines(preset: Preset, found: Sequence[Finding], errors: int, after: str) -> Iterator[str]:
    yield f"{preset.name} ({preset.path})"
    for severity in ("error", "warning"):
        of_kind = [finding for finding in found if finding.severity == severity]
        if of_kind:
            yield ""
            yield f"{severity.capitalize()}s" if len(of_kind) > 1 else severity.capitalize()
        for finding in of_kind:
            yield from _wrapped(f"{finding.field}: {finding.value}", "  ")
            yield from _wrapped(finding.rule, "    ")
    warnings = len(found) - errors
    yield ""
    if errors:
        yield f"The preset must not be pushed: {_count(errors, 'error')}, " + _count(
            warnings, "warning"
        )
        yield f"Correct it, then: {after}"
    else:
        yield f"The preset is valid: no errors, {_count(warnings, 'warning')}"
        yield f"Next: {after}"


def _wrapped(text: str, indent: str) -> list[str]:
    width = min(_WIDEST, shutil.get_terminal_size((_WIDEST, 24)).columns)
    return textwrap.wrap(
        text,
        max(width, 24),
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
