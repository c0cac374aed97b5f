"""The small routes, and limits on what is taken."""

from __future__ import annotations

import json

from starlette.applications import Starlette

from app.simulator import SimulatorSettings, create_simulator
from tests.simulator.asgi_client import call, chat

JSON = {"content-type": "application/json"}


async def test_tokenize_counts_what_a_request_would(simulator: Starlette) -> None:
    messages = [{"role": "user", "content": "Hello there, world"}]
    body = json.dumps({"messages": messages, "tools": []}).encode()
    counted = await call(simulator, "POST", "/tokenize", body, JSON)
    answer = await chat(simulator, messages)
    assert counted.json["count"] == len(counted.json["tokens"])
    assert counted.json["count"] == answer.json["usage"]["prompt_tokens"]


async def test_each_effort_gives_other_tokens_as_many(simulator: Starlette) -> None:
    async def tokens(**fields: object) -> list[int]:
        messages = [{"role": "user", "content": "Hello there, world"}]
        body = json.dumps({"messages": messages, **fields}).encode()
        listed: list[int] = (await call(simulator, "POST", "/tokenize", body, JSON)).json["tokens"]
        return listed

    low, high, most = [
        await tokens(chat_template_kwargs={"reasoning_effort": effort})
        for effort in ("low", "high", "max")
    ]
    assert len({tuple(low), tuple(high), tuple(most)}) == 3
    assert len(low) == len(high) == len(most)
    assert await tokens() == high
    assert await tokens(reasoning_effort="low") == high


async def test_metrics_count_tokens_and_endings(simulator: Starlette) -> None:
    answer = await chat(simulator, "Hello")
    await chat(simulator, "Hello", max_tokens=3)
    text = (await call(simulator, "GET", "/metrics")).body.decode()
    usage = answer.json["usage"]
    labels = 'engine="0",model_name="zai-org/GLM-5.3-Flash"'
    assert f"vllm:generation_tokens_total{{{labels}}} {usage['completion_tokens'] + 3}.0" in text
    assert f"vllm:prompt_tokens_total{{{labels}}} {usage['prompt_tokens'] * 2}.0" in text
    assert 'finished_reason="length",model_name="zai-org/GLM-5.3-Flash"} 1.0' in text


async def test_a_body_over_the_limit_is_refused() -> None:
    simulator = create_simulator(SimulatorSettings(max_body_bytes=1000))
    answer = await chat(simulator, "x" * 2000)
    assert answer.status == 413
    assert answer.json["error"]["message"] == "The body is larger than 1000 bytes."


async def test_repeated_prefixes_are_cached_where_that_is_told() -> None:
    simulator = create_simulator(SimulatorSettings(tokens_per_second=1e9, cached_tokens=True))
    messages = [{"role": "user", "content": "word " * 400}]
    first = await chat(simulator, messages)
    assert first.json["usage"]["prompt_tokens_details"]["cached_tokens"] == 0
    messages += [{"role": "assistant", "content": "Yes."}, {"role": "user", "content": "More"}]
    second = await chat(simulator, messages)
    cached = second.json["usage"]["prompt_tokens_details"]["cached_tokens"]
    assert 400 < cached < second.json["usage"]["prompt_tokens"]
