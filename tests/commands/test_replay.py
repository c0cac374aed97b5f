from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from app.chat.entries import UserEntry
from app.chat.events import Failed
from app.chat.exchange import Exchange
from app.chat.messages import Text, ToolCall
from app.chat.request import Options
from app.chat.turn import Turn
from app.chat.wire_record import Read
from app.commands.arguments import parse
from app.commands.ask import run
from app.export.case import Case, CaseEntry, CaseTurn
from app.export.case_writing import write_case
from app.tools.report import report_json
from tests.commands.conftest import PROJECT
from tests.export.case_values import packed
from tests.interrupts import take_interrupts
from tests.loopback import DONE, chunk, replies_of
from tests.recorded import recorded

STREAMS = sorted((PROJECT / "tests" / "chat" / "data" / "streams").glob("*.json"))
NOW = datetime(2026, 5, 4, tzinfo=UTC)


@pytest.fixture
def save(tmp_path: Path) -> Callable[[Case], str]:
    """Writes a case, or any bytes, to a file; gives its path."""

    def write(case: Case | bytes) -> str:
        path = tmp_path / "chat.case.json"
        path.write_bytes(case if isinstance(case, bytes) else write_case(case, exported=NOW))
        return str(path)

    return write


def exchange(
    *texts: str, base: tuple[Text, ...] = (), finish: str = "stop", at_s: float = 0.01
) -> Exchange:
    reads = [*(chunk(content=text) for text in texts), chunk(finish), DONE]
    wire = packed(Read(at_s * number, data) for number, data in enumerate(reads, start=1))
    return Exchange(Options("m", continue_last=bool(base)), "", base, wire)


def chat(turn: Turn, *exchanges: Exchange, edited: bool = False) -> Case:
    return Case(
        entries=(
            CaseEntry(UserEntry("u1", "Hi there"), None),
            CaseEntry(CaseTurn("t1", turn, edited=edited), "u1", exchanges=exchanges),
        ),
        leaf="t1",
    )


@pytest.fixture
def _our_key_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BASETEN_API_KEY", "BASETEN_MODEL_ID", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "test-key-not-real")


@pytest.mark.usefixtures("_our_key_alone")
@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
async def test_a_recording_tells_what_asking_told(
    path: Path,
    loopback: Callable[..., Any],
    command: Callable[..., Any],
    save: Callable[..., str],
    tmp_path: Path,
) -> None:
    stated = json.loads(path.read_text())
    tools, prompt = stated["request"].get("tools") or [], stated["request"]["prompt"]
    first, second = [await loopback(*replies_of(stated)) for _ in range(2)]
    words = ["ask", "--json", "--base-url", f"{first.url}/v1"]
    if tools:
        (tmp_path / "tools.json").write_text(json.dumps(tools))
        words += ["--tools", str(tmp_path / "tools.json")]
    answer, status = await run(parse([*words, prompt]))
    asked = json.loads(report_json(answer).replace(f":{first.port}", f":{second.port}"))
    options = Options(asked["request"]["model"], tools=tuple(tools))
    case = await recorded(f"{second.url}/v1", prompt, options)

    done = await asyncio.to_thread(command, "replay", "--json", save(case))
    report = json.loads(done.stdout)
    assert (done.returncode, done.stderr) == (status, "")
    timings = case.entries[1].said.turn.timings  # type: ignore[union-attr]
    assert report["timings"]["total_s"] == round(timings.total_s, 4)
    assert without_times(report) == without_times(asked)
    assert [without_times(step) for step in report["steps"]] == [
        without_times(step) for step in asked["steps"]
    ]


def without_times(report: dict[str, Any]) -> dict[str, Any]:
    """What two runs have in common; who might answer a call is not part of a recording."""
    return {
        key: value for key, value in report.items() if key not in ("timings", "steps", "answers")
    }


def test_it_plays_in_the_terminal_and_asks_nobody(
    process: Callable[..., Any], save: Callable[..., str]
) -> None:
    case = chat(Turn((Text("Hello you"),), "stop"), exchange("Hello", " you"))
    done = process("replay", save(case), OPENAI_BASE_URL="not an address")
    assert (done.returncode, done.stdout) == (0, "Hello you\n")
    assert "no server is asked" in done.stderr.splitlines()[0]
    assert "You: Hi there" in done.stderr
    assert "at once" not in done.stderr


def test_only_the_shown_path_plays(command: Callable[..., Any], save: Callable[..., str]) -> None:
    case = chat(Turn((Text("One"),), "stop"))
    other = CaseEntry(CaseTurn("t2", Turn((Text("Two"),), "stop")), "u1")
    case = replace(case, entries=(*case.entries, other))
    assert command("replay", save(case)).stdout == "One\n"
    assert command("replay", save(replace(case, leaf="t2"))).stdout == "Two\n"


def test_what_was_not_recorded_is_shown_at_once(
    command: Callable[..., Any], save: Callable[..., str]
) -> None:
    call = ToolCall("c1", "get_weather", '{"location": "Paris"}')
    kept = Turn((Text("Wait."), call), "tool_calls")
    cut = replace(exchange("Wa"), is_cut=True)
    for case in (chat(kept), chat(kept, cut), chat(kept, exchange("Else"), edited=True)):
        done = command("replay", "--speed", "0", save(case))
        assert done.stdout == "Wait.\n"
        assert "shown at once" in done.stderr
        assert "Call: get_weather" in done.stderr


def test_an_answer_that_was_gone_on_with_is_one(
    command: Callable[..., Any], save: Callable[..., str]
) -> None:
    first = exchange("One, ", finish="length")
    case = chat(Turn((Text("One, two"),), "stop"), first, exchange(" two", base=(Text("One, "),)))
    report = json.loads(command("replay", "--json", save(case)).stdout)
    assert (report["content"], report["finish_reason"]) == ("One, two", "stop")
    assert report["request"]["continue_final_message"] is True
    assert report["request"]["messages"][-1] == {"role": "assistant", "content": "One,"}


def test_how_it_ended_is_told_as_it_was_kept(
    command: Callable[..., Any], save: Callable[..., str]
) -> None:
    wire = packed([Read(0.01, chunk(content="Hel"))])
    kept = Turn((Text("Hel"),), failure=Failed("cut_short", None, "The connection broke.", "r1"))
    done = command("replay", "--json", save(chat(kept, Exchange(Options("m"), "", wire=wire))))
    report = json.loads(done.stdout)
    assert done.returncode == 1
    assert report["error"]["message"] == "The connection broke."
    assert [notice["code"] for notice in report["notices"]] == ["cut_short"]


def test_a_recording_of_something_else_is_said(
    command: Callable[..., Any], save: Callable[..., str]
) -> None:
    done = command("replay", save(chat(Turn((Text("Kept"),), "stop"), exchange("Played"))))
    assert done.stdout == "Played\n"
    assert "kept something else" in done.stderr


def test_json_tells_each_answer_and_the_last_at_the_top(
    command: Callable[..., Any], save: Callable[..., str]
) -> None:
    entries = [
        {"kind": "user", "text": "a"},
        {"kind": "turn", "text": "One"},
        {"kind": "user", "text": "b"},
        {"kind": "turn", "parts": [{"is": "text", "text": "Two"}]},
    ]
    file = {"format": "glm-playground-case", "version": 1, "entries": entries}
    done = command("replay", "--json", save(json.dumps(file).encode()))
    report = json.loads(done.stdout)
    assert [step["content"] for step in report["steps"]] == ["One", "Two"]
    assert (report["content"], report["request"], done.returncode) == ("Two", {}, 0)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"messages": []}', "is no case file"),
        (b"\x89PNG", "not JSON"),
        (b'{"format": "glm-playground-case", "version": 1}', "nothing to replay"),
    ],
)
def test_a_file_that_is_none_ends_with_2_and_a_sentence(
    command: Callable[..., Any], save: Callable[..., str], data: bytes, said: str
) -> None:
    done = command("replay", save(data))
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "words", [["missing.case.json"], ["--speed", "-1", "f"], ["--speed", "nan", "f"], []]
)
def test_bad_arguments_end_with_2(command: Callable[..., Any], words: list[str]) -> None:
    done = command("replay", *words)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


async def test_ctrl_c_ends_it_where_it_is(save: Callable[..., str]) -> None:
    case = chat(Turn((Text("Hello"),), "stop"), exchange("Hello", at_s=3600))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "app", "replay", save(case)),
        cwd=PROJECT,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        preexec_fn=take_interrupts,
    )
    assert process.stderr is not None
    while b"You: Hi" not in await process.stderr.readline():
        pass
    process.send_signal(signal.SIGINT)
    printed, errors = await process.communicate()
    assert (process.returncode, printed) == (130, b"")
    assert b"Traceback" not in errors


def test_it_needs_no_setting(command: Callable[..., Any], save: Callable[..., str]) -> None:
    case = chat(Turn((Text("Hi"),), "stop"), exchange("Hi"))
    done = command("replay", save(case), BASETEN_MODEL_ID="bad id", GRADIO_SERVER_PORT="none")
    assert (done.returncode, done.stdout) == (0, "Hi\n")


def test_it_imports_no_page() -> None:
    code = "import sys, app.commands.replay; print({'gradio', 'fastapi'} & {*sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "set()\n"
