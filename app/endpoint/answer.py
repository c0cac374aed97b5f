"""The body of a 200, to turn events: a stream of events, one JSON object, or neither.

What it is shows in its first character rather than in its content type: gateways label bodies
wrongly, and send errors as JSON under the label of a stream.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, Literal, TypeAlias

from app.chat.events import (
    ContentDelta,
    ContentWasReasoning,
    Event,
    Failed,
    Finished,
    ReasoningDelta,
    ToolCallDelta,
)
from app.chat.stream import ChunkReader
from app.endpoint.sse import BYTE_ORDER_MARK, MAX_EVENT_BYTES, EventDecoder, EventTooLargeError
from app.endpoint.wire_json import UnreadableError, decode_json, sample

_Form: TypeAlias = Literal["unknown", "events", "object", "page"]

_END_MARK: Final = b"[DONE]"
_OUTPUT: Final = (ReasoningDelta, ContentDelta, ToolCallDelta, ContentWasReasoning, Finished)
_START_BYTES: Final = 4096


class AnswerReader:
    """Reads the body of one answer, in whatever pieces it arrives.

    `produced`: something of the answer was given out, so that it must not be asked for again.
    `finished`: the server has said why it stopped. `ended`: nothing that follows counts.
    """

    def __init__(self, content_type: str = "", request_id: str | None = None) -> None:
        self.produced = False
        self.finished = False
        self.ended = False
        self._content_type = content_type.split(";")[0].strip().lower()
        self._request_id = request_id
        self._chunks = ChunkReader()
        self._decoder = EventDecoder()
        self._form: _Form = "unknown"
        self._start = b""
        self._event_came = False
        self._whole: list[bytes] = []
        self._whole_size = 0

    def feed(self, data: bytes) -> list[Event]:
        """Takes the next bytes of the body; returns the events that they bring."""
        if self.ended:
            return []
        if self._form == "unknown":
            data = self._start + data
            self._form, self._start = _form_of(data), data
            if self._form == "unknown":
                return []
        elif not self._event_came and len(self._start) < _START_BYTES:
            self._start += data
        if self._form != "events":
            return self._gather(data)
        try:
            return self._read_events(self._decoder.decode(data))
        except EventTooLargeError as error:
            return self._fail(str(error))

    def end(self, *, broken: bool = False) -> list[Event]:
        """No more bytes come: the events that were held back.

        Of a body that broke off, what cannot be read is no failure of its own.
        """
        if self.ended:
            return []
        if self._form in ("object", "page"):
            events = self._read_whole(broken=broken)
        else:
            events = self._read_last_events(broken=broken)
        self.ended = True
        return events

    def _read_events(self, texts: list[bytes]) -> list[Event]:
        events: list[Event] = []
        for text in texts:
            self._event_came = True
            if text.strip() == _END_MARK:
                events += self._noted(self._chunks.end())
                self.ended = True
                break
            try:
                chunk = decode_json(text)
            except UnreadableError as error:
                events += self._fail(f"The server sent an event that is not JSON: {error}")
                break
            events += self._noted(self._chunks.read(chunk))
            if self.ended:
                break
        return events

    def _read_last_events(self, *, broken: bool) -> list[Event]:
        whole = [
            text for text in self._decoder.flush() if text.strip() == _END_MARK or _is_json(text)
        ]
        events = self._read_events(whole)
        if self.ended:
            return events
        events += self._noted(self._chunks.end())
        mislabelled = self._content_type != "text/event-stream" and self._start.strip()
        if mislabelled and not (self._event_came or broken):
            events += self._fail(self._what_came())
        return events

    def _gather(self, data: bytes) -> list[Event]:
        self._whole.append(data)
        self._whole_size += len(data)
        if self._form == "page" and self._whole_size >= _START_BYTES:
            return self._fail(self._what_came())
        if self._whole_size > MAX_EVENT_BYTES:
            return self._fail(f"The server's answer is larger than {MAX_EVENT_BYTES:,} bytes.")
        return []

    def _read_whole(self, *, broken: bool) -> list[Event]:
        if self._form == "page":
            return [] if broken else self._fail(self._what_came())
        try:
            answer = decode_json(b"".join(self._whole).removeprefix(BYTE_ORDER_MARK))
        except UnreadableError as error:
            message = f"The server's answer is not JSON: {error}"
            return [] if broken else self._fail(message)
        events = self._noted([*self._chunks.read(answer), *self._chunks.end()])
        if not events and isinstance(answer, Mapping) and "choices" not in answer:
            return self._fail(f"The server's answer holds no choices: {sample(self._start)}")
        return events

    def _noted(self, events: list[Event]) -> list[Event]:
        """Notes what the events mean for the rest of the body; nothing follows a failure."""
        for position, event in enumerate(events):
            if isinstance(event, Failed):
                self.ended = True
                failed = replace(event, request_id=event.request_id or self._request_id)
                return [*events[:position], failed]
            if isinstance(event, _OUTPUT):
                self.produced = True
                self.finished = self.finished or isinstance(event, Finished)
        return events

    def _fail(self, message: str) -> list[Event]:
        return self._noted([*self._chunks.end(), Failed("server_error", None, message)])

    def _what_came(self) -> str:
        label = f" labelled {self._content_type}" if self._content_type else ""
        what = "a page" if self._form == "page" else "text"
        return f"The server sent {what}{label} instead of an answer: {sample(self._start)}"


def _form_of(start: bytes) -> _Form:
    text = start.removeprefix(BYTE_ORDER_MARK).lstrip()
    if not text or BYTE_ORDER_MARK.startswith(start):
        return "unknown"
    if text.startswith((b"{", b"[")):
        return "object"
    return "page" if text.startswith(b"<") else "events"


def _is_json(text: bytes) -> bool:
    try:
        decode_json(text)
    except UnreadableError:
        return False
    return True
