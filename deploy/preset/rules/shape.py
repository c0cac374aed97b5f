"""Rules about the file: what may stand where, and nothing twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from deploy.preset.fields import at, stands
from deploy.preset.finding import Finding, error, warning
from deploy.preset.values import Preset

_MAPPINGS: Final = (
    "model_metadata",
    "base_image",
    "secrets",
    "environment_variables",
    "docker_server",
    "resources",
    "runtime",
    "runtime.health_checks",
)
# Set by the platform in each container: truss's K8S_RESERVED_ENVIRONMENT_VARIABLES.
_RESERVED: Final = ("PORT", "HOSTNAME")


def nothing_stands_twice(preset: Preset) -> Iterator[Finding]:
    """YAML keeps the last of two equal keys, silently."""
    for path in preset.duplicate_keys:
        yield error(
            path,
            "given twice",
            "A key stands once in its mapping: of two, only the last counts. Take one out.",
        )


def mappings_are_mappings(preset: Preset) -> Iterator[Finding]:
    """A list or a text where fields are expected stops truss, at times with no clear word."""
    for path in _MAPPINGS:
        if stands(preset.config, path) and not isinstance(at(preset.config, path), dict):
            example = {
                "secrets": "hf_access_token: null",
                "base_image": "image: vllm/vllm-openai:TAG",
            }.get(path, "NAME: VALUE")
            yield error(
                path,
                at(preset.config, path),
                f"It must be a mapping, with entries such as {example}; without any, leave it out.",
            )
    weights = at(preset.config, "weights")
    if stands(preset.config, "weights") and not isinstance(weights, list):
        yield error(
            "weights", weights, "It must be a list of mappings, each with source: and so on."
        )


def variables_are_text(preset: Preset) -> Iterator[Finding]:
    """What truss makes of other values is hardly what was meant."""
    variables = at(preset.config, "environment_variables")
    for name, value in variables.items() if isinstance(variables, dict) else ():
        field = f"environment_variables.{name}"
        if value is None:
            yield error(
                field,
                value,
                "Null becomes the text None in the container: give a value, or take it out.",
            )
        elif isinstance(value, dict | list):
            yield error(field, value, "A variable holds text, a number, or true or false.")
        if name in _RESERVED:
            yield warning(field, value, "The platform sets this variable itself, over yours.")
