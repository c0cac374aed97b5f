"""The command line: which commands there are, and what each takes."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path

COMMANDS = ("serve", "ask", "replay", "simulate")


def parse(words: Sequence[str]) -> argparse.Namespace:
    """The parsed command line; `serve` where no command is named. Exits with 2 on a bad one."""
    parser = argparse.ArgumentParser(
        prog="python -m app",
        description="Chat with GLM-5.3-Flash, in a browser or from the command line.",
    )
    commands = parser.add_subparsers(dest="command", metavar="|".join(COMMANDS))
    commands.add_parser(
        "serve",
        help="serve the page (the default)",
        description="Serves the page on GRADIO_SERVER_NAME:GRADIO_SERVER_PORT; see .env.example.",
    )
    _add_ask(commands.add_parser("ask", help="run one turn, or a tool loop, without a browser"))
    _add_replay(
        commands.add_parser("replay", help="play the answers of a case file, no server asked")
    )
    _add_simulate(commands.add_parser("simulate", help="serve the simulated model server alone"))
    arguments = parser.parse_args(words)
    arguments.command = arguments.command or "serve"
    return arguments


def _add_ask(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Runs one turn, or with --mocks a whole tool loop. Exit status: 0 complete, 1 not, "
        "2 bad arguments."
    )
    parser.add_argument("prompt", help="the user's message; - reads it from standard input")
    parser.add_argument("--json", action="store_true", help="print one JSON object, nothing else")
    parser.add_argument("--base-url", metavar="URL", help="server to ask in place of the settings'")
    parser.add_argument("--model", metavar="NAME", help="model name to send")
    parser.add_argument("--system", default="", metavar="TEXT", help="system prompt")
    parser.add_argument("--effort", choices=("low", "high", "max"), help="reasoning effort")
    parser.add_argument("--temperature", type=_number(0, 2), metavar="0..2")
    parser.add_argument("--top-p", type=_number(0, 1), metavar="0..1")
    parser.add_argument("--max-tokens", type=_count, metavar="N", help="reasoning included")
    parser.add_argument("--seed", type=int, metavar="N")
    parser.add_argument(
        "--stop", action="append", default=[], metavar="TEXT", help="stop string; may be repeated"
    )
    parser.add_argument(
        "--image",
        type=Path,
        metavar="FILE",
        help="JPEG, PNG, WebP, GIF, HEIC, AVIF, TIFF or BMP",
    )
    parser.add_argument("--video", type=Path, metavar="FILE", help="mp4, mov, webm or mkv")
    parser.add_argument(
        "--tools",
        type=Path,
        metavar="FILE",
        help="OpenAI tools array or tool-set file; or Python functions, OpenAPI, MCP tools/list",
    )
    parser.add_argument(
        "--mocks", type=Path, metavar="FILE", help="rules that answer calls, or a tool-set file"
    )
    parser.add_argument("--tool-choice", metavar="auto|none|required|NAME")
    parser.add_argument("--no-parallel", action="store_true", help="one call at a time")
    parser.add_argument(
        "--max-steps", type=_count, default=8, metavar="N", help="turns of a loop, default 8"
    )
    parser.add_argument(
        "--conversation",
        type=Path,
        metavar="FILE",
        help="what came before: a messages array, or a case file, whose settings then hold",
    )
    parser.add_argument(
        "--response-schema", type=Path, metavar="FILE", help="JSON Schema the answer must follow"
    )
    parser.add_argument("--no-stream", action="store_true", help="ask for the answer in one piece")
    parser.add_argument("--timeout", type=_seconds, metavar="S", help="seconds for a turn in all")


def _add_replay(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Plays the answers of a case file as they came, without any server. Exit status: 0 the "
        "last one is complete, 1 it is not, 2 bad arguments."
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="a case, NAME.case.json")
    parser.add_argument(
        "--speed",
        type=_speed,
        default=1.0,
        metavar="N",
        help="times as fast as it came; 0 is at once, default 1",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, at once")


def _add_simulate(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Serves the simulated model server: vLLM's wire, no model. It ends with Ctrl+C."
    )
    parser.add_argument("--port", type=int, default=8100, metavar="N", help="default 8100")
    parser.add_argument("--host", default="127.0.0.1", help="default 127.0.0.1")
    parser.add_argument(
        "--tokens-per-second", type=_seconds, default=150.0, metavar="N", help="default 150"
    )


def _number(least: float, most: float) -> type[float]:
    def read(text: str) -> float:
        value = float(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{text} is not between {least} and {most}")
        return value

    return read  # type: ignore[return-value]


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return value


def _speed(text: str) -> float:
    return _seconds(text) if float(text) else math.inf


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not more than 0")
    return value
