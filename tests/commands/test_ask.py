from __future__ import annotations

import asyncio
import io
import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.commands.conftest import PROJECT
from tests.interrupts import take_interrupts
from tests.loopback import SILENCE, Reply, chunk

KEY = "test-key-not-real-but-to-be-kept"
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {
            "type": "object",
            "properties": {"location": {"type": "string"}},
            "required": ["location"],
        },
    },
}


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str, Any], str]:
    def write(name: str, value: Any) -> str:
        path = tmp_path / name
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        path.write_bytes(data)
        return str(path)

    return write


def test_the_answer_alone_is_on_standard_output(process: Callable[..., Any]) -> None:
    done = process("ask", "Hello")
    assert done.returncode == 0
    assert done.stdout.startswith("**This is the simulator")
    assert "I am the simulator" in done.stderr, "the thought goes beside it"


def test_json_is_one_object_and_nothing_else(command: Callable[..., Any]) -> None:
    done = command("ask", "--json", "Hello", "--effort", "low", "--seed", "3", "--stop", "END")
    report = json.loads(done.stdout)
    assert set(report) == {
        "complete", "reasoning", "content", "finish_reason", "tool_calls", "notices", "error",
        "usage", "timings", "request", "steps",
    }  # fmt: skip
    assert report["complete"] is True
    assert set(report["timings"]) == {
        "first_byte_s", "first_reasoning_s", "first_content_s", "total_s"
    }  # fmt: skip
    request = report["request"]
    assert (request["reasoning_effort"], request["seed"], request["stop"]) == ("low", 3, ["END"])
    assert len(report["steps"]) == 1
    assert report["steps"][0]["content"] == report["content"]


def test_an_answer_in_one_piece_reads_the_same(command: Callable[..., Any]) -> None:
    streamed = json.loads(command("ask", "--json", "Hello").stdout)
    whole = json.loads(command("ask", "--json", "--no-stream", "Hello").stdout)
    for key in ("complete", "reasoning", "content", "finish_reason", "notices"):
        assert whole[key] == streamed[key]


def test_the_prompt_may_come_from_standard_input(process: Callable[..., Any]) -> None:
    done = process("ask", "--json", "-", stdin="Hello from a pipe")
    assert "Hello from a pipe" in json.loads(done.stdout)["request"]["messages"][0]["content"]


def test_a_picture_is_sent(command: Callable[..., Any], file: Callable[..., str]) -> None:
    data = io.BytesIO()
    Image.new("RGB", (70, 50), "red").save(data, "PNG")
    done = command("ask", "--json", "--image", file("red.png", data.getvalue()), "What is it?")
    report = json.loads(done.stdout)
    kinds = [part["type"] for part in report["request"]["messages"][0]["content"]]
    assert kinds == ["image_url", "text"]
    assert "70" in report["content"]


def test_calls_are_reported_with_what_is_wrong_with_them(
    command: Callable[..., Any], file: Callable[..., str]
) -> None:
    done = command(
        "ask", "--json", "--tools", file("t.json", [WEATHER]), "What's the weather in Paris?"
    )
    (call,) = json.loads(done.stdout)["tool_calls"]
    assert (call["name"], call["problems"]) == ("get_weather", [])
    assert json.loads(call["arguments"]) == {"location": "Paris"}
    assert done.returncode == 0, "without --mocks a call that nobody answers does not count"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["  "], "empty"),
        (["--image", "missing.png", "Hi"], "missing.png cannot be read"),
        (["--conversation", "README.md", "Hi"], "not JSON"),
        (["--tool-choice", "fly", "Hi"], "names no tool"),
        (["--base-url", "127.0.0.1:9", "Hi"], "http://"),
        (["--image", "README.md", "Hi"], "README.md"),
        (["--temperature", "3", "Hi"], "between"),
        (["--effort", "none", "Hi"], "invalid choice"),
    ],
)
def test_bad_arguments_end_with_2_and_a_sentence(
    command: Callable[..., Any], words: list[str], said: str
) -> None:
    done = command("ask", *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"BASETEN_API_KEY": KEY}, "BASETEN_MODEL_ID is missing"),
        ({"OPENAI_BASE_URL": f"http://user:{KEY}@127.0.0.1/v1"}, "password"),
    ],
)
def test_settings_that_do_not_fit_end_with_2_and_no_key(
    process: Callable[..., Any], variables: dict[str, str], said: str
) -> None:
    done = process("ask", "Hi", **variables)
    assert done.returncode == 2
    assert said in done.stderr
    assert KEY not in done.stderr + done.stdout


def test_an_unreachable_server_is_said_and_ends_with_1(command: Callable[..., Any]) -> None:
    done = command("ask", "--json", "Hi", "--base-url", "http://127.0.0.1:9/v1")
    report = json.loads(done.stdout)
    assert done.returncode == 1
    assert [notice["code"] for notice in report["notices"]] == ["unreachable"]
    assert "127.0.0.1:9" in report["error"]["message"]


async def test_a_timeout_is_kept(command: Callable[..., Any], loopback: Callable[..., Any]) -> None:
    server = await loopback(SILENCE)
    done = await asyncio.to_thread(
        command, "ask", "--json", "Hi", "--timeout", "0.3", "--base-url", f"{server.url}/v1"
    )
    assert [n["code"] for n in json.loads(done.stdout)["notices"]] == ["timed_out"]


async def test_the_baseten_key_never_goes_to_another_address(
    command: Callable[..., Any], loopback: Callable[..., Any]
) -> None:
    server = await loopback(Reply((chunk("stop", content="Hi"),)))
    done = await asyncio.to_thread(
        command, "ask", "Hi", "--base-url", f"{server.url}/v1",
        BASETEN_API_KEY=KEY, BASETEN_MODEL_ID="abc1d2ef",
    )  # fmt: skip
    assert done.returncode == 0
    assert KEY.encode() not in server.exchanges[0].head


def test_a_tool_loop_runs_on_rules_and_tells_each_step(
    command: Callable[..., Any], file: Callable[..., str]
) -> None:
    mocks = [{"tool": "get_weather", "when": {"location": "Paris"}, "result": {"celsius": 21}}]
    words = ["--tools", file("t.json", [WEATHER]), "--mocks", file("m.json", mocks)]
    done = command("ask", "--json", *words, "What's the weather in Paris?")
    report = json.loads(done.stdout)
    assert done.returncode == 0
    assert len(report["steps"]) == 2
    (answer,) = report["steps"][0]["answers"]
    assert (answer["answered_by"], json.loads(answer["content"])) == ("rule 1", {"celsius": 21})
    assert "21" in report["content"], "the last turn uses the result"
    assert report["request"]["messages"][-1]["role"] == "tool"


@pytest.mark.parametrize(
    ("rule", "more"),
    [({"tool": "*", "ask": True}, []), ({"tool": "*", "result": "x"}, ["--max-steps", "1"])],
    ids=["a call that nobody answers", "the step limit"],
)
def test_with_rules_an_unfinished_loop_ends_with_1(
    command: Callable[..., Any], file: Callable[..., str], rule: dict[str, Any], more: list[str]
) -> None:
    words = ["--tools", file("t.json", [WEATHER]), "--mocks", file("m.json", [rule]), *more]
    done = command("ask", "--json", *words, "What's the weather in Paris?")
    assert done.returncode == 1
    assert json.loads(done.stdout)["complete"] is True


@pytest.mark.parametrize("flag", ["--tools", "--mocks"])
def test_a_bad_tool_file_is_said_with_its_place(
    command: Callable[..., Any], file: Callable[..., str], flag: str
) -> None:
    done = command("ask", flag, file("bad.json", b'[{"a": }]'), "Hi")
    assert done.returncode == 2
    assert "line 1, column" in done.stderr


async def test_an_interrupted_turn_is_reported_with_what_came(
    loopback: Callable[..., Any], file: Callable[..., str]
) -> None:
    server = await loopback(Reply((chunk(content="Half"),), end="hang"))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "app", "ask", "Hi", "--base-url", f"{server.url}/v1",
        cwd=PROJECT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        preexec_fn=take_interrupts,
    )  # fmt: skip
    assert process.stdout is not None
    assert await process.stdout.readexactly(4) == b"Half"
    process.send_signal(signal.SIGINT)
    _, told = await process.communicate()
    assert process.returncode == 1
    assert b"[stopped]" in told
    assert b"Traceback" not in told
