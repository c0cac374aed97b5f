"""Wire chunks to turn events: vLLM's chat-completions stream, and what other servers make of it.

Source: the OpenAI chat-completions chunk, as vLLM 0.27 to 0.33 sends it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from app.chat.calls import CallAssembler
from app.chat.events import Event, Failed, Finished, ReasoningDelta, Usage
from app.chat.thoughts import ThoughtSplitter


class ChunkReader:
    """Reads the chunks of one answer, in order; a whole completion counts as one chunk."""

    def __init__(self) -> None:
        self._splitter = ThoughtSplitter()
        self._calls = CallAssembler()

    def read(self, chunk: Any) -> list[Event]:
        """The events that one decoded chunk brings; a Failed where it is an error."""
        if not isinstance(chunk, Mapping):
            sample = str(chunk)[:200]
            return [Failed("server_error", None, f"The server sent an unreadable event: {sample}")]
        error = read_error(chunk)
        if error is not None:
            return [*self._splitter.finish(), error]
        events: list[Event] = []
        choice = _first_choice(chunk)
        if choice is not None:
            delta = choice.get("delta") or choice.get("message")
            if isinstance(delta, Mapping):
                self._read_delta(delta, events)
            reason = choice.get("finish_reason")
            if isinstance(reason, str) and reason:
                events += self._splitter.finish()
                events.append(Finished(reason, choice.get("stop_reason")))
        usage = chunk.get("usage")
        if isinstance(usage, Mapping):
            events.append(Usage(usage))
        return events

    def end(self) -> list[Event]:
        """The stream is over: what was held back of the answer."""
        return list(self._splitter.finish())

    def _read_delta(self, delta: Mapping[str, Any], events: list[Event]) -> None:
        # vLLM says `reasoning`; older servers say `reasoning_content`; some gateways say both.
        reasoning = delta.get("reasoning") or delta.get("reasoning_content")
        if isinstance(reasoning, str) and reasoning:
            events += self._splitter.reasoning_came()
            events.append(ReasoningDelta(reasoning))
        content = _content_text(delta)
        if content:
            events += self._splitter.feed(content)
        calls = delta.get("tool_calls")
        if isinstance(calls, list) and calls:
            events += self._splitter.finish()
            events += self._calls.feed(calls)


def read_error(body: Mapping[str, Any], status: int | None = None) -> Failed | None:
    """The error that a body or an event states, in any of the shapes servers use; else None.

    Shapes: `{"error": {"message", "code"}}`, `{"error": "text"}`, `{"detail": …}`, and
    `{"message"}` alone, as vLLM's older `{"object": "error", "message"}`. `status` is the HTTP
    status where there is one.
    """
    error = body.get("error")
    if isinstance(error, Mapping):
        code = error.get("code")
        known = code if isinstance(code, int) and not isinstance(code, bool) else None
        message = error.get("message")
        text = message if isinstance(message, str) and message else _compact(error)
        return Failed("server_error", status or known, text)
    if error:
        return Failed("server_error", status, error if isinstance(error, str) else _compact(error))
    says = "detail" in body or (isinstance(body.get("message"), str) and "usage" not in body)
    if body.get("object") == "error" or ("choices" not in body and says):
        message = body.get("message") or body.get("detail")
        text = message if isinstance(message, str) and message else _compact(message or body)
        return Failed("server_error", status, text)
    return None


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _first_choice(chunk: Mapping[str, Any]) -> Mapping[str, Any] | None:
    choices = chunk.get("choices")
    if not isinstance(choices, list):
        return None
    for choice in choices:
        if isinstance(choice, Mapping) and not choice.get("index"):
            return choice
    return None


def _content_text(delta: Mapping[str, Any]) -> str:
    content = delta.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, Mapping))
        return "".join(text for text in texts if isinstance(text, str))
    refusal = delta.get("refusal")
    return refusal if isinstance(refusal, str) else ""
