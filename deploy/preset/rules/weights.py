"""Rules about where the weights and the image come from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from deploy.preset.fields import at, stands
from deploy.preset.finding import MISSING, Finding, error
from deploy.preset.values import Preset

_SCHEMES: Final = ("hf://", "s3://", "gs://", "azure://", "r2://", "cw://", "https://")
_HUGGING_FACE: Final = re.compile(r"hf://[\w.-]+/[\w.-]+(@[^\s@]+)?")
# Docker's own grammar of a reference: host and port, path in lower case, tag, digest.
_IMAGE: Final = re.compile(
    r"(?:[A-Za-z0-9.-]+(?::\d+)?/)?"
    r"[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*"
    r"(?::\w[\w.-]{0,127})?"
    r"(?:@sha256:[0-9a-f]{64})?"
)


def image(preset: Preset) -> Iterator[Finding]:
    """truss takes any text, and none."""
    if stands(preset.config, "base_image") and not isinstance(
        at(preset.config, "base_image"), dict
    ):
        return  # which a rule about shape says
    value = at(preset.config, "base_image.image")
    if not value:
        yield error(
            "base_image.image", MISSING, "It must name the image with vLLM in it, by tag or digest."
        )
    elif not isinstance(value, str) or not _IMAGE.fullmatch(value):
        yield error(
            "base_image.image",
            value,
            "No name of an image: it is HOST/PATH:TAG@sha256:DIGEST, the path in lower case, the "
            "digest of 64 hexadecimal digits.",
        )


def sources(preset: Preset) -> Iterator[Finding]:
    """truss takes an owner without a repository, and an empty revision."""
    weights = at(preset.config, "weights")
    seen: set[str] = set()
    for place, item in enumerate(weights if isinstance(weights, list) else ()):
        source, mount = at(item, "source"), at(item, "mount_location")
        yield from _source(f"weights.{place}.source", source)
        field = f"weights.{place}.mount_location"
        if not isinstance(mount, str) or not mount.startswith("/"):
            yield error(field, MISSING if mount is None else mount, "It must be an absolute path.")
        elif mount in seen:
            yield error(field, mount, "Two sources cannot be mounted at one place.")
        else:
            seen.add(mount)


def _source(field: str, source: object) -> Iterator[Finding]:
    if not isinstance(source, str) or not source:
        yield error(field, MISSING if source is None else source, _FORM)
    elif not source.startswith(_SCHEMES):
        yield error(field, source, _FORM)
    elif source.startswith("hf://") and not _HUGGING_FACE.fullmatch(source):
        yield error(
            field,
            source,
            "It must be hf://OWNER/REPOSITORY, with @REVISION after it to stay with one version.",
        )


_FORM: Final = f"It must start with {', '.join(_SCHEMES[:-1])} or {_SCHEMES[-1]}."


def not_two_kinds_of_weights(preset: Preset) -> Iterator[Finding]:
    """truss refuses both together."""
    if at(preset.config, "weights") and at(preset.config, "model_cache"):
        yield error("model_cache", at(preset.config, "model_cache"), "weights takes its place.")
