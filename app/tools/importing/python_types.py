"""JSON Schemas for the annotations of a Python source, which is read and never run."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

Schema: TypeAlias = dict[str, Any]

_PLAIN: Mapping[str, Schema] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "complex": {},
    "bool": {"type": "boolean"},
    "None": {"type": "null"},
    "NoneType": {"type": "null"},
    "Any": {},
    "object": {},
    "list": {"type": "array"},
    "tuple": {"type": "array"},
    "set": {"type": "array", "uniqueItems": True},
    "dict": {"type": "object"},
    "Decimal": {"type": "number"},
    "Path": {"type": "string"},
    "datetime": {"type": "string", "format": "date-time"},
    "date": {"type": "string", "format": "date"},
    "time": {"type": "string", "format": "time"},
    "timedelta": {"type": "string", "format": "duration"},
    "UUID": {"type": "string", "format": "uuid"},
    "EmailStr": {"type": "string", "format": "email"},
    "AnyUrl": {"type": "string", "format": "uri"},
    "HttpUrl": {"type": "string", "format": "uri"},
    "PositiveInt": {"type": "integer", "exclusiveMinimum": 0},
    "NonNegativeInt": {"type": "integer", "minimum": 0},
    "PositiveFloat": {"type": "number", "exclusiveMinimum": 0},
    "NonNegativeFloat": {"type": "number", "minimum": 0},
}
_LISTS = frozenset(
    ("list", "List", "Sequence", "MutableSequence", "Iterable", "Collection", "deque", "Deque")
)
_TUPLES = frozenset(("tuple", "Tuple"))
_SETS = frozenset(("set", "Set", "frozenset", "FrozenSet", "AbstractSet", "MutableSet"))
_MAPPINGS = frozenset(
    ("dict", "Dict", "Mapping", "MutableMapping", "OrderedDict", "DefaultDict", "defaultdict")
)
_SAME = frozenset(
    ("ClassVar", "Final", "InitVar", "Required", "NotRequired", "ReadOnly", "Awaitable", "Type")
)
"""Generics that say nothing about the value inside."""

_ALIASES = {
    **dict.fromkeys(_LISTS, "list"),
    **dict.fromkeys(_TUPLES, "tuple"),
    **dict.fromkeys(_SETS, "set"),
    **dict.fromkeys(_MAPPINGS, "dict"),
}

_BOUNDS = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
    "pattern": "pattern",
    "regex": "pattern",
    "examples": "examples",
}
_LENGTHS = {"string": "Length", "array": "Items", "object": "Properties"}
_SINGLE_BOUNDS = {"Ge": "ge", "Gt": "gt", "Le": "le", "Lt": "lt", "MultipleOf": "multiple_of"}
_SINGLE_LENGTHS = {"MinLen": "min_length", "MaxLen": "max_length"}
_A_NUMBER = (int, float)
_FITTING = {"description": str, "pattern": str, "examples": list}
"""What a keyword's value must be; all others are numbers."""

_JSON_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}


class UnknownTypeError(ValueError):
    """An annotation that says nothing here; the text is the annotation."""


def name_of(node: ast.AST | None) -> str:
    """The last name of what a name, an attribute, a call or a subscript refers to; else ""."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Call(func=inner) | ast.Subscript(value=inner):
            return name_of(inner)
    return ""


def arguments_of(node: ast.Subscript) -> list[ast.expr]:
    """What stands in the brackets of a generic."""
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def literal(node: ast.expr) -> Any:
    """The JSON value that an expression spells out; raises ValueError for anything else."""
    try:
        return _as_json(ast.literal_eval(node))
    except TypeError:  # a key that cannot be one
        raise ValueError("no JSON value") from None


class TypeReader:
    """Schemas for annotations. `named` gives those of the source's own classes and aliases.

    `named` answers None for a name that the source does not define.
    """

    def __init__(self, named: Callable[[str], Schema | None]) -> None:
        self._named = named

    def schema(self, node: ast.expr) -> Schema:
        """The schema of an annotation. Raises UnknownTypeError."""
        match node:
            case ast.Constant(value=None):
                return {"type": "null"}
            case ast.Constant(value=str(text)):
                return self._quoted(text)
            case ast.Name() | ast.Attribute():
                return self._of_name(node)
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return union([self.schema(left), self.schema(right)])
            case ast.Subscript():
                return self._of_generic(node)
        raise UnknownTypeError(ast.unparse(node))

    def _quoted(self, text: str) -> Schema:
        try:
            return self.schema(ast.parse(text.strip(), mode="eval").body)
        except SyntaxError:
            raise UnknownTypeError(text) from None

    def _of_name(self, node: ast.expr) -> Schema:
        name = name_of(node)
        own = self._named(name)
        if own is not None:
            return own
        plain = _PLAIN.get(_ALIASES.get(name, name))
        if plain is None:
            raise UnknownTypeError(ast.unparse(node))
        return dict(plain)

    def _of_generic(self, node: ast.Subscript) -> Schema:
        name, arguments = name_of(node), arguments_of(node)
        if name in _TUPLES:
            return self._tuple(arguments)
        if not arguments:
            raise UnknownTypeError(ast.unparse(node))
        if name in _LISTS:
            return {"type": "array", **self._items(arguments[0])}
        if name in _SETS:
            return {"type": "array", **self._items(arguments[0]), "uniqueItems": True}
        if name in _MAPPINGS:
            return self._mapping(arguments)
        if name == "Optional":
            return union([self.schema(arguments[0]), {"type": "null"}])
        if name == "Union":
            return union([self.schema(each) for each in arguments])
        if name == "Literal":
            return self._literal(arguments)
        if name == "Annotated":
            return self._annotated(arguments)
        if name in _SAME:
            return self.schema(arguments[0])
        raise UnknownTypeError(ast.unparse(node))

    def _items(self, node: ast.expr) -> Schema:
        items = self.schema(node)
        return {"items": items} if items else {}

    def _tuple(self, arguments: Sequence[ast.expr]) -> Schema:
        if len(arguments) == 2 and _is_ellipsis(arguments[1]):
            return {"type": "array", **self._items(arguments[0])}
        if not arguments:
            return {"type": "array", "maxItems": 0}
        items = [self.schema(each) for each in arguments]
        return {
            "type": "array",
            "prefixItems": items,
            "minItems": len(items),
            "maxItems": len(items),
        }

    def _mapping(self, arguments: Sequence[ast.expr]) -> Schema:
        inner = self.schema(arguments[1]) if len(arguments) == 2 else {}
        return {"type": "object", **({"additionalProperties": inner} if inner else {})}

    def _literal(self, arguments: Sequence[ast.expr]) -> Schema:
        values: list[Any] = []
        for each in arguments:
            try:
                values.append(literal(each))
            except ValueError:
                raise UnknownTypeError(ast.unparse(each)) from None
        return enumeration(values)

    def _annotated(self, arguments: Sequence[ast.expr]) -> Schema:
        schema = self.schema(arguments[0])
        for each in arguments[1:]:
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                schema = {**schema, "description": each.value}
            elif isinstance(each, ast.Call):
                schema = constrained(schema, each)
        return schema


def enumeration(values: Sequence[Any]) -> Schema:
    """A schema of these values alone, with their type where they have one."""
    types = list(dict.fromkeys(_JSON_TYPES.get(type(each), "object") for each in values))
    if not values:
        return {}
    if "object" in types:
        return {"enum": list(values)}
    return {"type": types[0] if len(types) == 1 else types, "enum": list(values)}


def union(schemas: Sequence[Schema]) -> Schema:
    """Any of the schemas, as an array of types where that says it all."""
    flat: list[Schema] = []
    for each in schemas:
        parts = each["anyOf"] if each.keys() == {"anyOf"} else [each]
        flat += [part for part in parts if part not in flat]
    if not all(flat):
        return {}
    if len(flat) == 1:
        return flat[0]
    nulls = [each for each in flat if each == {"type": "null"}]
    others = [each for each in flat if each not in nulls]
    if all(each.keys() == {"type"} for each in others):
        types = [name for each in flat for name in _types(each)]
        return {"type": list(dict.fromkeys(types))}
    if len(others) == 1 and nulls and "type" in others[0]:
        only = {**others[0], "type": [*_types(others[0]), "null"]}
        return {**only, "enum": [*only["enum"], None]} if "enum" in only else only
    return {"anyOf": flat}


def takes_null(schema: Schema) -> bool:
    """Whether a schema that was made here says that null is allowed."""
    return "null" in _types(schema) or any(map(takes_null, schema.get("anyOf", ())))


def constrained(schema: Schema, call: ast.Call) -> Schema:
    """A schema with what pydantic's Field, Doc or annotated_types' Ge and the like say of it."""
    name, made = name_of(call), dict(schema)
    settings = {each.arg: each.value for each in call.keywords if each.arg}
    if name == "Doc" and call.args:
        settings["description"] = call.args[0]
    elif name in (_SINGLE_BOUNDS | _SINGLE_LENGTHS) and call.args:
        settings[(_SINGLE_BOUNDS | _SINGLE_LENGTHS)[name]] = call.args[0]
    elif name == "Len":
        settings |= dict(zip(("min_length", "max_length"), call.args, strict=False))
    for setting, node in settings.items():
        keyword = _keyword(setting, schema)
        if keyword is None:
            continue
        try:
            value = literal(node)
        except ValueError:
            continue
        if isinstance(value, _FITTING.get(keyword, _A_NUMBER)):
            made[keyword] = value
    return made


def _keyword(setting: str, schema: Schema) -> str | None:
    if setting in ("min_length", "max_length", "min_items", "max_items"):
        end = _LENGTHS.get(next(iter(_types(schema)), ""), "Length")
        return setting[:3] + end
    return "description" if setting == "description" else _BOUNDS.get(setting)


def _types(schema: Schema) -> list[str]:
    declared = schema.get("type", [])
    return [declared] if isinstance(declared, str) else list(declared)


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def _as_json(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_as_json(each) for each in value]
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise ValueError("a key is no text")
        return {key: _as_json(each) for key, each in value.items()}
    is_finite = not isinstance(value, float) or value - value == 0
    if isinstance(value, str | int | float | None) and is_finite:
        return value
    raise ValueError("no JSON value")
