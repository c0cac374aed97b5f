"""Recorded requests to vLLM 0.32, sent to the simulator: the answers must have the same shape.

Compared are status, content type, the keys of every object and their order, which values are
null, the order of a stream's chunks with runs of text told as one, and error bodies word for word.
The model's words, ids, times and token counts differ; numbers that a decoder gives are not
compared. Where the recorded model was scripted to say what the simulator would not, a fault or
another prompt stages the same situation (`STAGED`).

Left out of the recordings, since the app never sends or provokes them: logprobs, echo, n,
logit_bias, penalties, min_p, min_tokens, top_k, priority, structured_outputs, prompt text and
token ids, processor arguments, chat templates in a request; vLLM's other endpoints, its API-key
and keep-alive flags, CORS; media from addresses (the simulator fetches nothing). Also what
cannot be told by one exchange (queues, disconnects: see test_slots), two histories in which the
scripted model called again after a broken round, errors in the grammar that are raised in
mid-stream with their own text, and duplicates of others.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette

from app.simulator import SimulatorSettings, create_simulator
from tests.simulator.asgi_client import Answer, call
from tests.simulator.media_samples import clip, data_url, picture
from tests.simulator.recordings import (
    Recording,
    read_recording,
    shape,
    stream_shape,
    without_internals,
    without_numbers,
)

RECORDINGS = sorted((Path(__file__).parent / "data" / "wire").glob("*.txt"))

DECODER_NUMBERS = frozenset({"video_gif_as_video", "video_mp4_one_frame"})
SHOWS_DATA = frozenset({"image_url_string"})
_PYDANTIC_VERSION = re.compile(r"errors\.pydantic\.dev/\d+\.\d+")
TOO_LONG = " a" * 2_100_000


@dataclass(frozen=True, slots=True)
class Stage:
    """How to bring the simulator where the scripted model was."""

    simulate: str = ""
    prompt: str | None = None


TWO_CALLS = Stage("answer=0", "What is the weather in Oslo and write_file a.txt")
ONE_EMPTY_CALL = Stage("answer=0", "Use list_notes")
STAGED = {
    "assistant_last_continue": Stage("reasoning=14"),
    "content_length_finish": Stage("reasoning=14"),
    "content_length_finish_stream": Stage("reasoning=14"),
    "empty_answer": Stage("reasoning=0;answer=0"),
    "empty_answer_stream": Stage("reasoning=0;answer=0"),
    "engine_dead_midstream": Stage("reasoning=14;error-after=22"),
    "engine_dead_other_stream": Stage("reasoning=14;error-after=22"),
    "loop_1": TWO_CALLS,
    "prompt_too_long_by_little": Stage(prompt=TOO_LONG),
    "prompt_too_long_by_little_stream": Stage(prompt=TOO_LONG),
    "rf_grammar_error": Stage("status=500"),
    "say_inline_tool_stream": ONE_EMPTY_CALL,
    "sigterm_midstream": Stage("error-after=5"),
    "stop_list": Stage("reasoning=8"),
    "tools_auto_tool2": TWO_CALLS,
    "tools_auto_tool2_stream": TWO_CALLS,
    "tools_auto_tool_complex": Stage("answer=0", "write_file path: a.txt"),
    "tools_auto_tool_complex_stream": Stage("answer=0", "write_file path: a.txt"),
    "tools_auto_tool_in_think": Stage("answer=0"),
    "tools_auto_tool_in_think_stream": Stage("answer=0"),
    "tools_auto_tool_noarg": ONE_EMPTY_CALL,
    "tools_auto_tool_noarg_stream": ONE_EMPTY_CALL,
    "tools_maxtokens_midcall": Stage(
        "reasoning=5;answer=0", "get_weather city: Llanfairpwllgwyngyllgogerychwyrndrobwll"
    ),
    "tools_maxtokens_midcall_stream": Stage(
        "reasoning=5;answer=0", "get_weather city: Llanfairpwllgwyngyllgogerychwyrndrobwll"
    ),
    "tools_parallel_false": TWO_CALLS,
    "tools_parallel_false_stream": TWO_CALLS,
    "tools_required_tool2_stream": TWO_CALLS,
}


@pytest.fixture(scope="module")
def simulators() -> dict[bool, Starlette]:
    """One without and one with --enable-prompt-tokens-details; a token a chunk, as recorded."""
    return {
        details: create_simulator(
            SimulatorSettings(tokens_per_second=1e9, tokens_per_chunk=1, cached_tokens=details)
        )
        for details in (False, True)
    }


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
async def test_answers_like_vllm(path: Path, simulators: dict[bool, Starlette]) -> None:
    recording = read_recording(path)
    answer = await _replay(recording, simulators[recording.name.startswith("flag_prompt_tokens")])
    assert answer.status == recording.status
    assert answer.headers.get("content-type") == recording.content_type
    if recording.events:
        assert stream_shape(answer.events) == stream_shape(recording.events)
    elif recording.status != 200:
        assert _comparable(answer.body.decode(), recording) == _comparable(
            recording.answer, recording
        )
    elif recording.answer:
        recorded = json.loads(recording.answer)
        assert shape(without_internals(answer.json)) == shape(without_internals(recorded))


async def _replay(recording: Recording, simulator: Starlette) -> Answer:
    body = recording.request_body(_media)
    headers = {
        "content-type": "application/json",
        **{k.lower(): v for k, v in recording.headers.items()},
    }
    stage = STAGED.get(recording.name, Stage())
    if stage.simulate:
        headers["x-simulate"] = stage.simulate
    if stage.prompt is not None:
        request = json.loads(body)
        request["messages"][0]["content"] = stage.prompt
        body = json.dumps(request).encode()
    return await call(simulator, recording.method, recording.path, body, headers)


def _media(mime: str, name: str) -> str:
    """Something of the kind that the recorded request had under this name."""
    if mime.startswith("video/") and name not in ("video_png_as_video", "image_mime_video"):
        data = clip(mime, frames=1 if name == "video_mp4_one_frame" else 20)
    else:
        data = picture(mime)
    if name in ("image_truncated_png", "video_truncated"):
        data = data[: len(data) * 9 // 10]
    return data_url(data, mime)


def _comparable(body: str, recording: Recording) -> Any:
    # Which pydantic complains is the server's own affair.
    body = _PYDANTIC_VERSION.sub("errors.pydantic.dev/", body)
    if recording.name in DECODER_NUMBERS:
        body = without_numbers(body)
    if recording.name in SHOWS_DATA:
        body = re.sub(r"base64,[^']*", "base64,", body)
    return json.loads(body) if body else None
