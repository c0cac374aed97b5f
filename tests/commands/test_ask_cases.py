"""Every stream and history case through `ask`: the one right reading of what a server sends."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.commands.arguments import parse
from app.commands.ask import run
from tests.loopback import Exchange, replies_of

DATA = Path(__file__).parents[1] / "chat" / "data"
CASES = sorted(DATA.glob("*/*.json"))


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BASETEN_API_KEY", "BASETEN_MODEL_ID", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "test-key-not-real")


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
async def test_a_case_is_read_as_it_must_be(
    path: Path, loopback: Callable[..., Any], tmp_path: Path
) -> None:
    case = json.loads(path.read_text())
    server = await loopback(*replies_of(case))
    words = ["ask", "--json", "--base-url", f"{server.url}/v1"]
    for flag, key in (("--tools", "tools"), ("--conversation", "messages")):
        if case["request"].get(key):
            file = tmp_path / f"{key}.json"
            file.write_text(json.dumps(case["request"][key]))
            words += [flag, str(file)]
    report, status = await run(parse([*words, case["request"]["prompt"]]))
    expected = case["expect"]
    expected = expected["either"][0] if "either" in expected else expected
    seen = summary(report, status, server.exchanges)
    assert {key: seen[key] for key in expected if key in seen} == {
        key: wanted(key, value) for key, value in expected.items() if key in seen
    }
    if "message_contains" in expected:
        assert expected["message_contains"] in json.dumps(report, ensure_ascii=False)
    assert status == (0 if expected["complete"] else 1)
    assert all(notice["message"] and notice["remedy"] for notice in report["notices"])
    assert "test-key-not-real" not in json.dumps(report)


def summary(report: dict[str, Any], status: int, exchanges: list[Exchange]) -> dict[str, Any]:
    """The report in the words in which cases state what they expect."""
    return {
        "complete": report["complete"],
        "reasoning": report["reasoning"],
        "content": report["content"],
        "finish_reason": report["finish_reason"],
        "tool_calls": [(c["name"], value_of(c["arguments"])) for c in report["tool_calls"]],
        "notices": sorted(notice["code"] for notice in report["notices"]),
        "status": (report["error"] or {}).get("status"),
        "completion_tokens": (report["usage"] or {}).get("completion_tokens"),
        "requests": len(exchanges),
    }


def wanted(key: str, value: Any) -> Any:
    if key == "tool_calls":
        return [(call["name"], call["arguments"]) for call in value]
    return sorted(value) if key == "notices" else value


def value_of(arguments: str) -> Any:
    """Arguments as an object where they are one, none as an empty one, else their text."""
    try:
        value = json.loads(arguments or "{}")
    except ValueError:
        return arguments
    return value if isinstance(value, dict) else arguments
