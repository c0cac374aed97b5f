"""Signals that end a command as Ctrl-C does: its task is cancelled, and says what it leaves."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_NAMES: Final = ("SIGTERM", "SIGHUP")
"""The end that a system asks for, and a terminal that was closed. Windows has no SIGHUP."""


@contextmanager
def cancelled_by_signals() -> Iterator[None]:
    """While the block of a coroutine runs, either signal cancels its task, once.

    One that is ignored stays so, as `nohup` asks. Ctrl-C is asyncio's own matter.
    """
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    was_told = False

    def cancel(_number: int, _frame: FrameType | None) -> None:
        nonlocal was_told
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            raise KeyboardInterrupt  # a question is asked, and the loop stands still meanwhile
        # A terminal that is closed may tell it twice, and what ends must be let end.
        if task is not None and not was_told:
            was_told = True
            task.cancel()
            loop.call_soon_threadsafe(lambda: None)  # the loop may be asleep

    numbers = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]
    if threading.current_thread() is not threading.main_thread():
        numbers = []  # Python sets handlers in its main thread alone
    before = {
        number: signal.signal(number, cancel)
        for number in numbers
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            # What is left is Python's own end, which the second of two signals must not break off.
            signal.signal(number, signal.SIG_IGN if was_told else handler)
