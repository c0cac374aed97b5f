"""`explain`: every engine flag of the preset, its value, and what it does."""

from __future__ import annotations

import argparse
import io
import shutil
import sys
from typing import Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from deploy import exit_status
from deploy.errors import InvalidConfigError
from deploy.output import Output, fit
from deploy.preset import Flag, Preset, add_preset_arguments, load_preset
from deploy.preset.finding import HIDDEN, names_a_secret, shown_change
from deploy.preset.flags import explanation

_UNKNOWN: Final = "Unknown here: vLLM's own documentation may tell what it does."
_NARROW: Final = 72  # columns, below which a table of three is hard to read


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the preset and its changes."""
    parser.description = "Prints every engine flag of the preset, its value, and what it does."
    add_preset_arguments(parser)


async def run(arguments: argparse.Namespace, output: Output) -> int:
    """Prints the flags. Raises UsageError, InvalidConfigError."""
    preset = load_preset(arguments.preset, arguments.set)
    start = preset.start
    if start.problem or not start.program:
        raise InvalidConfigError(
            f"{preset.path} has no start command that could be explained: "
            f"{start.problem or 'docker_server.start_command is missing'}."
        )
    value = {
        "preset": preset.name,
        "program": [shown_change(word) for word in start.program],
        "flags": [
            {
                "flag": f"--{flag.name}",
                "value": _value(flag) if flag.values else None,
                "known": explanation(flag.name, flag.value) is not None,
                "explanation": explanation(flag.name, flag.value) or _UNKNOWN,
            }
            for flag in start.flags
        ],
    }
    output.result(value, "" if output.as_json else _page(preset), styled=True)
    return exit_status.OK


def _page(preset: Preset) -> str:
    columns = shutil.get_terminal_size((100, 24)).columns
    page = io.StringIO()
    terminal = sys.stdout is not None and sys.stdout.isatty()
    console = Console(file=page, width=columns, force_terminal=terminal, highlight=False)
    program = " ".join(map(shown_change, preset.start.program))
    console.print(Text(fit(f"{preset.name}: {program}")))
    console.print()
    if columns < _NARROW:
        for flag in preset.start.flags:
            console.print(Text(fit(f"--{flag.name} {_value(flag)}"), style="bold"))
            console.print(Text(fit(explanation(flag.name, flag.value) or _UNKNOWN)))
            console.print()
    else:
        console.print(_table(preset))
    return "\n".join(line.rstrip() for line in page.getvalue().rstrip().splitlines())


def _table(preset: Preset) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), show_edge=False, header_style="bold")
    table.add_column("Flag", max_width=34, overflow="fold")
    table.add_column("Value", max_width=22, overflow="fold")
    table.add_column("What it does", ratio=1)
    for flag in preset.start.flags:
        said = explanation(flag.name, flag.value) or _UNKNOWN
        table.add_row(*(Text(fit(cell)) for cell in (f"--{flag.name}", _value(flag), said)))
    return table


def _value(flag: Flag) -> str:
    if names_a_secret(flag.name) and flag.values:
        return HIDDEN
    return flag.value or "(no value)"
