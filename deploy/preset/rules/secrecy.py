"""Rules about secrets: they are named in a preset, and never stand in it."""

from __future__ import annotations

from collections.abc import Iterator

from deploy.preset.fields import at
from deploy.preset.finding import HIDDEN, Finding, error, names_a_secret
from deploy.preset.values import Preset


def secrets_are_null(preset: Preset) -> Iterator[Finding]:
    """A value would be sent with the config, in the clear."""
    secrets = at(preset.config, "secrets")
    for name, value in secrets.items() if isinstance(secrets, dict) else ():
        if value is not None:
            yield error(
                f"secrets.{name}",
                HIDDEN,
                "It must be null: a value is sent in the clear with the config. Keep it in "
                "Baseten's secrets under that name, and take it for known by now.",
            )


def secrets_are_declared(preset: Preset) -> Iterator[Finding]:
    """truss does not check that a source's secret is among the preset's."""
    weights = at(preset.config, "weights")
    for place, item in enumerate(weights if isinstance(weights, list) else ()):
        for path in ("auth_secret_name", "auth.auth_secret_name"):
            name = at(item, path)
            if name is not None and name not in preset.secret_names:
                yield error(
                    f"weights.{place}.{path}",
                    name,
                    f"It must be among the preset's secrets: add {name}: null there.",
                )


def no_key_stands_open(preset: Preset) -> Iterator[Finding]:
    """The config is stored as it is, and shown to all of the workspace."""
    variables = at(preset.config, "environment_variables")
    for name, value in variables.items() if isinstance(variables, dict) else ():
        if names_a_secret(str(name)) and value:
            yield error(
                f"environment_variables.{name}",
                HIDDEN,
                "A key must not stand in the preset: it is sent and stored in the clear. Name it "
                "under secrets: instead.",
            )
    for flag in preset.start.flags:
        if names_a_secret(flag.name) and flag.value:
            yield error(
                f"--{flag.name}",
                HIDDEN,
                "A key must not stand in the start command: it is sent and stored in the clear. "
                "Baseten asks every request for a key of its own.",
            )
