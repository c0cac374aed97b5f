"""The arguments of every command that takes a preset."""

from __future__ import annotations

import argparse
from pathlib import Path

_SET = """\
change one value of the preset, on a copy; may be given several times. NAME is an engine flag
(max-model-len=262144) or a field's dotted path (runtime.predict_concurrency=8; items of a list
by number, weights.0.source=...). A flag without a value is put in by its name alone
(enforce-eager) or by =true, and turned off by =false, which writes --no-NAME. NAME- takes a flag
or a field out."""


def add_preset_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds `--preset` (a Path or None, as `arguments.preset`) and `--set` (as `arguments.set`)."""
    parser.add_argument(
        "--preset",
        type=Path,
        metavar="DIR|FILE",
        help="the preset's config.yaml, or its folder; default: glm-5.3-flash-latency",
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help=" ".join(_SET.split())
    )
