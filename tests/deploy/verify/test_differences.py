"""For each check a server that breaks that one promise: it differs, with what was seen."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from app.simulator import SimulatorSettings, create_simulator
from app.simulator.embedded import on_loopback
from deploy.bodies import MOST_BYTES
from deploy.verify.battery import CHECKS
from deploy.verify.check import Result
from deploy.verify.promises import Promises
from tests.deploy.verify.altered import Altered, Body
from tests.loopback import Loopback, Reply, chunk

CONTEXT = 5000
PROMISES = Promises("zai-org/GLM-5.3-Flash", max_model_len=CONTEXT, max_num_seqs=3)
QUICK = SimulatorSettings(max_model_len=CONTEXT, slots=3, tokens_per_second=1e9)
BUSY = replace(QUICK, tokens_per_second=2000)

MEGABYTE = 2**20
TOO_MUCH = MOST_BYTES // MEGABYTE + 1

REFUSALS = (
    "unknown_model",
    "bad_effort",
    "empty_tools",
    "choice_without_tools",
    "unknown_choice",
    "stream_options",
    "bad_temperature",
    "no_messages",
    "bad_json",
    "second_image",
    "second_clip",
    "max_tokens_too_many",
    "prompt_too_long",
)


def altered(settings: SimulatorSettings = QUICK, **changes: Any) -> Altered:
    return Altered(create_simulator(settings), **changes)


def without(*fields: str) -> Callable[[Body], Body]:
    return lambda body: {name: value for name, value in body.items() if name not in fields}


def instead(**fields: Any) -> Callable[[Body], Body]:
    return lambda body: body | fields


def renamed(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    return lambda data: data.replace(old, new)


def harmless(body: Body) -> Body:
    """A request that nothing is wrong with, in place of any."""
    messages = [{"role": "user", "content": "Hello"}]
    return {"model": PROMISES.model, "messages": messages, "max_tokens": 1}


def without_media(*kinds: str, beside: str = "") -> Callable[[Body], Body]:
    """Parts of these kinds are lost; where `beside` is given, only from messages that hold it."""

    def lose(body: Body) -> Body:
        if beside and beside not in json.dumps(body["messages"]):
            return body
        messages = [
            {
                **message,
                "content": [
                    part
                    for part in message["content"]
                    if isinstance(part, str) or part["type"] not in kinds
                ],
            }
            if isinstance(message["content"], list)
            else message
            for message in body["messages"]
        ]
        return {**body, "messages": messages}

    return lose


def default_of_max(body: Body) -> Body:
    return {"chat_template_kwargs": {"reasoning_effort": "max"}, **body}


def no_max(body: Body) -> Body:
    return {**body, "reasoning_effort": "most"} if body.get("reasoning_effort") == "max" else body


DIFFERENT: list[tuple[str, Altered, str]] = [
    ("health", altered(statuses={"/health": 503}), "HTTP 503"),
    ("model", altered(replace(QUICK, model="other")), "served is other"),
    ("context", altered(replace(QUICK, max_model_len=32768)), "max_model_len is 32,768"),
    ("key", altered(), "HTTP 200"),
    ("whole", altered(faults="only-reasoning"), "no answer, and it finished with stop"),
    ("stream", altered(asked=without("stream", "stream_options")), "content-type is application"),
    ("stream", altered(faults="drop-after=3"), "without a finish_reason"),
    ("stream", altered(faults="error-after=3"), "EngineCore"),
    ("reasoning", altered(faults="unsplit"), "the answer holds </think>"),
    ("reasoning", altered(told=renamed(b'"reasoning":', b'"thought":')), "has neither reasoning"),
    ("usage", altered(faults="no-usage"), "a whole answer has no usage"),
    ("usage", altered(told=renamed(b'"total_tokens":', b'"total_tokens":9')), "total_tokens is 9"),
    ("cached_tokens", altered(), "usage has no prompt_tokens_details.cached_tokens"),
    ("cached_tokens", altered(faults="cached=0"), "nothing was cached"),
    ("efforts", altered(asked=without("chat_template_kwargs")), "of low and high are the same"),
    ("default_effort", altered(asked=default_of_max), "the prompt is that of max"),
    ("effort_field", altered(asked=no_max), "max: HTTP 400"),
    ("tool_auto", altered(asked=without("tools")), "no call, finish_reason stop"),
    ("tool_auto", altered(faults="tool-text"), "<tool_call>, which no parser took"),
    ("tool_auto", altered(faults="finish=stop"), "finish_reason stop"),
    ("tool_required", altered(asked=without("tool_choice")), "no call"),
    ("tool_named", altered(asked=without("tool_choice")), "list_notes was called"),
    ("tool_parallel", altered(asked=instead(parallel_tool_calls=False)), "one call came"),
    (
        "tool_no_arguments",
        altered(told=renamed(b'"arguments":"{}"', b'"arguments":""')),
        "its arguments are empty",
    ),
    ("tool_types", altered(told=renamed(b'"ratio', b'"ratios')), "ratio"),
    ("tool_types", altered(told=renamed(rb"\"dry\": ", rb"\"dry\": 1")), r"write_file\("),
    ("tool_result", altered(faults="only-reasoning"), "no answer, finish_reason stop"),
    ("json_schema", altered(asked=without("response_format")), "the answer is no JSON"),
    ("json_schema", altered(told=renamed(b"a", b"c")), "."),
    ("image", altered(asked=without_media("image_url")), "it takes 0 tokens"),
    ("clip", altered(asked=without_media("video_url")), "it takes 0 tokens"),
    ("image_and_clip", altered(asked=without_media("video_url", beside="image_url")), "as many"),
    ("max_tokens_clamped", altered(asked=instead(max_tokens=CONTEXT + 1)), "HTTP 400"),
    ("max_tokens_clamped", altered(faults="drop-after=0"), "without any text"),
    ("at_once", altered(replace(BUSY, slots=2)), "one ended before all had begun"),
    ("one_more_waits", altered(replace(BUSY, slots=4)), "it began while all the others ran"),
    ("stop_frees", altered(BUSY, deaf=True), "had not begun a while after the stop"),
    *((name, altered(asked=harmless), "it was taken") for name in REFUSALS),
    *((name, altered(statuses={"/v1/chat/completions": 500}), "HTTP 500") for name in REFUSALS),
    *((name, altered(told=renamed(b'"code"', b'"number"')), "error.code") for name in REFUSALS),
]


def test_every_check_has_a_server_that_differs() -> None:
    assert {name for name, _, _ in DIFFERENT} == {check.name for check in CHECKS}


@pytest.mark.parametrize(("name", "server", "seen"), DIFFERENT)
async def test_what_is_otherwise_differs(
    name: str, server: Altered, seen: str, make_checks: Callable[..., Awaitable[list[Result]]]
) -> None:
    promises = replace(PROMISES, tells_cached_tokens=True)
    async with on_loopback(server) as url:
        [result] = await make_checks(url, name, promises=promises, wants_key=True)
    assert result.outcome == "differs"
    assert re.search(seen, result.seen), result.seen


async def test_a_server_as_promised_passes_all(
    make_checks: Callable[..., Awaitable[list[Result]]],
) -> None:
    """Those that the others are made of differ by nothing but what is changed in them."""
    async with on_loopback(altered(BUSY)) as url:
        results = await make_checks(url, promises=PROMISES)
    assert [result for result in results if result.outcome == "differs"] == []


async def test_a_check_that_does_not_end_differs(
    make_checks: Callable[..., Awaitable[list[Result]]],
) -> None:
    async with on_loopback(altered(faults="stall-after=1")) as url:
        [result] = await make_checks(url, "stream", timeout_s=0.3)
    assert (result.outcome, result.seen) == ("differs", "it did not end in 0.3 s")


@pytest.mark.parametrize("name", ["stream", "at_once"])
async def test_a_connection_that_breaks_differs(
    name: str,
    loopback: Callable[..., Awaitable[Loopback]],
    make_checks: Callable[..., Awaitable[list[Result]]],
) -> None:
    server = await loopback(Reply((chunk(role="assistant", content=""),), end="reset"))
    [result] = await make_checks(server.url, name)
    assert result.outcome == "differs"
    assert result.seen.startswith("the connection failed: ")


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("health", [b" " * MEGABYTE] * TOO_MUCH),
        ("model", [b" " * MEGABYTE] * TOO_MUCH),
        ("whole", [b" " * MEGABYTE] * TOO_MUCH),
        ("unknown_model", [b" " * MEGABYTE] * TOO_MUCH),
        ("stream", [b"data: ", *[b"a" * MEGABYTE] * TOO_MUCH]),
        ("stream", [chunk(role="assistant", content="a" * MEGABYTE)] * TOO_MUCH),
        ("tool_result", [chunk(content="a" * MEGABYTE)] * TOO_MUCH),
        ("tool_result", [chunk(reasoning="a" * MEGABYTE)] * TOO_MUCH),
    ],
)
async def test_an_answer_without_end_is_not_read_on(
    name: str,
    parts: list[bytes],
    loopback: Callable[..., Awaitable[Loopback]],
    make_checks: Callable[..., Awaitable[list[Result]]],
) -> None:
    server = await loopback(Reply(parts, end="hang"))
    [result] = await make_checks(server.url, name, timeout_s=20.0)
    assert result.outcome == "differs"
    assert result.seen.endswith(f"the answer is larger than {MOST_BYTES:,} bytes")
    await server.exchanges[-1].left.wait()
