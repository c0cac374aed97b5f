"""Arguments that several commands take: what they may be, and what is said of others."""

from __future__ import annotations

import argparse
import re
from math import isfinite

from app.deployment import ENVIRONMENT_PATTERN, ID_PATTERN


def model_id(text: str) -> str:
    """An id of Baseten's. Raises ArgumentTypeError."""
    if re.fullmatch(ID_PATTERN, text) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no id: one is letters and digits")
    return text


def environment_name(text: str) -> str:
    """The name of an environment. Raises ArgumentTypeError."""
    if re.fullmatch(ENVIRONMENT_PATTERN, text) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no name of an environment")
    return text


def seconds(text: str) -> float:
    """A span of time. Raises ArgumentTypeError."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if value <= 0 or not isfinite(value):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds over 0")
    return value


def add_timeout_argument(
    parser: argparse.ArgumentParser, default_s: float, of_what: str = "to wait at most"
) -> None:
    """Adds `--timeout`."""
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=default_s,
        metavar="S",
        help=f"seconds {of_what}; default {default_s:g}",
    )


def add_poll_argument(parser: argparse.ArgumentParser, default_s: float) -> None:
    """Adds `--poll`."""
    parser.add_argument(
        "--poll",
        type=seconds,
        default=default_s,
        metavar="S",
        help=f"seconds between two looks; default {default_s:g}",
    )


def add_waiting_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds both, for a deployment that loads."""
    add_timeout_argument(parser, 3600.0)
    add_poll_argument(parser, 5.0)
