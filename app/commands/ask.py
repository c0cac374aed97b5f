"""`python -m app ask`: the same turn, or tool loop, with no browser. It imports no Gradio."""

from __future__ import annotations

import argparse
import asyncio
import sys
from contextlib import aclosing, suppress
from typing import Any

from app.assembly import connected
from app.chat.request import build
from app.commands.ask_input import Question, read_question
from app.commands.exit_status import BAD_ARGUMENTS, COMPLETE, INCOMPLETE, INTERRUPTED
from app.commands.files import BadArguments
from app.commands.report import Console, print_json
from app.endpoint import Endpoint
from app.tools.arguments import ArgumentChecker
from app.tools.mocks import Mocks
from app.tools.report import run_report, step_report
from app.tools.run import StepEvent, ToolRun


def ask(arguments: argparse.Namespace) -> int:
    """Runs the question that the arguments state and prints what came; returns the exit status."""
    try:
        report, status = asyncio.run(run(arguments))
    except BadArguments as error:
        print(error, file=sys.stderr)
        return BAD_ARGUMENTS
    except KeyboardInterrupt:  # before anything was asked; later, what came is reported
        return INTERRUPTED
    if arguments.json:
        print_json(report)
    return status


async def run(arguments: argparse.Namespace) -> tuple[dict[str, Any], int]:
    """The report of the run and its exit status. Raises BadArguments.

    A run that is interrupted is reported as stopped, with what came.
    """
    question = await read_question(arguments)
    console = None if arguments.json else Console()
    checker = ArgumentChecker(question.options.tools)
    async with connected(
        question.settings, question.connection, timeout_s=question.timeout_s
    ) as endpoint:
        tool_run = _tool_run(question, endpoint, checker)
        with suppress(asyncio.CancelledError):
            await _follow(tool_run, checker, console)
    if console is not None and tool_run.ending is None:
        console.end(step_report(tool_run.steps[-1], checker))
    return run_report(tool_run, checker), _status(tool_run, question)


def _tool_run(question: Question, endpoint: Endpoint, checker: ArgumentChecker) -> ToolRun:
    return ToolRun(
        question.conversation,
        build=lambda conversation: build(conversation, question.options, question.resolve),
        stream=endpoint.stream,
        checker=checker,
        mocks=question.mocks or Mocks(()),
        max_steps=question.max_steps if question.mocks else 1,
    )


async def _follow(tool_run: ToolRun, checker: ArgumentChecker, console: Console | None) -> None:
    async with aclosing(tool_run.events()) as events:
        async for event in events:
            if console is None:
                continue
            if isinstance(event, StepEvent):
                console.show(event.event)
            else:
                console.end(step_report(event.step, checker))


def _status(tool_run: ToolRun, question: Question) -> int:
    """With mocks the whole run counts; without, only whether the turn is complete."""
    if question.mocks is not None:
        return COMPLETE if tool_run.ending == "answered" else INCOMPLETE
    return COMPLETE if tool_run.steps[-1].turn.complete else INCOMPLETE
