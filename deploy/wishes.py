"""The arguments that say what a push is to do, for `plan` and `push` alike."""

from __future__ import annotations

import argparse
from typing import Final

from deploy.argument_types import environment_name
from deploy.errors import UsageError
from deploy.planning import Wishes
from deploy.target import PRODUCTION

DELAY_S: Final = range(3601)
"""What Baseten takes as a scale-down delay, in seconds."""


def add_wish_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the team, the environment, and the delay of scaling down."""
    parser.add_argument(
        "--team", metavar="NAME", help="team of the model; needed where the account has several"
    )
    target = parser.add_mutually_exclusive_group()
    target.add_argument(
        "--promote",
        action="store_true",
        help="let the new deployment take over production once it is ready",
    )
    target.add_argument(
        "--environment",
        type=environment_name,
        metavar="NAME",
        help="the same for another environment of the model",
    )
    parser.add_argument(
        "--scale-down-delay",
        type=int,
        default=900,
        metavar="S",
        help="seconds without a request before it is scaled to zero; default 900, at most 3600",
    )


def wishes_of(arguments: argparse.Namespace) -> Wishes:
    """What the arguments ask for. Raises UsageError for a delay that Baseten does not take."""
    if arguments.scale_down_delay not in DELAY_S:
        raise UsageError("--scale-down-delay must be a whole number of seconds from 0 to 3600.")
    environment = PRODUCTION if arguments.promote else arguments.environment
    return Wishes(arguments.team, environment, arguments.scale_down_delay)
