"""Server-sent events: bytes as they arrive, to the data of each event.

Source: WHATWG HTML, "Server-sent events", "Interpreting an event stream". Of its fields only
`data` matters to chat completions.
"""

from __future__ import annotations

from typing import Final

MAX_EVENT_BYTES: Final = 16 * 1024 * 1024
"""Far above any chunk of an answer; a server that sends more in one event has gone wrong."""

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class EventTooLargeError(ValueError):
    """One event passed the size allowed; the stream cannot be read on."""


class EventDecoder:
    """Gives the data of each event as soon as its blank line is there, however the bytes are cut.

    It works on bytes: no byte of a longer UTF-8 character is a line end, so that only whole
    events need decoding.
    """

    def __init__(self, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._max_event_bytes = max_event_bytes
        self._line: list[bytes] = []
        self._line_size = 0
        self._data: list[bytes] = []
        self._data_size = 0
        self._after_carriage_return = False
        self._at_start = True

    def decode(self, chunk: bytes) -> list[bytes]:
        """Takes the next bytes; returns the data of each event that they complete.

        An event without data is a keep-alive, and is left out. Raises EventTooLargeError.
        """
        if self._after_carriage_return and chunk:
            self._after_carriage_return = False
            chunk = chunk.removeprefix(b"\n")
        if not chunk:
            return []
        lines = chunk.splitlines()
        if chunk.endswith((b"\n", b"\r")):
            self._after_carriage_return = chunk.endswith(b"\r")
            unfinished = b""
        else:
            unfinished = lines.pop()
        if lines and self._line:
            lines[0] = self._end_line(lines[0])
        events = self._take(lines)
        if unfinished:
            self._line.append(unfinished)
            self._line_size += len(unfinished)
            self._check_size()
        return events

    def flush(self) -> list[bytes]:
        """The stream is over: the data of an event whose blank line never came.

        The standard drops it; some servers end their last event with the connection. Whether it
        is whole is for the caller to find out.
        """
        return self._take([self._end_line(b""), b""])

    def _end_line(self, rest: bytes) -> bytes:
        line = b"".join((*self._line, rest))
        self._line.clear()
        self._line_size = 0
        return line

    def _take(self, lines: list[bytes]) -> list[bytes]:
        events: list[bytes] = []
        for line in lines:
            if self._at_start:
                self._at_start = False
                line = line.removeprefix(BYTE_ORDER_MARK)
            if not line:
                self._complete(events)
            elif line.startswith(b"data:"):
                self._add(line[6:] if line.startswith(b"data: ") else line[5:])
            elif line == b"data":
                self._add(b"")
        return events

    def _add(self, value: bytes) -> None:
        self._data.append(value)
        self._data_size += len(value)
        self._check_size()

    def _complete(self, events: list[bytes]) -> None:
        if not self._data:
            return
        event = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
        self._data.clear()
        self._data_size = 0
        if event and not event.isspace():
            events.append(event)

    def _check_size(self) -> None:
        if self._line_size + self._data_size > self._max_event_bytes:
            raise EventTooLargeError(
                f"One event of the stream is larger than {self._max_event_bytes:,} bytes."
            )
