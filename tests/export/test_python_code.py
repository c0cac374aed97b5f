"""The program as Python reads it: the body to the letter, in arguments that the SDK takes."""

from __future__ import annotations

import ast
import inspect
import json
from typing import Any

import pytest
from hypothesis import given
from openai.resources.chat.completions import Completions

from app.endpoint.wire_json import encode_body
from app.export import python_code
from app.export.python_code import SDK_ARGUMENTS
from tests.export.bodies import ODD, STREAMED, body, user
from tests.export.json_values import VALUES, characters


def program(sent: dict[str, Any], base_url: str = "http://127.0.0.1:8000/v1") -> str:
    return python_code(sent, base_url=base_url, key_variable="BASETEN_API_KEY")


def arguments(text: str, function: str) -> dict[str, Any]:
    """The literals that a program calls a function with, by name."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == function:
            keywords = [word for word in node.keywords if word.arg != "api_key"]
            return {str(word.arg): ast.literal_eval(word.value) for word in keywords}
    raise AssertionError(f"{function} is not called.")


def created(text: str) -> dict[str, Any]:
    return arguments(text, "client.chat.completions.create")


def test_it_has_the_form_of_the_model_s_page() -> None:
    base_url = "https://model-abc1d2ef.api.baseten.co/environments/production/sync/v1"
    text = program(body(user("What is machine learning?")), base_url)
    assert text.startswith(
        """\
import os
from openai import OpenAI

client = OpenAI(
    api_key=os.environ["BASETEN_API_KEY"],
    base_url="https://model-abc1d2ef.api.baseten.co/environments/production/sync/v1",
)

response = client.chat.completions.create(
    model="zai-org/GLM-5.3-Flash",
    messages=[
        {"role": "user", "content": "What is machine learning?"},
    ],
)
"""
    )


def test_the_arguments_are_those_of_the_installed_sdk() -> None:
    of_http = {"extra_headers", "extra_query", "extra_body", "timeout"}
    taken = set(inspect.signature(Completions.create).parameters) - {"self"} - of_http
    assert taken == SDK_ARGUMENTS


def test_what_the_sdk_does_not_take_goes_into_the_extra_body() -> None:
    sent = body(continue_final_message=True, temperature=1.0, timeout=3, **STREAMED)
    found = created(program(sent))
    assert list(found) == [
        *("model", "messages", "temperature", "stream", "stream_options", "extra_body")
    ]
    assert found["extra_body"] == {"continue_final_message": True, "timeout": 3}


@given(VALUES, characters())
def test_the_literals_are_the_very_body(value: Any, text: str) -> None:
    sent = body(user(text), metadata=value, **{f"not of the SDK {text}": value})
    found = created(program(sent))
    assert json.dumps(found | found.pop("extra_body")) == json.dumps(json.loads(encode_body(sent)))


@given(characters())
def test_it_shows_every_character_that_it_holds(text: str) -> None:
    assert program(body(user(text))).replace("\n", "").isprintable()


@pytest.mark.parametrize("text", [ODD, '"', "'", "\\", '"""', "'\"'", "\\'"])
def test_an_address_stays_in_its_literal(text: str) -> None:
    assert arguments(program(body(), text), "OpenAI") == {"base_url": text}


def test_quotes_are_chosen_to_spare_escapes() -> None:
    text = program(body(user('{"location": "Paris"}'), user("It's"), user('It\'s "so"')))
    assert '\'{"location": "Paris"}\'' in text
    assert '"It\'s"' in text
    assert "'It\\'s \"so\"'" in text


def test_an_array_stands_on_one_line_of_at_most_88_columns() -> None:
    fits, is_too_long = "x" * 72, "y" * 73
    lines = program(body(stop=[[fits, 1], [is_too_long, 1]])).splitlines()
    assert f'        ["{fits}", 1],' in lines
    assert f'            "{is_too_long}",' in lines


def test_what_is_empty_stays_closed_however_little_room_there_is() -> None:
    created(program(body(**{f"{'x' * 80}{at}": value for at, value in enumerate(([], {}))})))
