"""What `ask --tools` takes, and what it says about it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.commands.files import BadArguments
from app.commands.tools_file import read_tools_file

PYTHON = '''
def get_weather(location: str, **more) -> dict[str, float]:
    """Weather for a place."""
'''


def written(folder: Path, text: str) -> Path:
    path = folder / "tools"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_python_function_is_a_tool_and_what_is_left_out_is_told(
    command: Callable[..., Any], tmp_path: Path
) -> None:
    path = written(tmp_path, PYTHON)
    done = command("ask", "--json", "--tools", str(path), "What's the weather in Paris?")
    report = json.loads(done.stdout)
    assert done.returncode == 0
    assert [call["name"] for call in report["tool_calls"]] == ["get_weather"]
    assert "get_weather: **more is left out" in done.stderr


def test_warnings_are_told_and_the_tools_are_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tools = [{"type": "function", "function": {"name": "a b", "description": "c"}}]
    read = read_tools_file(written(tmp_path, json.dumps(tools)))
    assert json.dumps(read.tools) == json.dumps(tools)
    out, told = capsys.readouterr()
    assert out == ""
    assert '$[0].function.name is "a b"' in told
    assert "$[0].function.parameters is missing" in told


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[1,]", "In line 1, column 3 of the JSON: Remove this comma"),
        ("Get the weather", "The text is nothing that tools are made of"),
        (
            '[{"name": "f", "inputSchema": {"properties": {"a": null}}}]',
            "$[0].function.parameters.properties.a is null, which the server refuses",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_the_place(
    tmp_path: Path, text: str, sentence: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(BadArguments) as caught:
        read_tools_file(path)
    assert str(caught.value).startswith(f"{path} holds ")
    assert sentence in str(caught.value)
