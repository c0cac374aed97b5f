"""The command as the shell reads it: one word a part, nothing expanded, the body to the letter."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from app.endpoint.wire_json import encode_body
from app.export import curl_code
from tests.export.bodies import ODD, body, user
from tests.export.json_values import VALUES, characters

LARGE = "x'\n" * 50_000
STUB = """
curl() {
    for word; do
        printf '%s\\0' "$word"
        if [ "$word" = @- ]; then cat; fi
    done
}
"""
"""In curl's place: what it was given, word by word, and its input."""


def words(command: str) -> list[str]:
    """The arguments that curl gets, and behind them what it reads, if it reads."""
    done = subprocess.run(
        ["sh"],
        input=(STUB + command).encode(),
        capture_output=True,
        check=True,
        env={"BASETEN_API_KEY": "test-key-not-real", "PATH": "/usr/bin:/bin"},
    )
    assert not done.stderr
    return done.stdout.decode().removesuffix("\0").split("\0")


def command(sent: dict[str, Any], base_url: str = "http://127.0.0.1:8000/v1") -> str:
    return curl_code(sent, base_url=base_url, key_variable="BASETEN_API_KEY")


def test_it_has_the_form_of_the_model_s_page() -> None:
    base_url = "https://model-abc1d2ef.api.baseten.co/environments/production/sync/v1"
    assert command(body(user("What is machine learning?")), base_url) == (
        """\
curl -s https://model-abc1d2ef.api.baseten.co/environments/production/sync/v1/chat/completions \\
  -H "Content-Type: application/json" \\
  -H "Authorization: Bearer $BASETEN_API_KEY" \\
  -d '{
    "model": "zai-org/GLM-5.3-Flash",
    "messages": [
      {"role": "user", "content": "What is machine learning?"}
    ]
  }'
"""
    )


@given(VALUES, characters())
def test_the_shell_hands_on_the_very_body(value: Any, text: str) -> None:
    sent = body(user(text), **{"chat_template_kwargs": value, text: text})
    received = json.loads(words(command(sent))[-1])
    assert json.dumps(received) == json.dumps(json.loads(encode_body(sent)))


@given(characters())
def test_it_shows_every_character_that_it_holds(text: str) -> None:
    assert command(body(user(text))).replace("\n", "").isprintable()


def test_a_long_body_goes_by_standard_input() -> None:
    sent = body(user(f"{LARGE}\nJSON\n{ODD}"))
    *_, option, source, received = words(command(sent))
    assert (option, source) == ("--data-binary", "@-")
    assert json.loads(received) == sent


def test_a_stream_is_not_held_back() -> None:
    assert words(command(body(stream=True)))[0] == "-sN"
    assert words(command(body(stream=False)))[0] == "-s"


@pytest.mark.parametrize(
    ("base_url", "address"),
    [
        ("http://[::1]:8000/v1/", "http://[::1]:8000/v1"),
        ("http://a.test/it's $(touch x)", "http://a.test/it's%20$(touch%20x)"),
        ('http://a.test/`touch x`/"v1"', "http://a.test/%60touch%20x%60/%22v1%22"),
        ("http://a.test/{a,b}/[1-3]/ü", "http://a.test/%7Ba,b%7D/%5B1-3%5D/%C3%BC"),
        ("http://a.test/already%20escaped", "http://a.test/already%20escaped"),
        ("http://$(touch x)'`touch x`/v1", "http://$(touch x)'`touch x`/v1"),
    ],
)
def test_an_address_is_one_word_that_neither_shell_nor_curl_expands(
    base_url: str, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert words(command(body(), base_url))[1] == f"{address}/chat/completions"
    assert not list(tmp_path.iterdir())
