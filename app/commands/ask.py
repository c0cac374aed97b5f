"""`python -m app ask`: the same turn, or tool loop, with no browser. It imports no Gradio."""

from __future__ import annotations

import argparse
import asyncio
import sys
from contextlib import aclosing
from typing import Any

from app.assembly import connected
from app.chat.notices import notices
from app.chat.request import build
from app.chat.turn import TurnBuilder
from app.commands.ask_input import BadArguments, Question, read_question
from app.commands.report import Console, print_json, turn_report
from app.endpoint import Endpoint
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


async def run(arguments: argparse.Namespace) -> tuple[dict[str, Any], int]:
    """The report of the run and its exit status. Raises BadArguments.

    A run that is interrupted is reported as stopped, with what came.
    """
    question = await read_question(arguments)
    console = None if arguments.json else Console()
    async with connected(
        question.settings, question.connection, timeout_s=question.timeout_s
    ) as endpoint:
        report = await _turn(question, endpoint, console)
    if console is not None:
        console.end(report)
    report["steps"] = [dict(report)]
    return report, COMPLETE if report["complete"] else INCOMPLETE


async def _turn(question: Question, endpoint: Endpoint, console: Console | None) -> dict[str, Any]:
    request = build(question.conversation, question.options, question.resolve)
    builder = TurnBuilder()
    try:
        async with aclosing(endpoint.stream(request)) as events:
            async for event in events:
                builder.add(event)
                if console is not None:
                    console.show(event)
    except asyncio.CancelledError:
        builder.stop()
    turn = builder.turn()
    checker = ArgumentChecker(question.options.tools)
    return turn_report(turn, notices(turn, checker, request.repairs), checker, request.body)
