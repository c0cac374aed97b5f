"""Faults that a request asks for by the header X-Simulate."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette

from app.simulator import SimulatorSettings, create_simulator
from app.simulator.errors import ApiError
from app.simulator.faults import Faults, parse_faults
from tests.simulator.asgi_client import Answer, call, chat


def test_reads_items_and_flags() -> None:
    faults = parse_faults(" status=503 ; retry-after=2;times=2;no-usage ")
    assert faults == Faults(status=503, retry_after=2.0, times=2, no_usage=True)


@pytest.mark.parametrize(
    "header", ["stauts=503", "status=200", "status", "no-usage=1", "speed=nan", "answer=9999999999"]
)
def test_an_item_that_is_not_understood_is_named(header: str) -> None:
    with pytest.raises(ApiError, match="is not understood"):
        parse_faults(header)


async def test_fails_so_many_times_and_then_answers(simulator: Starlette) -> None:
    header = "status=429;retry-after=2;times=2"
    answers = [await chat(simulator, "Hi", header) for _ in range(3)]
    assert [answer.status for answer in answers] == [429, 429, 200]
    assert answers[0].headers["retry-after"] == "2"
    assert answers[0].json["error"]["code"] == 429
    assert (await chat(simulator, "Another", header)).status == 429


async def test_only_a_loopback_peer_can_ask_for_faults(simulator: Starlette) -> None:
    headers = {"content-type": "application/json", "x-simulate": "status=503"}
    body = b'{"messages": [{"role": "user", "content": "Hi"}]}'
    path = "/v1/chat/completions"
    for peer, status in (("127.0.0.1", 503), ("::1", 503), ("192.0.2.7", 200)):
        assert (await call(simulator, "POST", path, body, headers, peer)).status == status


async def test_faults_can_be_switched_off() -> None:
    simulator = create_simulator(SimulatorSettings(tokens_per_second=1e9, faults=False))
    assert (await chat(simulator, "Hi", "status=503")).status == 200


def _finish(answer: Answer) -> list[str]:
    choices = [chunk["choices"][0] for chunk in answer.chunks if chunk.get("choices")]
    return [choice["finish_reason"] for choice in choices if choice["finish_reason"]]


async def test_drops_the_stream_after_so_many_chunks(simulator: Starlette) -> None:
    answer = await chat(simulator, "Hi", "drop-after=5", stream=True)
    assert len(answer.events) == 1 + 5
    assert not _finish(answer)


async def test_an_error_comes_inside_the_stream(simulator: Starlette) -> None:
    answer = await chat(simulator, "Hi", "error-after=5", stream=True)
    assert len(answer.events) == 1 + 5 + 2
    assert answer.chunks[-1]["error"]["code"] == 500
    assert answer.events[-1] == "[DONE]"


async def test_lengths_are_exact(simulator: Starlette) -> None:
    answer = await chat(simulator, "Hi", "reasoning=60000;answer=20000")
    assert len(answer.message["reasoning"]) == 60000
    assert len(answer.message["content"]) == 20000


async def test_a_bench_stream_has_its_chunks_half_of_them_thought(simulator: Starlette) -> None:
    answer = await chat(simulator, "Hi", "bench=600;speed=10000", stream=True)
    deltas = [chunk["choices"][0]["delta"] for chunk in answer.chunks if chunk["choices"]]
    thought = [delta for delta in deltas if "reasoning" in delta]
    written = [delta for delta in deltas if delta.get("content")]
    assert abs(len(thought) - 300) <= 1
    assert abs(len(written) - 300) <= 1
    content = answer.text("content")
    for block in ("## ", "\n1. ", "|:-", "```python", "$$"):
        assert block in content


async def test_thought_can_be_left_out_left_alone_or_unsplit(simulator: Starlette) -> None:
    without = await chat(simulator, "Hi", "no-reasoning")
    assert without.message["reasoning"] is None
    only = await chat(simulator, "Hi", "only-reasoning")
    assert (only.message["content"], only.finish_reason) == (None, "stop")
    unsplit = await chat(simulator, "Hi", "unsplit")
    assert unsplit.message["reasoning"] is None
    assert unsplit.message["content"] == (
        f"{only.message['reasoning']}</think>{without.message['content']}"
    )


async def test_calls_can_arrive_as_text(simulator: Starlette) -> None:
    answer = await chat(simulator, "Hi", "tool-text")
    assert answer.message["content"] == (
        "<tool_call>get_weather<arg_key>location</arg_key>"
        "<arg_value>location</arg_value></tool_call>"
    )
    assert "tool_calls" not in answer.message


async def test_ending_and_usage_can_be_changed(simulator: Starlette) -> None:
    options = {"include_usage": True}
    answer = await chat(simulator, "Hi", "finish=abort", stream=True, stream_options=options)
    assert _finish(answer) == ["abort"]
    cached = await chat(simulator, "Hi", "cached=128", stream=True, stream_options=options)
    assert cached.chunks[-1]["usage"]["prompt_tokens_details"]["cached_tokens"] == 128
    silent = await chat(simulator, "Hi", "no-usage", stream=True, stream_options=options)
    assert not any("usage" in chunk for chunk in silent.chunks)
