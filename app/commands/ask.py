"""`python -m app ask`: the same turn, or tool loop, with no browser. It imports no Gradio."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from app.chat.notices import notices
from app.chat.request import Request, build
from app.chat.turn import Turn, TurnBuilder
from app.commands.ask_input import BadArguments, Question, read_question
from app.commands.report import Console, print_json, turn_report
from app.endpoint import Endpoint, EndpointSettings
from app.tools.arguments import ArgumentChecker

COMPLETE, INCOMPLETE, BAD_ARGUMENTS = 0, 1, 2


def ask(arguments: argparse.Namespace) -> int:
    """Runs the question that the arguments state and prints what came; returns the exit status."""
    try:
        report, status = asyncio.run(run(arguments))
    except BadArguments as error:
        print(error, file=sys.stderr)
        return BAD_ARGUMENTS
    if arguments.json:
        print_json(report)
    return status
