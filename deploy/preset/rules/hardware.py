"""Rules about the instance: which GPUs, and how many.

A SKU is a GPU type, a colon and how many (`H100:8`), or the CPUs and GiB of one with a part of a
machine (`L4:4x16`), or CPUs and GiB alone (`1x2`). Whether a workspace may have it, only Baseten
knows: `plan` asks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from deploy.preset.fields import at
from deploy.preset.finding import MISSING, Finding, error, warning
from deploy.preset.values import Preset

# The accelerators of truss 0.18.36.
GPU_TYPES: Final = (
    "T4",
    "L4",
    "A10G",
    "V100",
    "A100",
    "A100_40GB",
    "H100",
    "H200",
    "H100_40GB",
    "B200",
    "L40S",
    "RTX_PRO_6000",
    "B300",
    "GB300",
)
_MOST_GPUS: Final = 8  # of one machine
_SKU: Final = re.compile(
    r"(?P<type>[A-Za-z][A-Za-z0-9_]*)(?::(?:(?P<count>\d{1,4})|(?P<many>\d{1,4}x)?\d+x\d+))?",
    re.ASCII,
)
_CPUS_ONLY: Final = re.compile(r"\d+x\d+", re.ASCII)
_INSTANCE: Final = "resources.instance_type"
_ACCELERATOR: Final = "resources.accelerator"


@dataclass(frozen=True, slots=True)
class Gpus:
    """GPUs of an instance: their type, and how many."""

    type: str
    count: int


def gpus(sku: str) -> Gpus | None:
    """What the SKU, or the accelerator, names; None where it is no SKU that could be."""
    if _CPUS_ONLY.fullmatch(sku):
        return Gpus("", 0)
    found = _SKU.fullmatch(sku)
    if found is None or found["type"] not in GPU_TYPES:
        return None
    count = int(found["count"] or (found["many"] or "1").rstrip("x"))
    return Gpus(found["type"], count) if 1 <= count <= _MOST_GPUS else None


def gpu_count(preset: Preset) -> int:
    """The GPUs of the preset's machines together; 0 where that is not known."""
    found = gpus(preset.instance_type)
    nodes = at(preset.config, "resources.node_count")
    return (found.count if found else 0) * (nodes if isinstance(nodes, int) and nodes > 0 else 1)


def gpu_type(preset: Preset) -> str:
    """The type of the preset's GPUs; empty where that is not known."""
    found = gpus(preset.instance_type)
    return found.type if found else ""


def instance(preset: Preset) -> Iterator[Finding]:
    """Either names the GPUs; a SKU goes before an accelerator."""
    sku, accelerator = at(preset.config, _INSTANCE), at(preset.config, _ACCELERATOR)
    if sku is None and accelerator is None:
        yield error(_INSTANCE, MISSING, "It must name the GPUs, H100:8 for this model.")
    if sku is not None:
        yield from _names_gpus(_INSTANCE, sku)
    if accelerator is not None:
        yield from _names_gpus(_ACCELERATOR, accelerator)
    if sku is not None and accelerator is not None:
        yield warning(_ACCELERATOR, accelerator, "Nobody reads it: instance_type goes before it.")


def _names_gpus(field: str, value: object) -> Iterator[Finding]:
    found = gpus(value) if isinstance(value, str) else None
    if found is None:
        kind = "SKU" if field == _INSTANCE else "accelerator"
        near = get_close_matches(re.split(r"[:x]", str(value))[0].upper(), GPU_TYPES, n=1)
        yield error(
            field,
            value,
            f"No {kind} of Baseten: it is a GPU type, a colon and 1 to {_MOST_GPUS}, as in "
            f"{near[0] if near else 'H100'}:8. Types are {', '.join(GPU_TYPES)}.",
        )
    elif found.count == 0:
        yield error(field, value, "An instance without a GPU cannot run the engine.")
