"""`python -m app replay`: the answers of a case file, played as they came. No server is asked."""

from __future__ import annotations

import argparse
import asyncio
import math
import sys
from contextlib import closing
from typing import Any

from app.chat.entries import ResultsEntry, UserEntry
from app.chat.events import Event
from app.commands.exit_status import BAD_ARGUMENTS, COMPLETE, INCOMPLETE, INTERRUPTED
from app.commands.files import BadArguments, read_case_file
from app.commands.history import media_urls, said_in
from app.commands.recording import Recording
from app.commands.report import Console, print_json
from app.export.case import Case, CaseTurn

_BEGINNING = "Recorded: this is played from a file, and no server is asked."
_AT_ONCE = "[The whole stream of this answer was not recorded: it is shown at once.]"
_DIFFERS = "[The chat kept something else of this answer than its recording adds up to.]"


def replay(arguments: argparse.Namespace) -> int:
    """Plays the case that the arguments name; returns the exit status."""
    try:
        case = read_case_file(arguments.file)
        if not any(isinstance(entry.said, CaseTurn) for entry in case.path()):
            raise BadArguments(f"{arguments.file} holds no answer: there is nothing to replay.")
        if arguments.json:
            steps = asyncio.run(_steps(case, None, speed=math.inf))
            last = {key: value for key, value in steps[-1].items() if key != "answers"}
            print_json({**last, "steps": steps})
        else:
            with closing(Console()) as console:
                console.note(_BEGINNING)
                steps = asyncio.run(_steps(case, console, speed=arguments.speed))
    except BadArguments as error:
        print(error, file=sys.stderr)
        return BAD_ARGUMENTS
    except KeyboardInterrupt:
        return INTERRUPTED
    return COMPLETE if steps[-1]["complete"] else INCOMPLETE


async def _steps(case: Case, console: Console | None, *, speed: float) -> list[dict[str, Any]]:
    """The reports of all answers of the shown path, each of which was played to its end."""
    steps: list[dict[str, Any]] = []
    path, urls = case.path(), media_urls(case)
    for at, entry in enumerate(path):
        if not isinstance(entry.said, CaseTurn):
            if console is not None:
                console.note(_said_between(entry.said))
            continue
        recording = Recording(entry.said, entry.exchanges, said_in(path[:at]))
        if console is not None and not recording.is_whole:
            console.note(_AT_ONCE)
        turn = await recording.play(console.show if console else _unseen, speed=speed)
        report = await recording.report(len(steps) + 1, turn, tools=case.tool_set.tools, urls=urls)
        steps.append(report)
        if console is not None:
            console.end(report)
            if turn.parts != entry.said.turn.parts:
                console.note(_DIFFERS)
    return steps


def _unseen(_event: Event) -> None:
    """Nobody watches."""


def _said_between(message: UserEntry | ResultsEntry) -> str:
    """What a person said, and the names of what went with it; or what the calls got."""
    if isinstance(message, ResultsEntry):
        return "\n".join(f"[{each.answered_by}] {each.content}" for each in message.results)
    named = [
        *(attachment.name or attachment.kind for attachment in message.attachments),
        *(file.name for file in message.files),
    ]
    return f"\nYou: {''.join(f'[{name}] ' for name in named)}{message.text}\n"
