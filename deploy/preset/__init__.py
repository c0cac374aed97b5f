"""The preset: what is pushed, read, changed, explained and checked. Nothing here asks a server."""

from __future__ import annotations

from deploy.preset.arguments import add_preset_arguments
from deploy.preset.findings import Finding, findings, require_valid
from deploy.preset.loading import DEFAULT_PRESET, load_preset
from deploy.preset.start_command import Flag, StartCommand
from deploy.preset.values import Preset

__all__ = [
    "DEFAULT_PRESET",
    "Finding",
    "Flag",
    "Preset",
    "StartCommand",
    "add_preset_arguments",
    "findings",
    "load_preset",
    "require_valid",
]
