"""Declared tools as a Python module: the list that is sent, and a function to write for each."""

from __future__ import annotations

import json
import keyword
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

_WIDTH: Final = 88
"""Columns of a line: Black's."""

_INDENT: Final = "    "

_HEAD: Final = '''\
"""Tools of a model: write the functions, send TOOLS, and answer each call with `answer`."""

from __future__ import annotations

import json
from typing import {names}

TOOLS: list[dict[str, Any]] = '''

_ANSWER: Final = '''\
def answer(call: Any) -> dict[str, Any]:
    """The message that answers one of `message.tool_calls`, as the openai SDK gives it."""
    try:
        function = FUNCTIONS[call.function.name]
        result = function(**json.loads(call.function.arguments or "{}"))
    except NotImplementedError:
        raise
    except Exception as error:  # for the model to read, and to mend its call
        result = {"error": f"{type(error).__name__}: {error}"}
    content = result if isinstance(result, str) else json.dumps(result)
    return {"role": "tool", "tool_call_id": call.id, "content": content}
'''

_TAKEN: Final = frozenset(
    ("TOOLS", "FUNCTIONS", "answer", "json", "Any", "Literal", "isinstance", "str", "type", "dict")
)
"""Names that the module needs itself."""

_TYPES: Final = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
}


def tools_as_python(tools: Sequence[Mapping[str, Any]]) -> str:
    """A module that declares the tools, the OpenAI array, as they are, and a function for each.

    It runs as it stands: a function that is not written yet says so when it is called.
    """
    functions = _names(tools)
    written = [_function(name, functions[name], tool) for name, tool in _declared(tools)]
    members = (f"{_INDENT}{_string(name)}: {own},\n" for name, own in functions.items())
    table = "FUNCTIONS = {\n" + "".join(members) + "}\n"
    names = "Any, Literal" if any("Literal[" in each for each in written) else "Any"
    head = _HEAD.replace("{names}", names) + _literal(list(tools), "") + "\n"
    return "\n\n".join((head, *written, table, _ANSWER))


def _declared(tools: Iterable[Mapping[str, Any]]) -> Iterable[tuple[str, Mapping[str, Any]]]:
    return ((tool["function"]["name"], tool["function"]) for tool in tools)


def _names(tools: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The name of each tool's function, which must be one that Python takes."""
    names: dict[str, str] = {}
    for name, _ in _declared(tools):
        own = re.sub(r"\W", "_", name, flags=re.ASCII)
        own = own if own.isidentifier() else f"_{own}"
        while keyword.iskeyword(own) or own in _TAKEN or own in names.values():
            own += "_"
        names[name] = own
    return names


def _function(name: str, own: str, function: Mapping[str, Any]) -> str:
    schema = function.get("parameters")
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    properties = properties if isinstance(properties, Mapping) else {}
    required = schema.get("required") if isinstance(schema, Mapping) else None
    required = required if isinstance(required, list) else []
    parameters = [_parameter(key, each, key in required) for key, each in properties.items()]
    if not all(_is_parameter(key) for key in properties):
        parameters = ["**arguments: Any"]
    elif parameters:
        parameters.insert(0, "*")
    return (
        _signature(own, parameters)
        + _docstring(str(function.get("description") or name), properties)
        + f"{_INDENT}raise NotImplementedError({_string(f'{name} is not written yet')})\n"
    )


def _signature(own: str, parameters: Sequence[str]) -> str:
    line = f"def {own}({', '.join(parameters)}) -> Any:\n"
    if len(line) <= _WIDTH + 1:
        return line
    return f"def {own}(\n" + "".join(f"{_INDENT}{each},\n" for each in parameters) + ") -> Any:\n"


def _is_parameter(key: str) -> bool:
    return key.isidentifier() and not keyword.iskeyword(key)


def _parameter(key: str, schema: Any, is_required: bool) -> str:
    annotation = _annotation(schema)
    if is_required:
        return f"{key}: {annotation}"
    if isinstance(schema, Mapping) and "default" in schema:
        return f"{key}: {annotation} = {_literal(schema['default'], _INDENT, len(key))}"
    may_be_none = annotation == "Any" or annotation.endswith("None")
    return f"{key}: {annotation if may_be_none else annotation + ' | None'} = None"


def _annotation(schema: Any) -> str:
    if not isinstance(schema, Mapping):
        return "Any"
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if isinstance(values, list) and values and all(_is_plain(each) for each in values):
        return f"Literal[{', '.join(_literal(each, '') for each in values)}]"
    alternatives = schema.get("anyOf", schema.get("oneOf"))
    if isinstance(alternatives, list):
        return _union(_annotation(each) for each in alternatives)
    types = schema.get("type")
    return _union(
        _of_type(each, schema) for each in (types if isinstance(types, list) else [types])
    )


def _of_type(name: Any, schema: Mapping[str, Any]) -> str:
    if name == "array":
        return f"list[{_annotation(schema.get('items'))}]"
    if name == "object":
        return f"dict[str, {_annotation(schema.get('additionalProperties'))}]"
    return _TYPES.get(name, "Any") if isinstance(name, str) else "Any"


def _union(annotations: Iterable[str]) -> str:
    """None comes last, as it is mostly written."""
    every = sorted(dict.fromkeys(annotations), key=lambda each: each == "None")
    return "Any" if "Any" in every or not every else " | ".join(every)


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | None)


def _docstring(description: str, properties: Mapping[str, Any]) -> str:
    """In Google's style; what would end it, or be an escape, is escaped."""
    paragraphs = [_wrapped(each) for each in description.split("\n\n") if each.strip()]
    described = [
        _wrapped(f"{key}: {each['description']}", _INDENT)
        for key, each in properties.items()
        if isinstance(each, Mapping) and isinstance(each.get("description"), str)
    ]
    if described:
        paragraphs.append("\n".join((f"{_INDENT}Args:", *described)))
    text = "\n\n".join(paragraphs).removeprefix(_INDENT)
    text = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    is_short = "\n" not in text and len(text) + len(_INDENT) + 6 <= _WIDTH
    if is_short and not text.endswith('"'):
        return f'{_INDENT}"""{text}"""\n'
    return f'{_INDENT}"""{text}\n{_INDENT}"""\n'


def _wrapped(text: str, further: str = "") -> str:
    first = _INDENT + further
    return textwrap.fill(
        " ".join(text.split()),
        _WIDTH,
        initial_indent=first,
        subsequent_indent=first + further,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _literal(value: Any, indent: str, taken: int = 0) -> str:
    """A value as Python writes it: on one line where it fits, else a member a line."""
    flat = _flat(value)
    if not isinstance(value, list | dict) or len(indent) + taken + len(flat) <= _WIDTH - 1:
        return flat
    inner = indent + _INDENT
    if isinstance(value, list):
        return (
            "[\n" + "".join(f"{inner}{_literal(each, inner)},\n" for each in value) + indent + "]"
        )
    labels = {key: f"{_string(key)}: " for key in value}
    members = (
        f"{inner}{labels[key]}{_literal(each, inner, len(labels[key]))},\n"
        for key, each in value.items()
    )
    return "{\n" + "".join(members) + indent + "}"


def _flat(value: Any) -> str:
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_flat, value))}]"
    if isinstance(value, Mapping):
        return (
            "{" + ", ".join(f"{_string(key)}: {_flat(each)}" for key, each in value.items()) + "}"
        )
    return repr(value)


def _string(text: str) -> str:
    """JSON's literal of a text is Python's too."""
    return json.dumps(text, ensure_ascii=False)
