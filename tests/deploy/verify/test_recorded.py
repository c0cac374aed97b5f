"""The checks, each against what a real vLLM has answered to such a request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.verify.battery import CHECKS
from deploy.verify.check import Result
from deploy.verify.promises import Promises
from tests.loopback import Loopback, Reply
from tests.simulator.recordings import read_recording

HERE = Path(__file__).parent / "data"
WIRE = Path(__file__).parents[2] / "simulator" / "data" / "wire"
PROMISES = Promises("zai-org/GLM-5.3-Flash", max_model_len=1_048_576, max_num_seqs=16)

RECORDED: Mapping[str, tuple[str, ...]] = {
    "health": ("get_health",),
    "model": ("get_v1_models",),
    "context": ("get_v1_models",),
    "key": ("flag_apikey_missing_get_v1_models",),
    "whole": ("plain_nonstream",),
    "stream": ("plain_stream_usage",),
    "reasoning": ("plain_nonstream", "plain_stream_usage"),
    "usage": ("plain_nonstream", "plain_stream_usage_continuous"),
    "cached_tokens": ("flag_prompt_tokens_details_1", "flag_prompt_tokens_details_2"),
    "effort_field": ("effort_top_low", "effort_top_high", "effort_top_max"),
    "tool_auto": ("tools_auto_tool1_stream",),
    "tool_required": ("tools_required_tool_only",),
    "tool_named": ("tools_named_tool_only_stream",),
    "tool_parallel": ("tools_auto_tool2_stream",),
    "tool_no_arguments": ("tools_auto_tool_noarg_stream",),
    "tool_types": ("tools_auto_tool_complex_stream",),
    "tool_result": ("toolhist_ok",),
    "json_schema": ("rf_json_schema_stream",),
    "image": ("image_a_png", "plain_nonstream"),
    "clip": ("video_mp4", "plain_nonstream"),
    "image_and_clip": ("image_a_png", "plain_nonstream", "video_mp4", "video_and_image"),
    "second_image": ("image_two_across_history",),
    "second_clip": ("video_two",),
    "unknown_model": ("unknown_model",),
    "bad_effort": ("effort_top_garbage",),
    "empty_tools": ("tools_empty_array",),
    "choice_without_tools": ("tools_choice_auto_without_tools",),
    "unknown_choice": ("tools_choice_named_unknown",),
    "stream_options": ("stream_options_without_stream",),
    "bad_temperature": ("temperature_5",),
    "no_messages": ("empty_messages",),
    "bad_json": ("malformed_json",),
    "max_tokens_too_many": ("max_tokens_gt_context",),
    "max_tokens_clamped": ("plain_stream",),
    "prompt_too_long": ("prompt_too_long_by_little",),
}
"""The recordings that answer the requests of each check, in their order."""

ELSEWHERE = {"efforts", "default_effort"}
ALIVE = {"at_once", "one_more_waits", "stop_frees"}
"""What is seen of many answers at once cannot be played."""


def recorded(name: str) -> Reply:
    folder = HERE if (HERE / f"{name}.txt").exists() else WIRE
    recording = read_recording(folder / f"{name}.txt")
    parts = [f"data: {data}\n\n".encode() for data in recording.events]
    parts = parts or [recording.answer.encode("utf-8", "surrogateescape")]
    return Reply(parts, recording.status, recording.content_type or "")


def test_each_check_that_can_be_is_recorded() -> None:
    assert {check.name for check in CHECKS} == set(RECORDED) | ELSEWHERE | ALIVE


@pytest.mark.parametrize("name", RECORDED)
async def test_a_real_server_passes(
    name: str,
    loopback: Callable[..., Awaitable[Loopback]],
    make_checks: Callable[..., Awaitable[list[Result]]],
) -> None:
    server = await loopback(*map(recorded, RECORDED[name]))
    promises = replace(PROMISES, tells_cached_tokens=name == "cached_tokens")
    # A prompt that a real context is too small for takes megabytes: this server reads nothing.
    if name == "prompt_too_long":
        promises = replace(promises, max_model_len=1000)
    [result] = await make_checks(server.url, name, promises=promises, wants_key=True)
    assert (result.outcome, len(server.exchanges)) == ("pass", len(RECORDED[name])), result.seen


@pytest.mark.parametrize(
    ("name", "answers"),
    [
        ("efforts", ("low", "high", "max")),
        ("default_effort", ("null", "high", "low", "max")),
    ],
)
async def test_efforts_are_told_apart_by_the_prompt_s_text_where_tokens_are_not_shown(
    name: str,
    answers: tuple[str, ...],
    loopback: Callable[..., Awaitable[Loopback]],
    make_checks: Callable[..., Awaitable[list[Result]]],
) -> None:
    server = await loopback(
        *(recorded(f"effort_top_{effort}") for effort in answers),
        routes={"POST /tokenize": [recorded("get_unknown_path")]},
    )
    [result] = await make_checks(server.url, name)
    assert result.outcome == "pass", result.seen


async def test_efforts_are_skipped_where_a_server_shows_no_prompt(
    loopback: Callable[..., Awaitable[Loopback]],
    make_checks: Callable[..., Awaitable[list[Result]]],
) -> None:
    server = await loopback(
        recorded("plain_nonstream"), routes={"POST /tokenize": [recorded("get_unknown_path")]}
    )
    [result] = await make_checks(server.url, "efforts")
    assert result.outcome == "skipped"
    assert "/tokenize" in result.seen
