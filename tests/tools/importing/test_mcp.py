from __future__ import annotations

import json
from typing import Any

import pytest

from app.tools.importing import ImportFailed, tools_from_mcp
from app.tools.tool_rules import MAX_TOOLS

SCHEMA = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}
LISTED = {
    "name": "get_weather",
    "title": "Weather",
    "description": "Weather for a city",
    "inputSchema": {**SCHEMA, "properties": {"city": {"type": "string"}}},
    "outputSchema": {"type": "object", "properties": {"temperature": {"type": "number"}}},
    "annotations": {"readOnlyHint": True},
}


@pytest.mark.parametrize(
    "value",
    [
        [LISTED],
        {"tools": [LISTED]},
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": [LISTED]}},
    ],
)
def test_a_list_is_read_in_each_of_its_envelopes(value: Any) -> None:
    result = tools_from_mcp(json.dumps(value))
    function = {
        "name": "get_weather",
        "description": "Weather for a city",
        "parameters": LISTED["inputSchema"],
    }
    assert result.tools == ({"type": "function", "function": function},)
    assert result.results == {"get_weather": LISTED["outputSchema"]}
    assert result.notes == ()


def test_what_is_changed_or_missing_is_said() -> None:
    tools = [{"name": "files.read", "title": "Read"}, {"name": "files/read", "inputSchema": {}}]
    result = tools_from_mcp(json.dumps({"tools": tools, "nextCursor": "2"}))
    assert [each["function"]["name"] for each in result.tools] == ["files_read", "files_read_2"]
    assert result.tools[0]["function"]["description"] == "Read"
    assert result.notes == (
        "The list goes on (nextCursor): import its other pages too.",
        '"files.read" becomes files_read.',
        "files_read has no inputSchema: it is taken to want no arguments.",
        '"files/read" becomes files_read_2.',
    )


def test_no_more_are_taken_than_can_be_sent() -> None:
    listed = [{"name": f"t{n}", "inputSchema": SCHEMA} for n in range(MAX_TOOLS + 1)]
    result = tools_from_mcp(json.dumps(listed))
    assert len(result.tools) == MAX_TOOLS
    assert result.notes == ("Of 129 tools the first 128 are taken, which is the most.",)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[", "In line 1, column 2 of the JSON: The text ends too early"),
        ("{}", "$ must be an array of MCP tools, not an object: paste the answer to tools/list."),
        ('{"result": {"tools": 1}}', "$.result.tools must be an array of MCP tools, not 1"),
        ('{"tools": []}', "$.tools lists no tools: there is nothing to import."),
        ('{"result": {"tools": [1]}}', "$.result.tools[0] must be a tool, an object, not 1."),
        ('[{"inputSchema": {}}]', "$[0].name is missing: a tool needs a name."),
        ('{"jsonrpc": "2.0", "error": {}}', "$.error: the MCP server answered with an error"),
    ],
)
def test_what_cannot_be_imported_is_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ImportFailed) as caught:
        tools_from_mcp(text)
    assert sentence in str(caught.value)
    assert str(caught.value).endswith(".")
