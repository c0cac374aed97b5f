"""What `ask --conversation` takes from a case file; plain messages are in the history cases."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.commands.arguments import parse
from app.commands.ask import run
from tests.export.case_values import GONE, MEDIA, PICTURE, WEATHER
from tests.loopback import Reply, answer, chunk


@pytest.fixture
async def ask(
    loopback: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    """Asks with a case file of these fields and more words; gives what `--json` prints."""
    for name in ("BASETEN_API_KEY", "BASETEN_MODEL_ID", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    call = {"index": 0, "id": "c1", "function": {"name": "get_weather", "arguments": "{}"}}
    calling = Reply((chunk(tool_calls=[call]), chunk("tool_calls")))

    async def asked(*words: str, calls: bool = False, **fields: Any) -> dict[str, Any]:
        server = await loopback(*([calling] if calls else []), answer())
        path = tmp_path / "chat.case.json"
        path.write_text(json.dumps({"format": "glm-playground-case", "version": 1, **fields}))
        given = ["ask", "--json", "--base-url", f"{server.url}/v1", "--conversation", str(path)]
        report, _ = await run(parse([*given, *words, "And now?"]))
        return report

    return asked


CHAT = [
    {"kind": "user", "text": "Hi"},
    {"kind": "turn", "parts": [{"is": "reasoning", "text": "Hm"}, {"is": "text", "text": "Ho"}]},
]
SETTINGS = {
    "model": "of-another-server",
    "effort": "low",
    "system": "Be brief.",
    "temperature": 0.5,
    "max_tokens": 50,
    "stop": ["END"],
}


async def test_its_path_is_the_conversation(ask: Callable[..., Any]) -> None:
    other = {"kind": "turn", "after": "1", "text": "Another version"}
    report = await ask(entries=[*CHAT, other], leaf="2")
    assert report["request"]["messages"] == [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Ho", "reasoning": "Hm"},
        {"role": "user", "content": "And now?"},
    ]


async def test_its_settings_hold_but_for_the_model(ask: Callable[..., Any]) -> None:
    request = (await ask(entries=CHAT, settings=SETTINGS))["request"]
    assert request["messages"][0] == {"role": "system", "content": "Be brief."}
    assert (request["reasoning_effort"], request["temperature"]) == ("low", 0.5)
    assert (request["max_tokens"], request["stop"]) == (50, ["END"])
    assert request["model"] != "of-another-server"


async def test_arguments_win_over_its_settings(ask: Callable[..., Any]) -> None:
    words = ["--effort", "max", "--system", "Sing.", "--temperature", "0", "--stop", "X"]
    request = (await ask(*words, entries=CHAT, settings=SETTINGS))["request"]
    assert request["messages"][0]["content"] == "Sing."
    assert (request["reasoning_effort"], request["temperature"]) == ("max", 0)
    assert (request["max_tokens"], request["stop"]) == (50, ["X"])


async def test_its_rules_answer_its_tools(ask: Callable[..., Any]) -> None:
    report = await ask(
        calls=True, tools=[WEATHER], mocks=[{"tool": "*", "result": "sunny"}], entries=CHAT
    )
    first, last = report["steps"]
    assert first["answers"][0]["content"] == "sunny"
    assert last["content"] == "Hi"


async def test_results_of_its_calls_go_with_it(ask: Callable[..., Any]) -> None:
    call = {"is": "call", "id": "c1", "name": "get_weather", "arguments": '{"city": "Paris"}'}
    results = [{"call_id": "c1", "content": "21", "answered_by": "rule 1"}]
    entries = [
        CHAT[0],
        {"kind": "turn", "parts": [call], "finish_reason": "tool_calls"},
        {"kind": "results", "results": results},
        CHAT[1],
    ]
    messages = (await ask(entries=entries))["request"]["messages"]
    assert [each["role"] for each in messages] == ["user", "assistant", "tool", "assistant", "user"]
    assert messages[1]["tool_calls"][0]["function"]["arguments"] == '{"city": "Paris"}'
    assert messages[2] == {"role": "tool", "tool_call_id": "c1", "content": "21"}


async def test_other_tools_take_its_choice_with_them(
    ask: Callable[..., Any], tmp_path: Path
) -> None:
    choice = {"type": "function", "function": {"name": "get_weather"}}
    case = {"tools": [WEATHER], "settings": {"tool_choice": choice}, "entries": CHAT}
    assert (await ask(**case))["request"]["tool_choice"] == choice
    other = {"type": "function", "function": {"name": "get_time"}}
    (tmp_path / "tools.json").write_text(json.dumps([other]))
    request = (await ask("--tools", str(tmp_path / "tools.json"), **case))["request"]
    assert request["tools"] == [other]
    assert "tool_choice" not in request


async def test_its_media_go_with_it_and_a_note_for_those_that_are_gone(
    ask: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    message = {"kind": "user", "text": "Look", "media": [PICTURE.hash, GONE.hash]}
    media = {PICTURE.hash: MEDIA, GONE.hash: {"kind": "video", "name": "clip.mp4"}}
    content = (await ask(entries=[message], media=media))["request"]["messages"][0]["content"]
    assert content[0]["image_url"]["url"] == f"data:image/png;base64,{MEDIA['base64']}"
    assert "“clip.mp4” that stood here is no longer kept" in content[1]["text"]
    assert "no longer kept" in capsys.readouterr().err


def test_a_bad_case_is_said_with_its_place(command: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "bad.case.json"
    path.write_text('{"format": "glm-playground-case", "version": 1, "leaf": "x"}')
    done = command("ask", "--conversation", str(path), "Hi")
    assert done.returncode == 2
    assert "bad.case.json cannot be used. $.leaf" in done.stderr
