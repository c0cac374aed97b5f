from __future__ import annotations

import json
from typing import Any

import pytest

from app.tools.importing import Imported, ImportFailed, import_tools
from app.tools.mocks import Ask, Mock

FUNCTION = {"name": "f", "parameters": {"type": "object", "properties": {}}}
TOOL = {"type": "function", "function": FUNCTION}
PATHS = {"/a": {"get": {"operationId": "f"}}}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([TOOL]),
        "\ufeff " + json.dumps(TOOL, indent=2),
        json.dumps(FUNCTION),
        json.dumps({"tools": [TOOL]}),
        json.dumps([{"name": "f", "inputSchema": FUNCTION["parameters"]}]),
        json.dumps({"jsonrpc": "2.0", "result": {"tools": [{"name": "f"}]}}),
        json.dumps({"openapi": "3.1.0", "paths": {"/a": {"get": {"operationId": "f"}}}}),
        "# Ours\nopenapi: 3.0.0\npaths: {/a: {get: {operationId: f}}}",
        "import os\n\nasync def f(): ...",
        f"TOOLS: list[dict] = [{TOOL!r}]",
    ],
)
def test_a_text_is_known_by_what_it_holds(text: str) -> None:
    (tool,) = import_tools(text).tools
    assert (tool["function"]["name"], tool["function"]["parameters"]) == (
        "f",
        FUNCTION["parameters"],
    )


def test_a_tool_set_brings_its_results_and_mocks() -> None:
    value = {"tools": [TOOL], "results": {"f": {}}, "mocks": [{"tool": "*", "ask": True}]}
    assert import_tools(json.dumps(value)) == Imported(
        (TOOL,), {"f": {}}, mocks=(Mock("*", Ask()),)
    )


def test_of_a_request_the_tools_alone_are_taken() -> None:
    result = import_tools(json.dumps({"model": "m", "messages": [], "tools": [TOOL]}))
    assert result.tools == (TOOL,)
    assert result.notes == ("Only the tools are taken, not the rest of the request.",)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (" \n", "There is nothing to import: paste tools as JSON, a Python function, an OpenAPI"),
        ("get the weather", "The text is nothing that tools are made of: paste tools as JSON"),
        ("[1,]", "In line 1, column 3 of the JSON: Remove this comma"),
        ("[1]", "In line 1, column 2: $[0] must be a tool, an object, not 1."),
        ('{"a": 1}', "In line 1, column 1: $ is neither a tool, nor a function"),
        ('{"tools": []}', "$.tools is an empty array, which the server refuses"),
        ('{"tools": [], "mock": 1}', "$.tools is an empty array, which the server refuses"),
        ("def f(:", "The Python source has a mistake in line 1"),
        ("[" * 3_000_000, "In line 1, column 1 of the JSON: The text has 3,000,000 characters"),
    ],
)
def test_what_cannot_be_imported_is_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ImportFailed) as caught:
        import_tools(text)
    assert sentence in str(caught.value)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize("value", [None, 1, {"tools": {}}, {"result": []}, [[]], {"openapi": 3}])
def test_nothing_else_is_raised(value: Any) -> None:
    with pytest.raises(ImportFailed):
        import_tools(json.dumps(value))
