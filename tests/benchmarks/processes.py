"""The processes that are measured: started on free ports of loopback, and ended by whoever did."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).parents[2]
START_S = 60.0
_FOREIGN = ("BASETEN_", "OPENAI_", "GLM_", "GRADIO_", "HTTP_", "HTTPS_", "ALL_", "DATABASE_")


class NotMeasuredError(Exception):
    """A figure cannot be had; the text says why."""


@dataclass(frozen=True, slots=True)
class Program:
    """A running process, and the line of its output that said it was ready."""

    process: asyncio.subprocess.Process
    ready: str

    @property
    def url(self) -> str:
        """The address that the process printed, without a slash at its end."""
        words = (word for word in self.ready.split() if word.startswith("http://"))
        return next(words).rstrip("/")

    def cpu_seconds(self) -> float:
        """CPU time of the process so far, user and system, all threads, in seconds.

        Another process's CPU clock has the id ~pid with the low bits 010, as clock_getcpuclockid(3)
        makes it; it counts nanoseconds where /proc/PID/stat has ticks of 10 ms.
        """
        return time.clock_gettime((~self.process.pid << 3) | 2)

    async def ask(self, line: str, timeout_s: float) -> str:
        """Writes a line to the process, and returns the line that it answers."""
        if self.process.stdin is None or self.process.stdout is None:
            raise NotMeasuredError("The process takes no lines.")
        self.process.stdin.write(f"{line}\n".encode())
        async with asyncio.timeout(timeout_s):
            answer = await self.process.stdout.readline()
        if not answer:
            raise NotMeasuredError(f"A process ended while it was asked {line!r}.")
        return answer.decode().strip()


@asynccontextmanager
async def running(
    *arguments: str, ready: str, environment: Mapping[str, str] | None = None
) -> AsyncGenerator[Program]:
    """`python -m` with the arguments, once it has printed a line that holds `ready`.

    The environment is this one, less what would connect the app elsewhere.
    Raises NotMeasuredError with the end of its error output where it does not start.
    """
    kept = {k: v for k, v in os.environ.items() if not k.upper().startswith(_FOREIGN)}
    with tempfile.TemporaryFile() as errors:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            *arguments,
            cwd=PROJECT,
            env={**kept, "NO_PROXY": "127.0.0.1", **(environment or {})},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=errors,
        )
        try:
            line = await _ready_line(process, ready)
            if line is None:
                errors.seek(0)
                told = errors.read().decode(errors="replace").strip()[-2000:]
                raise NotMeasuredError(f"{' '.join(arguments)} did not start. {told}")
            yield Program(process, line)
        finally:
            await _end(process)


async def _ready_line(process: asyncio.subprocess.Process, ready: str) -> str | None:
    if process.stdout is None:
        return None
    try:
        async with asyncio.timeout(START_S):
            while line := (await process.stdout.readline()).decode():
                if ready in line:
                    return line.strip()
    except TimeoutError:
        pass
    return None


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    process.terminate()
    try:
        async with asyncio.timeout(10):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
