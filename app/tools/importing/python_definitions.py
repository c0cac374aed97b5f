"""The schema of an annotation together with the definitions (`$defs`) that it refers to.

Each class of the source that is there for its values becomes a definition, so that it may refer
to itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from app.tools.importing.docstrings import read_docstring
from app.tools.importing.python_classes import PythonClasses
from app.tools.importing.python_types import (
    Schema,
    TypeReader,
    UnknownTypeError,
    arguments_of,
    enumeration,
    literal,
    name_of,
)

_WRAPPERS = frozenset(("Required", "NotRequired", "ReadOnly", "InitVar", "Final"))


@dataclass(frozen=True, slots=True)
class _Field:
    """A field of a record with the string below it, which describes it (PEP 257)."""

    name: str
    annotation: ast.expr
    value: ast.expr | None
    described: str


class Definitions:
    """What the annotations of one tool need; `unknown` are those that say nothing here."""

    def __init__(self, classes: PythonClasses) -> None:
        self.definitions: dict[str, Schema] = {}
        self.unknown: list[str] = []
        self._classes = classes
        self._reader = TypeReader(self._named)
        self._inside: set[str] = set()

    def schema(self, node: ast.expr) -> Schema:
        """The schema of an annotation; {} for one that is not known."""
        try:
            return self._reader.schema(node)
        except UnknownTypeError as error:
            self.unknown.append(str(error))
            return {}

    def _named(self, name: str) -> Schema | None:
        self._classes.count()
        node = self._classes.classes.get(name)
        if node is not None:
            return self._defined(name, node)
        alias = self._classes.aliases.get(name)
        if alias is None or name in self._inside:
            return None
        self._inside.add(name)
        try:
            return self._reader.schema(alias)
        finally:
            self._inside.discard(name)

    def _defined(self, name: str, node: ast.ClassDef) -> Schema | None:
        if not self._classes.is_type(node):
            return None
        if name not in self.definitions:
            self.definitions[name] = {}  # already known where it refers to itself
            summary = read_docstring(ast.get_docstring(node)).summary
            described = {"description": summary} if summary else {}
            is_enumeration = self._classes.is_enumeration(node)
            made = self._enumeration(node) if is_enumeration else self._record(node)
            self.definitions[name] = {**described, **made}
        return {"$ref": f"#/$defs/{name}"}

    def _enumeration(self, node: ast.ClassDef) -> Schema:
        return enumeration(list(self._classes.members(node).values()))

    def _record(self, node: ast.ClassDef) -> Schema:
        properties, required = self._fields(node, frozenset())
        names = [name for name in properties if name in required]
        return {
            "type": "object",
            "properties": properties,
            **({"required": names} if names else {}),
        }

    def _fields(
        self, node: ast.ClassDef, seen: frozenset[str]
    ) -> tuple[dict[str, Schema], set[str]]:
        """The properties and which of them are required, those of the bases first."""
        self._classes.count()
        properties: dict[str, Schema] = {}
        required: set[str] = set()
        for base in map(name_of, node.bases):
            parent = self._classes.classes.get(base)
            if parent is not None and base not in seen:
                inherited, needed = self._fields(parent, seen | {base})
                properties |= inherited
                required |= needed
        is_total = not any(
            each.arg == "total" and isinstance(each.value, ast.Constant) and not each.value.value
            for each in node.keywords
        )
        described = read_docstring(ast.get_docstring(node)).parameters
        for each in _fields_of(node):
            default = self._classes.default(each.value)
            wrapper = name_of(each.annotation) if isinstance(each.annotation, ast.Subscript) else ""
            annotation = each.annotation
            if isinstance(annotation, ast.Subscript) and wrapper in _WRAPPERS:
                annotation = next(iter(arguments_of(annotation)), annotation)
            schema = default.added_to(self.schema(annotation))
            text = each.described or described.get(each.name, "")
            if text and "description" not in schema:
                schema = {**schema, "description": text}
            name = _alias(default.setting("alias")) or each.name
            properties[name] = schema
            is_key = wrapper == "Required" or (is_total and wrapper != "NotRequired")
            required.discard(name)
            if default.is_required and is_key:
                required.add(name)
        return properties, required


def _fields_of(node: ast.ClassDef) -> Iterator[_Field]:
    for statement, following in pairwise([*node.body, ast.Pass()]):
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        name = statement.target.id
        if name.startswith("_") or name_of(statement.annotation) == "ClassVar":
            continue
        if name == "model_config":
            continue
        described = ""
        if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
            text = following.value.value
            described = " ".join(text.split()) if isinstance(text, str) else ""
        yield _Field(name, statement.annotation, statement.value, described)


def _alias(node: ast.expr | None) -> str | None:
    try:
        value = literal(node) if node is not None else None
    except ValueError:
        return None
    return value if isinstance(value, str) else None
