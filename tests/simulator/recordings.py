"""Recorded exchanges with a real vLLM, and what is compared about them.

A recording is a text file: comments, the request behind `> `, status and headers behind `< `, an
empty line, then the body, or a stream's lines behind their arrival times.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

_SHORTENED_MEDIA = re.compile(r"data:([\w/+.-]+);base64,[A-Za-z0-9+/=.]*\[\d+ chars\]")
_SHORTENED_TEXT = re.compile(r"\"([a-z ]+)\.\.\.\[(\d+) chars\]")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Recording:
    """One exchange. `body` is None where the recorded request had none."""

    name: str
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    status: int
    content_type: str | None
    answer: str
    events: list[str]

    def request_body(self, media: Callable[[str, str], str]) -> bytes:
        """The request as it can be sent again.

        What the recording shortened is made anew: media of the same kind, a text of the same
        length. The prompt's text and token ids, which show vLLM's internals, are not asked for.
        """
        text = self.body.decode("utf-8", "surrogateescape")
        text = _SHORTENED_MEDIA.sub(lambda match: media(match.group(1), self.name), text)
        text = _SHORTENED_TEXT.sub(lambda match: '"' + _repeated(*match.groups()), text)
        for internal in (', "return_prompt_text": true', ', "return_token_ids": true'):
            text = text.replace(internal, "")
        return text.encode("utf-8", "surrogateescape")


def read_recording(path: Path) -> Recording:
    """Parses a recording; raises ValueError for a file of another kind."""
    lines = path.read_bytes().decode("utf-8", "surrogateescape").split("\n")
    request = [line[2:] for line in lines if line.startswith("> ")]
    answered = [line[2:] for line in lines if line.startswith("< ")]
    if not request or not answered:
        raise ValueError(path.name)
    method, where = request[0].split(" ", 1)
    is_header = [bool(re.match(r"[A-Za-z-]+: ", line)) for line in request]
    head = dict(
        line.split(": ", 1) for line, found in zip(request[1:], is_header[1:], strict=True) if found
    )
    sent = [line for line, found in zip(request[1:], is_header[1:], strict=True) if not found]
    body = "\n".join(sent).removeprefix("(raw) ")
    received = dict(line.split(": ", 1) for line in answered[1:])
    timed = [re.match(r"\+[\d.]+s (.*)", line) for line in lines]
    events = [match.group(1) for match in timed if match]
    rest = [line for line in lines if line and line[0] not in "#><+"]
    return Recording(
        path.stem,
        method,
        where,
        head,
        body.encode("utf-8", "surrogateescape"),
        int(answered[0].split(" ")[1]),
        received.get("content-type"),
        "\n".join(rest),
        [event.removeprefix("data: ") for event in events if event.startswith("data: ")],
    )


def _repeated(beginning: str, length: str) -> str:
    return (beginning * (int(length) // len(beginning) + 1))[: int(length)]


def without_numbers(text: str) -> str:
    """A text with its numbers alike, where they depend on a decoder."""
    return _NUMBER.sub("0", text)


def shape(value: Any) -> Any:
    """Keys and their order, and the kinds of values; a list has the shapes it holds, once each."""
    if isinstance(value, Mapping):
        return [(key, shape(each)) for key, each in value.items()]
    if isinstance(value, list):
        return [each for each, _ in groupby(map(shape, value))]
    return type(value).__name__


def without_internals(value: Mapping[str, Any]) -> dict[str, Any]:
    """An object without the prompt's text and token ids."""
    internal = ("prompt_text", "prompt_token_ids", "token_ids")
    return {key: None if key in internal else each for key, each in value.items()}


def stream_shape(events: Iterable[str]) -> list[Any]:
    """A stream's chunks in order, runs of text and of argument pieces told as one."""
    kinds = [kind for event in events for kind in _kinds(event)]
    return [kind for kind, _ in groupby(kinds)]


def _kinds(event: str) -> list[Any]:
    if event == "[DONE]":
        return [event]
    chunk = json.loads(event)
    if "error" in chunk:
        return [chunk]
    if not chunk["choices"]:
        return [shape(chunk)]
    choice = chunk["choices"][0]
    delta = choice["delta"]
    if not delta and choice["finish_reason"] is None:
        return []  # a token without text; sent where token ids were asked for
    if {"content", "reasoning"} <= delta.keys() and delta["reasoning"] is not None:
        # A burst across the end of the thought: the same as one delta of each.
        return [_chunk_shape(chunk, {key: delta[key]}) for key in ("reasoning", "content")]
    return [_chunk_shape(chunk, delta)]


def _chunk_shape(chunk: Mapping[str, Any], delta: Mapping[str, Any]) -> Any:
    choice = without_internals({**chunk["choices"][0], "delta": delta})
    ending = choice["finish_reason"], type(choice.get("stop_reason")).__name__
    return shape(without_internals({**chunk, "choices": [choice]})), ending
