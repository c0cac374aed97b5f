"""What a command tells: fit for a terminal, one JSON object, and never printed elsewhere."""

from __future__ import annotations

import io
import json

import pytest

from deploy.output import Output

ESCAPES = "a\x1b[2J\x9b1m\x07b\ud800"


def test_what_a_terminal_would_obey_is_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output()
    output.result({}, ESCAPES)
    output.piece(f"{ESCAPES}\r\n")
    output.note(ESCAPES)
    output.error(ESCAPES)
    said = capsys.readouterr()
    clean = "a\ufffd[2J\ufffd1m\ufffdb\ufffd\n"
    assert (said.out, said.err) == (clean * 2, clean * 2)


def test_json_holds_every_letter_and_stays_printable(capsys: pytest.CaptureFixture[str]) -> None:
    Output(as_json=True).result({"name": f"{ESCAPES}模型"}, "")
    said = capsys.readouterr().out
    assert json.loads(said) == {"name": f"{ESCAPES}模型"}
    assert "模型" in said
    assert not set(said) & set("\x1b\x9b\x07\ud800")


def test_a_number_that_json_does_not_have_is_null(capsys: pytest.CaptureFixture[str]) -> None:
    Output(as_json=True).result({"prices": [1.5, float("nan"), float("-inf")]}, "")
    assert json.loads(capsys.readouterr().out) == {"prices": [1.5, None, None]}


def test_a_second_object_is_never_printed(capsys: pytest.CaptureFixture[str]) -> None:
    output = Output(as_json=True)
    output.result({"passed": 3}, "")
    output.error("It failed after that.")
    output.interrupted()
    said = capsys.readouterr()
    assert json.loads(said.out) == {"passed": 3}
    assert said.err == "It failed after that.\n"


def test_an_interruption_is_an_object_where_none_was_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Output(as_json=True).interrupted()
    assert json.loads(capsys.readouterr().out) == {"error": {"message": "Interrupted."}}
    Output().interrupted()
    assert capsys.readouterr().out == ""


def test_without_standard_error_notes_do_not_go_to_standard_output(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr", None)
    Output(as_json=True).note("Building")
    assert capsys.readouterr().out == ""


def test_a_terminal_without_the_letters_still_gets_all_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr("sys.stdout", stream)
    Output(as_json=True).result({"name": "模型"}, "")
    assert json.loads(stream.buffer.getvalue()) == {"name": "模型"}  # type: ignore[attr-defined]
