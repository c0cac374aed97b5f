"""The classes of a Python source and what its defaults say, read and never run.

Classes that are there for their values are enumerations, and records of named fields: typed
dictionaries, named tuples, data classes, and the models of pydantic, attrs and msgspec.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.tools.importing.imported import ImportFailed
from app.tools.importing.python_types import (
    Schema,
    constrained,
    literal,
    name_of,
    takes_null,
    union,
)

_ENUMS = frozenset(("Enum", "StrEnum", "IntEnum"))
_RECORDS = frozenset(("TypedDict", "NamedTuple", "BaseModel", "Struct", "SQLModel"))
_DECORATORS = frozenset(("dataclass", "define", "frozen", "attrs", "mutable"))
_FIELD_CALLS = frozenset(("Field", "field", "Query", "Path", "Body", "Header", "attrib", "ib"))

MAX_LOOKUPS = 20_000
"""Names that are looked up for one source: aliases and bases can multiply."""

MISSING: Final = object()
"""In place of a default that is no JSON value, or is made anew for each call."""


@dataclass(frozen=True, slots=True)
class Default:
    """What stands behind the `=` of a parameter or a field; `call` is its `Field(...)`."""

    is_required: bool
    value: Any = MISSING
    call: ast.Call | None = None

    def added_to(self, schema: Schema) -> Schema:
        """The schema with the default, and with what a `Field(...)` says."""
        made = constrained(schema, self.call) if self.call else schema
        if self.value is MISSING:
            return made
        if self.value is None and made and not takes_null(made):
            made = union([made, {"type": "null"}])
        return {**made, "default": self.value}

    def setting(self, name: str) -> ast.expr | None:
        """A setting of its `Field(...)`."""
        keywords = self.call.keywords if self.call else []
        return next((each.value for each in keywords if each.arg == name), None)


class PythonClasses:
    """The classes and the type aliases of a module, by name."""

    def __init__(self, module: ast.Module) -> None:
        self.classes: Mapping[str, ast.ClassDef] = {
            each.name: each for each in module.body if isinstance(each, ast.ClassDef)
        }
        self.aliases: Mapping[str, ast.expr] = dict(_aliases(module))
        self._lookups = 0

    def count(self) -> None:
        """Counts the lookup of a name. Raises ImportFailed after MAX_LOOKUPS."""
        self._lookups += 1
        if self._lookups > MAX_LOOKUPS:
            raise ImportFailed(
                "The types of the Python source lead to too many others: paste less at a time."
            )

    def is_enumeration(self, node: ast.ClassDef) -> bool:
        """Whether a class lists the values that there are."""
        return any(name_of(base) in _ENUMS for base in node.bases)

    def is_type(self, node: ast.ClassDef) -> bool:
        """Whether a class is there for its values, and not for its methods."""
        return self.is_enumeration(node) or self.record_base(node) is not None

    def record_base(self, node: ast.ClassDef, seen: frozenset[str] = frozenset()) -> str | None:
        """What makes a class a record, such as "TypedDict"; None for other classes."""
        self.count()
        if any(name_of(each) in _DECORATORS for each in node.decorator_list):
            return "dataclass"
        for base in map(name_of, node.bases):
            if base in _RECORDS:
                return base
            parent = self.classes.get(base)
            if parent is not None and base not in seen:
                found = self.record_base(parent, seen | {base})
                if found:
                    return found
        return None

    def members(self, node: ast.ClassDef) -> dict[str, Any]:
        """The values of an enumeration by name, as far as they are JSON."""
        is_text = "StrEnum" in map(name_of, node.bases)
        members: dict[str, Any] = {}
        for statement in node.body:
            if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
                continue
            name = name_of(statement.targets[0])
            if isinstance(statement.value, ast.Call) and name_of(statement.value) == "auto":
                members[name] = name.lower() if is_text else len(members) + 1
            elif not name.startswith("_"):
                value = _json_or_missing(statement.value)
                if value is not MISSING:
                    members[name] = value
        return members

    def default(self, node: ast.expr | None) -> Default:
        """What stands behind a `=`, or that nothing does."""
        if node is None or (isinstance(node, ast.Constant) and node.value is ...):
            return Default(is_required=True)
        if isinstance(node, ast.Call) and name_of(node) in _FIELD_CALLS:
            return self._field_default(node)
        if isinstance(node, ast.Attribute):
            return Default(False, self._member(node))
        return Default(False, _json_or_missing(node))

    def _field_default(self, call: ast.Call) -> Default:
        given = {each.arg: each.value for each in call.keywords}
        if "default_factory" in given or "factory" in given:
            return Default(False, call=call)
        inner = self.default(given.get("default", call.args[0] if call.args else None))
        return Default(inner.is_required, inner.value, call)

    def _member(self, node: ast.Attribute) -> Any:
        enumeration = self.classes.get(name_of(node.value))
        if enumeration is None or not self.is_enumeration(enumeration):
            return MISSING
        return self.members(enumeration).get(node.attr, MISSING)


def _json_or_missing(node: ast.expr) -> Any:
    try:
        return literal(node)
    except ValueError:
        return MISSING


def _aliases(module: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """`Name = Literal[...]`, with an annotation or not; `NewType`; `type Name = ...`."""
    for statement in module.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if _is_type(value):
                yield name, value
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.Call(args=[_, inner]) as call
            ) if name_of(call) == "NewType":
                yield name, inner
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if (
                name_of(statement.annotation) == "TypeAlias"
            ):
                yield name, value
            case _ if type(statement).__name__ == "TypeAlias":  # from Python 3.12 on
                yield name_of(getattr(statement, "name", None)), getattr(statement, "value")  # noqa: B009


def _is_type(node: ast.expr) -> bool:
    return isinstance(node, ast.Subscript | ast.Name | ast.Attribute) or (
        isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr)
    )
