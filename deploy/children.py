"""Programs that a push runs: with which variables, how they are ended, what they said."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from app.connections import is_loopback
from deploy.credentials import Credentials

_OWN_HOSTS: Final = "127.0.0.1,localhost,::1"
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
    question: bytes = b"",
    on_line: Callable[[str], None] | None = None,
) -> Ended:
    """Runs a program to its end; `secret` is taken out of what it wrote.

    `on_line` is told each line of its standard output as it comes, as it is. A Ctrl-C at the
    terminal does not reach it: it is ended here when this is cancelled.
    """
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
            _write(process, question), _read(process.stdout, on_line), _read(process.stderr)
        )
        await process.wait()
    except BaseException:
        await _end(process)
        raise
    told = [data.decode("utf-8", "replace").replace(secret, "…") for data in (stdout, stderr)]
    return Ended(process.returncode or 0, *told)


async def _write(process: asyncio.subprocess.Process, question: bytes) -> None:
    if process.stdin is not None:
        with suppress(BrokenPipeError, ConnectionResetError):  # it ended without reading
            process.stdin.write(question)
            await process.stdin.drain()
        process.stdin.close()


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
    with suppress(ProcessLookupError):
        process.terminate()
        try:
            await asyncio.wait_for(process.wait(), _ENDING_S)
        except TimeoutError:
            process.kill()
            await process.wait()
