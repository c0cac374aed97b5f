"""Rules about the server: its port, its command as supervisord reads it, its routes.

truss writes the command into supervisord's configuration by ConfigParser; supervisord starts it
with no shell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from deploy.preset.fields import at, stands
from deploy.preset.finding import MISSING, Finding, error
from deploy.preset.values import Preset

_COMMAND: Final = "docker_server.start_command"
_PORT: Final = "docker_server.server_port"
_BASETENS_PORT: Final = 8080
_VLLMS_PORT: Final = 8000
_VARIABLE: Final = re.compile(r"\$(?:\w+|\{[^}]*\}?|\()")
_SHELL_WORDS: Final = frozenset({"&&", "||", "|", "&", ">", ">>", "<", "2>&1"})
_ROUTES: Final = ("predict_endpoint", "readiness_endpoint", "liveness_endpoint")


def port(preset: Preset) -> Iterator[Finding]:
    """Baseten's proxy asks server_port; 8080 is its own."""
    value = at(preset.config, _PORT)
    if value is None or isinstance(value, bool) or not isinstance(value, int):
        if stands(preset.config, "docker_server"):
            missing = MISSING if value is None else value
            yield error(_PORT, missing, "It must be a number, the port that the engine listens on.")
        return
    if value == _BASETENS_PORT:
        yield error(_PORT, value, "Port 8080 is reserved for Baseten's own proxy: take another.")
    elif not 1 <= value <= 65535:
        yield error(_PORT, value, "A port is a number from 1 to 65535.")
    yield from _engines_port(preset, value)


def _engines_port(preset: Preset, server_port: int) -> Iterator[Finding]:
    given = preset.start.value("port")
    if given is not None and "$" in given and preset.start.in_shell:
        return
    engines = _VLLMS_PORT if given is None else preset.start.integer("port")
    if preset.start.program and engines != server_port:
        yield error(
            "--port",
            given or f"{MISSING}, which means {_VLLMS_PORT}",
            f"The engine must listen on server_port, {server_port}, where Baseten's proxy asks it.",
        )


def command_is_there(preset: Preset) -> Iterator[Finding]:
    """Without a server of one's own truss would look for a Python model."""
    value = at(preset.config, _COMMAND)
    if not stands(preset.config, "docker_server"):
        yield error(
            "docker_server", MISSING, "It must be there: it says how the engine is started."
        )
    elif value is None and at(preset.config, "docker_server.no_build") is not True:
        yield error(_COMMAND, MISSING, "It must be there: it starts the engine.")
    elif value is not None and not isinstance(value, str):
        yield error(_COMMAND, value, "It must be one text, not a list of words.")
    elif value is not None and not value.strip():
        yield error(_COMMAND, '""', "It must start the engine.")
    elif preset.start.problem:
        yield error(_COMMAND, preset.start.problem, "It must split into words as in a shell.")


def command_is_read_whole(preset: Preset) -> Iterator[Finding]:
    """Three characters mean something to ConfigParser and supervisord, be they quoted or not."""
    text = preset.start.text
    if "%" in text:
        yield error(
            _COMMAND, "%", "A percent sign breaks the build (ConfigParser reads it): do without it."
        )
    for mark in ("#", ";"):
        if re.search(rf"(^|\s){mark}", text):
            yield error(
                _COMMAND,
                f" {mark}",
                f"A {mark} after a space starts a comment: the rest of the command is cut off, "
                "silently. Do without it.",
            )


def command_needs_no_shell(preset: Preset) -> Iterator[Finding]:
    """Variables and operators are plain words without a shell."""
    start = preset.start
    if start.in_shell:
        return
    for found in dict.fromkeys(match[0] for match in _VARIABLE.finditer(start.text)):
        yield error(_COMMAND, found, f"No shell puts a value in its place: {_IN_A_SHELL}")
    words = [*start.program, *(word for flag in start.flags for word in flag.words)]
    operators = [word for word in words if word in _SHELL_WORDS]
    operators += [";" for word in words if len(word) > 1 and word.endswith(";")]
    operators += ["`" for word in words if "`" in word]
    for operator in dict.fromkeys(operators):
        yield error(_COMMAND, operator, f"No shell acts on it, it is a plain word: {_IN_A_SHELL}")


_IN_A_SHELL: Final = "write sh -c '…' around the command, or do without it."


def routes(preset: Preset) -> Iterator[Finding]:
    """Baseten maps /predict to one route, and asks two for the server's health."""
    for name in _ROUTES:
        field = f"docker_server.{name}"
        value = at(preset.config, field)
        if not stands(preset.config, "docker_server"):
            return
        if value is None:
            yield error(field, MISSING, "It must name a route of the engine, such as /health.")
        elif not isinstance(value, str) or not value.startswith("/"):
            yield error(field, value, "A route starts with a slash, such as /health.")
