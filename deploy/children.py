"""Programs that a push runs: with which variables, how they are ended, what they said."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from app.connections import is_loopback
from deploy.credentials import Credentials

_OWN_HOSTS: Final = "127.0.0.1,localhost,::1"
_GUARD: Final = str(Path(__file__).with_name("child_guard.py"))
_ENDING_S: Final = 5.0
_LINE_BYTES: Final = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended, and what it wrote, without the key."""

    status: int
    stdout: str
    stderr: str


def environment_for(credentials: Credentials, **more: str) -> dict[str, str]:
    """The variables of a program that speaks to Baseten for us.

    No key but the one that is meant, and no key for AWS, which the upload would prefer. On a
    loopback address whatever would leave this machine is sent to a proxy that is none, there.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("AWS_", "BASETEN_"))
    }
    key = credentials.key.get_secret_value()
    kept |= {
        "BASETEN_API_KEY": key,
        "BASETEN_TRUSS_AUTH_REMOTE_URL": credentials.remote_url,
        "BASETEN_TRUSS_AUTH_API_KEY": key,
        "TRUSS_NO_UPDATE_CHECK": "1",
        "NO_COLOR": "1",
        **more,
    }
    if is_loopback(urlsplit(credentials.remote_url).hostname or ""):
        kept |= stays_on_loopback(credentials.remote_url)
    return kept


def stays_on_loopback(url: str) -> dict[str, str]:
    """Variables by which whatever would leave this machine goes to a proxy that is none, there."""
    names = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
    proxies = {each: url for name in names for each in (name, name.lower())}
    return {**proxies, "NO_PROXY": _OWN_HOSTS, "no_proxy": _OWN_HOSTS}


async def run_child(
    words: Sequence[str],
    *,
    directory: Path,
    environment: Mapping[str, str],
    secret: str,
    question: bytes | None = None,
    on_line: Callable[[str], None] | None = None,
) -> Ended:
    """Runs a program to its end; `secret` is taken out of what it wrote.

    `question` is a line on its standard input, which stays open for as long as this process lives:
    what reads it, by `child_answers`, ends with us. A program that is asked nothing is run under a
    guard that does the same for it, and reads an empty input. `on_line` is told each line of its
    standard output as it comes, as it is. A Ctrl-C at the terminal does not reach it: it is ended
    here when this is cancelled.
    """
    if question is None:
        # Alone (-I): the modules beside the guard, and those of the folder, are not for it.
        words = [sys.executable, "-I", _GUARD, *words]
    process = await asyncio.create_subprocess_exec(
        *words,
        cwd=directory,
        env=environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
        limit=_LINE_BYTES,
    )
    try:
        _, stdout, stderr = await asyncio.gather(
            _ask(process, question), _read(process.stdout, on_line), _read(process.stderr)
        )
        await process.wait()
    except BaseException:
        await _end(process)
        raise
    finally:
        if process.stdin is not None:
            process.stdin.close()
    told = [data.decode("utf-8", "replace").replace(secret, "…") for data in (stdout, stderr)]
    return Ended(process.returncode or 0, *told)


async def _ask(process: asyncio.subprocess.Process, question: bytes | None) -> None:
    if process.stdin is not None and question is not None:
        with suppress(BrokenPipeError, ConnectionResetError):  # it ended without reading
            process.stdin.write(question + b"\n")
            await process.stdin.drain()


async def _read(
    stream: asyncio.StreamReader | None, on_line: Callable[[str], None] | None = None
) -> bytes:
    if stream is None:
        return b""
    if on_line is None:
        return await stream.read()
    lines = []
    async for line in stream:
        lines.append(line)
        on_line(line.decode("utf-8", "replace"))
    return b"".join(lines)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Ends it with all that it has started; at once where this is cancelled as well."""
    _send(process, signal.SIGTERM)
    try:
        await asyncio.wait_for(process.wait(), _ENDING_S)
    except TimeoutError:
        _kill(process)
        await process.wait()
    except BaseException:
        _kill(process)
        raise


def _kill(process: asyncio.subprocess.Process) -> None:
    _send(process, signal.SIGKILL)


def _send(process: asyncio.subprocess.Process, sent: signal.Signals) -> None:
    # Once it is known to have ended, its number may be another's.
    if process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, sent)
