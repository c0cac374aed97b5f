"""Tools from the source of Python functions: parsed, never run.

A signature gives the parameters, their annotations the schemas, the docstring the descriptions. A
list of tools that is spelt out in the source is taken as it is, and the functions are then left.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from app.tools.errors import ToolSetError
from app.tools.importing.docstrings import read_docstring
from app.tools.importing.imported import Imported, ImportFailed, tool, tool_name
from app.tools.importing.python_classes import PythonClasses
from app.tools.importing.python_definitions import Definitions
from app.tools.importing.python_types import Schema, literal, name_of
from app.tools.json_text import shortened
from app.tools.toolset import read_toolset

MAX_SOURCE = 200_000
"""Characters of one source."""

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_RECEIVERS = ("self", "cls")
_LEFT_OUT = frozenset(("overload", "property", "cached_property", "setter", "deleter"))
"""Decorators of what is no function to call."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A function of the source, and the class that it is a method of."""

    node: _Function
    owner: str = ""


def tools_from_python(source: str) -> Imported:
    """A tool for each public function of the source, methods included, and schemas of results.

    Where there are private functions alone, these are taken. Raises ImportFailed.
    """
    if len(source) > MAX_SOURCE:
        raise ImportFailed(
            f"The Python source has {len(source):,} characters, and at most {MAX_SOURCE:,} are "
            "taken: paste the functions alone."
        )
    try:
        module = ast.parse(source)
        spelt_out = _spelt_out(module)
        return spelt_out if spelt_out is not None else _from_functions(module)
    except SyntaxError as error:
        if error.lineno is None:  # a text that is no source at all
            raise ImportFailed(f"The Python source cannot be read: {error.msg}.") from None
        place = f"line {error.lineno}, column {error.offset}"
        raise ImportFailed(f"The Python source has a mistake in {place}: {error.msg}.") from None
    except (RecursionError, MemoryError):
        raise ImportFailed("The Python source is nested too deep: make it simpler.") from None
    except ValueError as error:
        if isinstance(error, ImportFailed):
            raise
        raise ImportFailed(f"The Python source cannot be read: {error}.") from None


def _spelt_out(module: ast.Module) -> Imported | None:
    """The tools of a list in the source, such as `tools = [{"type": "function", ...}]`."""
    for statement in module.body:
        if not isinstance(statement, ast.Assign | ast.AnnAssign):
            continue
        value = statement.value
        if not isinstance(value, ast.List) or not value.elts or not _is_tool(value.elts[0]):
            continue
        target = statement.target if isinstance(statement, ast.AnnAssign) else statement.targets[0]
        name = name_of(target)
        try:
            tools = read_toolset(literal(value)).tools
        except ToolSetError as error:
            raise ImportFailed(f"The list {name} in line {value.lineno}: {error}") from None
        except ValueError:
            raise ImportFailed(
                f"The list {name} in line {value.lineno} holds more than plain values: "
                "write them out."
            ) from None
        return Imported(tools, notes=(f"The tools are those of the list {name}.",))
    return None


def _is_tool(node: ast.expr) -> bool:
    inside = [*node.keys, *node.values] if isinstance(node, ast.Dict) else []
    return any(isinstance(each, ast.Constant) and each.value == "function" for each in inside)


def _from_functions(module: ast.Module) -> Imported:
    classes = PythonClasses(module)
    found = _named(_functions(module, classes))
    public = {name: each for name, each in found.items() if not each.node.name.startswith("_")}
    if not found:
        raise ImportFailed("The Python source defines no function: paste one with its def line.")
    tools: list[dict[str, Any]] = []
    results: dict[str, Any] = {}
    notes: list[str] = []
    for name, each in (public or found).items():
        reader = _FunctionReader(name, each, classes)
        tools.append(reader.tool())
        result = reader.result()
        if result is not None:
            results[name] = result
        notes += reader.notes
    if public and len(public) < len(found):
        private = ", ".join(name for name in found if name not in public)
        notes.append(f"Left out as private: {private}.")
    return Imported(tuple(tools), results, tuple(notes))


def _functions(module: ast.Module, classes: PythonClasses) -> Iterator[_Found]:
    for node in module.body:
        if isinstance(node, _FUNCTIONS):
            yield _Found(node)
        elif isinstance(node, ast.ClassDef) and not classes.is_type(node):
            yield from (
                _Found(each, node.name) for each in node.body if isinstance(each, _FUNCTIONS)
            )


def _named(functions: Iterator[_Found]) -> dict[str, _Found]:
    """The functions by the names of their tools: a method's own, or with its class before it.

    Of functions of one name the last counts, as in Python.
    """
    found: dict[str, _Found] = {}
    for each in functions:
        if _LEFT_OUT & {name_of(decorator) for decorator in each.node.decorator_list}:
            continue
        name = tool_name(each.node.name, ())
        if name in found and found[name].owner != each.owner:
            name = tool_name(f"{each.owner}_{name}", found)
        found[name] = each
    return found


class _FunctionReader:
    """Reads one function; `notes` is what is to be said about it."""

    def __init__(self, name: str, found: _Found, classes: PythonClasses) -> None:
        self.notes: list[str] = []
        self._name = name
        self._found = found
        self._classes = classes
        self._docstring = read_docstring(ast.get_docstring(found.node))

    def tool(self) -> dict[str, Any]:
        """The function as a tool."""
        definitions = Definitions(self._classes)
        properties: dict[str, Schema] = {}
        required: list[str] = []
        for parameter, value in self._parameters():
            default = self._classes.default(value)
            schema = default.added_to(self._schema(parameter, definitions))
            text = self._docstring.parameters.get(parameter.arg)
            if text and "description" not in schema:
                schema = {**schema, "description": text}
            properties[parameter.arg] = schema
            if default.is_required:
                required.append(parameter.arg)
        parameters: Schema = {"type": "object", "properties": properties}
        if required:
            parameters["required"] = required
        parameters |= _definitions(definitions)
        return tool(self._name, self._docstring.summary, parameters)

    def result(self) -> Schema | None:
        """The schema of what it returns, where the annotation says something."""
        annotation = self._found.node.returns
        if annotation is None:
            return None
        definitions = Definitions(self._classes)
        schema = definitions.schema(annotation)
        if not schema or schema == {"type": "null"}:
            return None
        described = {"description": self._docstring.returns} if self._docstring.returns else {}
        return {**schema, **described, **_definitions(definitions)}

    def _parameters(self) -> Iterator[tuple[ast.arg, ast.expr | None]]:
        """The parameters that a call can name, each with its default."""
        given = self._found.node.args
        positional = [*given.posonlyargs, *given.args]
        defaults = [*[None] * (len(positional) - len(given.defaults)), *given.defaults]
        pairs = [*zip(positional, defaults, strict=True)]
        is_static = "staticmethod" in map(name_of, self._found.node.decorator_list)
        if pairs and ((self._found.owner and not is_static) or pairs[0][0].arg in _RECEIVERS):
            self._note(f"{pairs[0][0].arg} is left out")
            pairs = pairs[1:]
        for star, argument in (("*", given.vararg), ("**", given.kwarg)):
            if argument is not None:
                self._note(f"{star}{argument.arg} is left out: a call names each argument")
        yield from pairs
        yield from zip(given.kwonlyargs, given.kw_defaults, strict=True)

    def _schema(self, parameter: ast.arg, definitions: Definitions) -> Schema:
        """By its annotation, else by the type that the docstring has."""
        if parameter.annotation is not None:
            schema = definitions.schema(parameter.annotation)
            if definitions.unknown:
                unknown = shortened(definitions.unknown[-1])
                self._note(f"the type {unknown} of {parameter.arg} is not known, anything goes")
                definitions.unknown.clear()
            return schema
        text = self._docstring.types.get(parameter.arg, "").removesuffix(", optional")
        try:
            schema = definitions.schema(ast.parse(text.strip(), mode="eval").body)
        except SyntaxError:
            schema = {}
        definitions.unknown.clear()
        if not schema:
            self._note(f"{parameter.arg} has no type, anything goes")
        return schema

    def _note(self, text: str) -> None:
        self.notes.append(f"{self._name}: {text}.")


def _definitions(read: Definitions) -> Schema:
    return {"$defs": read.definitions} if read.definitions else {}
