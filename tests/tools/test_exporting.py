from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.tools.exporting import tools_as_python
from app.tools.importing import tools_from_python
from app.tools.toolset import parse_toolset

FOLDER = Path(__file__).parents[2] / "assets" / "tool_sets"
SETS = sorted(path.name for path in FOLDER.glob("*.json") if path.stem != "index")


def tool(name: str, description: str = "Do it.", **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    function = {"name": name, "description": description, "parameters": schema}
    return {"type": "function", "function": function}


def run(source: str) -> dict[str, Any]:
    """The names of the module, which is run as whoever pastes it would."""
    names: dict[str, Any] = {}
    exec(compile(source, "exported.py", "exec"), names)
    return names


def call(name: str, arguments: str) -> Any:
    return SimpleNamespace(id="c1", function=SimpleNamespace(name=name, arguments=arguments))


def types(schema: Any) -> Any:
    """What a schema says of its value's type; None set aside, which an optional one may be."""
    values = [each for each in schema.get("enum", ()) if each is not None]
    if values:
        return values
    named = schema.get("type", [])
    plain = {named} if isinstance(named, str) else set(named)
    return plain - {"null"}, types(schema["items"]) if "items" in schema else None


@pytest.mark.parametrize("file", SETS)
def test_a_ready_made_set_comes_back_as_it_was(file: str) -> None:
    tools = parse_toolset((FOLDER / file).read_text(encoding="utf-8")).tools
    back = tools_from_python(tools_as_python(tools)).tools
    assert json.dumps(back) == json.dumps(tools)


@pytest.mark.parametrize("file", SETS)
def test_its_functions_alone_say_nearly_all_of_it(file: str) -> None:
    tools = parse_toolset((FOLDER / file).read_text(encoding="utf-8")).tools
    source = tools_as_python(tools)
    functions = source[source.index("\n\ndef ") : source.index("\n\nFUNCTIONS = ")]
    back = tools_from_python(functions).tools
    for declared, read in zip(tools, back, strict=True):
        one, other = declared["function"], read["function"]
        assert (one["name"], one["description"]) == (other["name"], other["description"])
        ours, theirs = one["parameters"]["properties"], other["parameters"]["properties"]
        assert list(ours) == list(theirs)
        assert one["parameters"]["required"] == other["parameters"]["required"]
        for key, schema in ours.items():
            assert types(schema) == types(theirs[key])
            assert schema["description"] == theirs[key]["description"]


def test_the_module_declares_and_answers() -> None:
    tools = [tool("add", a={"type": "integer"}, b={"type": "integer"})]
    module = run(tools_as_python(tools))
    assert module["TOOLS"] == tools
    with pytest.raises(NotImplementedError, match="add is not written yet"):
        module["answer"](call("add", '{"a": 1, "b": 2}'))
    module["FUNCTIONS"]["add"] = lambda a, b: {"sum": a + b}
    assert module["answer"](call("add", '{"a": 1, "b": 2}')) == {
        "role": "tool",
        "tool_call_id": "c1",
        "content": '{"sum": 3}',
    }
    assert "error" in json.loads(module["answer"](call("add", '{"a": 1'))["content"])
    assert "error" in json.loads(module["answer"](call("subtract", ""))["content"])


@pytest.mark.parametrize(
    ("schema", "parameter"),
    [
        ({"type": "string"}, "x: str"),
        ({"type": ["null", "integer"]}, "x: int | None"),
        ({"enum": ["a", 1, None]}, 'x: Literal["a", 1, None]'),
        ({"const": True}, "x: Literal[True]"),
        ({"enum": [{}]}, "x: Any"),
        ({"type": "array", "items": {"type": "number"}}, "x: list[float]"),
        ({"type": "array"}, "x: list[Any]"),
        ({"type": "object", "additionalProperties": {"type": "boolean"}}, "x: dict[str, bool]"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "x: str | None"),
        ({"$ref": "#/$defs/a"}, "x: Any"),
        (True, "x: Any"),
    ],
)
def test_schemas_become_annotations(schema: Any, parameter: str) -> None:
    assert f"def f(*, {parameter}) -> Any:" in tools_as_python([tool("f", x=schema)])


def test_what_may_be_left_out_has_a_default() -> None:
    declared = tool("f", a={"type": "integer"}, b={"type": "integer", "default": 3}, c={})
    declared["function"]["parameters"]["required"] = []
    source = tools_as_python([declared])
    assert "def f(*, a: int | None = None, b: int = 3, c: Any = None) -> Any:" in source


@pytest.mark.parametrize(
    "tools",
    [
        [tool("get weather"), tool("get-weather"), tool("get_weather"), tool("2fast")],
        [tool("class"), tool("json"), tool("answer"), tool("TOOLS"), tool("str")],
        [tool("f", **{"from": {"type": "string"}, "a b": {}})],
        [tool("f", 'Says """hi""" and \\n ends with a "quote"', x={"description": "a\\"})],
        [tool("f", "Two\n\nparagraphs of “text” é \U0001f600 \u2028 \x7f.")],
        [{"type": "function", "function": {"name": "bare"}}],
        [{"type": "function", "function": {"name": "odd", "parameters": {"properties": ["x"]}}}],
        [tool("long", x={"enum": [f"value number {number}" for number in range(50)]})],
    ],
)
def test_whatever_is_declared_the_module_runs(tools: list[Any]) -> None:
    module = run(tools_as_python(tools))
    assert module["TOOLS"] == tools
    assert list(module["FUNCTIONS"]) == [each["function"]["name"] for each in tools]
    assert len(set(module["FUNCTIONS"].values())) == len(tools)
    for function in module["FUNCTIONS"].values():
        assert function.__doc__
