"""Running turns on disk, as they come: what a killed process leaves is found by the next one.

Each process has a folder of its own and holds its lock, which the system takes back when the
process ends, in whatever way. Each turn is a file: a header, then an event a line.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, get_args
from uuid import uuid4

import msgspec
from filelock import FileLock, Timeout

from app.chat.events import Event
from app.store.database import StoreError
from app.store.folders import make_private
from app.store.texts import storable

logger = logging.getLogger(__name__)

_EVENTS: Final[dict[str, type[Event]]] = {kind.__name__: kind for kind in get_args(Event)}
_SUFFIX: Final = ".ndjson"


@dataclass(frozen=True, slots=True)
class LeftOver:
    """A turn that its process did not end: header and events, each with its second in the turn.

    `done` deletes the file.
    """

    header: dict[str, Any]
    events: tuple[tuple[float, Event], ...]
    done: Callable[[], None]


class Journal:
    """The file of one running turn. A full disk ends the journal, never the turn."""

    def __init__(self, path: Path, header: Mapping[str, Any]) -> None:
        self._path = path
        self._file: int | None = None
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
            self._file = os.open(path, flags, 0o600)
        except OSError as error:
            self._give_up(error)
        self._write_line(header)

    def write(self, event: Event, at_s: float) -> None:
        """Adds an event; `at_s` is its second in the turn.

        One write to the system, which keeps it when this process is killed (a power cut may lose
        the last seconds: nothing waits for the disk here).
        """
        fields = msgspec.to_builtins(event)
        self._write_line({"at": at_s, "event": type(event).__name__, **fields})

    def close(self, *, delete: bool) -> None:
        """Nothing more comes. What is not deleted is a left-over once this process has ended."""
        self._close()
        if delete:
            try:
                self._path.unlink(missing_ok=True)
            except OSError as error:  # what is stored already is not restored a second time
                logger.error("A journal that is done with cannot be deleted: %s", error)

    def _write_line(self, values: Mapping[str, Any]) -> None:
        if self._file is None:
            return
        text = storable(json.dumps(values, ensure_ascii=False, separators=(",", ":")))
        line = text.encode() + b"\n"
        try:
            if os.write(self._file, line) < len(line):
                raise OSError("only a part of a line could be written")
        except OSError as error:
            self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        logger.error("A running turn is no longer kept on disk, free some space: %s", error)
        self._close()

    def _close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


class Journals:
    """The journals of this process, and what others left, in one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._own = folder / uuid4().hex
        self._lock = _lock_of(self._own)

    def open(self) -> None:
        """Makes this process's folder; its lock is held before there is one. Raises StoreError."""
        try:
            make_private(self._folder)
            self._lock.acquire(timeout=0)
            self._own.mkdir(mode=0o700)
        except OSError as error:
            raise StoreError(
                f"The folder {self._folder} cannot be written to ({error.strerror}): make it "
                "writable, or set GLM_DATA_FOLDER to another."
            ) from error

    def close(self) -> None:
        """Lets the folder go; it is deleted where nothing is left in it."""
        _let_go(self._own, self._lock)

    def begin(self, header: Mapping[str, Any]) -> Journal:
        """The journal of a turn that begins; the header is whatever JSON finds the turn again."""
        return Journal(self._own / f"{uuid4().hex}{_SUFFIX}", header)

    def left_over(self) -> Iterator[LeftOver]:
        """What processes left that have ended; nobody else is given it meanwhile.

        A file that cannot be read is set aside under the name *.unreadable.
        """
        for folder in sorted(self._folder.iterdir()):
            if folder == self._own or not folder.is_dir():
                continue
            lock = _lock_of(folder)
            try:
                lock.acquire(timeout=0)
            except Timeout:  # its process lives
                continue
            try:
                yield from self._left_in(folder)
            finally:
                _let_go(folder, lock)

    def _left_in(self, folder: Path) -> Iterator[LeftOver]:
        for path in sorted(folder.glob(f"*{_SUFFIX}")):
            try:
                header, events = _read(path)
            except (OSError, ValueError) as error:
                aside = self._folder / f"{path.name}.unreadable"
                logger.error("A journal cannot be read and is set aside as %s: %s", aside, error)
                path.replace(aside)
                continue
            yield LeftOver(header, events, partial(path.unlink, missing_ok=True))


def _lock_of(folder: Path) -> FileLock:
    """The lock beside a process's folder."""
    return FileLock(folder.with_suffix(".lock"), mode=0o600, thread_local=False)


def _let_go(folder: Path, lock: FileLock) -> None:
    """Deletes a folder in which nothing is left, with its lock, and releases that."""
    with suppress(OSError):  # something is left, or another process has deleted it
        folder.rmdir()
        Path(lock.lock_file).unlink()
    lock.release()


def _read(path: Path) -> tuple[dict[str, Any], tuple[tuple[float, Event], ...]]:
    """Header and events of a journal; a line cut by the end of its process is dropped.

    Raises ValueError where there is no header.
    """
    *lines, _cut = path.read_bytes().split(b"\n")
    if not lines:
        raise ValueError("it has no whole line")
    header = json.loads(lines[0])
    if not isinstance(header, dict):
        raise ValueError("its header is no JSON object")
    return header, tuple(event for line in lines[1:] if (event := _read_event(line)) is not None)


def _read_event(line: bytes) -> tuple[float, Event] | None:
    """An event with its second; None, and a line in the log, where it is none of ours."""
    try:
        values = json.loads(line)
        return float(values["at"]), msgspec.convert(values, _EVENTS[values["event"]])
    except (ValueError, KeyError, TypeError) as error:
        logger.warning("A line of a journal was passed over: %r", error)
        return None
