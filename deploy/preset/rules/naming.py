"""Rules about names: the model's on Baseten, and the one that requests give."""

from __future__ import annotations

from collections.abc import Iterator

from deploy.preset.fields import at, stands
from deploy.preset.finding import MISSING, Finding, error
from deploy.preset.values import Preset


def model_name(preset: Preset) -> Iterator[Finding]:
    """The name goes unescaped into a GraphQL text that truss writes."""
    name = at(preset.config, "model_name")
    if not stands(preset.config, "model_name") or name is None:
        yield error(
            "model_name",
            MISSING,
            "A push needs the model's name; the same name makes a new deployment of that model.",
        )
    elif not isinstance(name, str):
        yield error("model_name", name, "It must be text: put it in quotes.")
    elif not name.strip():
        yield error("model_name", '""', "A push needs the model's name.")
    elif any(letter in '"\\' or not letter.isprintable() for letter in name):
        yield error(
            "model_name",
            name,
            "No double quotes, backslashes or line breaks: truss pastes the name into its request "
            "as it is. Colons and spaces are fine.",
        )


def served_name(preset: Preset, settings_model: str) -> Iterator[Finding]:
    """vLLM answers 404 to any other name."""
    names = preset.served_names
    if settings_model not in names:
        yield error(
            "--served-model-name",
            " ".join(names) or MISSING,
            f"The UI asks for {settings_model}, and vLLM refuses any other name: serve that one, "
            "or set GLM_MODEL to the served name.",
        )
