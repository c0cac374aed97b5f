"""The routes of an OpenAPI document as values that a page can show."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Schema: TypeAlias = Mapping[str, Any]
Document: TypeAlias = Mapping[str, Any]

_METHODS = ("get", "post", "put", "patch", "delete")
_JSON = "application/json"
_MULTIPART = "multipart/form-data"
_OWNER = "x-owner"
_LIMITS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "less than {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "{} or more items",
    "maxItems": "at most {} items",
    "pattern": "matches `{}`",
}
_UNTOLD = "Successful Response"
"""What FastAPI says of an answer where nobody has said anything."""

_SUCCESS = {"200": "What was asked for.", "201": "What was made.", "204": "Done; no body."}
_EXAMPLES: Mapping[str, Any] = {"string": "text", "integer": 1, "number": 1, "boolean": True}


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter, or one place of a body: `options.effort`, `files[].name`."""

    name: str
    place: str
    type: str
    required: bool
    default: str | None
    limits: str
    description: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a route may answer."""

    status: str
    description: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One route: what it does, what it takes, what it answers, and how to call it."""

    method: str
    path: str
    anchor: str
    description: str
    parameters: tuple[Field, ...]
    body_type: str
    body: tuple[Field, ...]
    answers: tuple[Answer, ...]
    curl: str


@dataclass(frozen=True, slots=True)
class Group:
    """Routes that belong together, under the tag that they have."""

    name: str
    operations: tuple[Operation, ...]


def read_groups(document: Document) -> tuple[Group, ...]:
    """The tagged routes of a document, in its order. Routes without a tag are not for callers."""
    groups: dict[str, list[Operation]] = {}
    for path, item in document["paths"].items():
        for method in _METHODS:
            stated = item.get(method)
            if stated and stated.get("tags"):
                operation = _operation(document, method, path, stated)
                groups.setdefault(stated["tags"][0], []).append(operation)
    return tuple(Group(name, tuple(operations)) for name, operations in groups.items())


def _operation(document: Document, method: str, path: str, stated: Schema) -> Operation:
    parameters = stated.get("parameters", [])
    body_type, body = _body(document, stated)
    return Operation(
        method=method.upper(),
        path=path,
        anchor=stated["operationId"],
        description=stated.get("description", ""),
        parameters=tuple(
            _field(document, each["name"], each["in"], each["schema"], each)
            for each in parameters
            if each["name"] != _OWNER
        ),
        body_type=body_type,
        body=tuple(_fields(document, body)) if body else (),
        answers=tuple(
            Answer(status, _answer(status, answer["description"]))
            for status, answer in stated["responses"].items()
            if status != "default"
        ),
        curl=_curl(document, method, path, stated),
    )


def _answer(status: str, description: str) -> str:
    return _SUCCESS.get(status, description) if description == _UNTOLD else description


def _body(document: Document, stated: Schema) -> tuple[str, Schema | None]:
    content: Schema = stated.get("requestBody", {}).get("content", {})
    for media_type, described in content.items():
        return media_type, _resolved(document, described["schema"])
    return "", None


def _resolved(document: Document, schema: Schema) -> Schema:
    """The schema that a reference leads to; what stands beside the reference counts as well."""
    if "$ref" not in schema:
        return schema
    name = schema["$ref"].rsplit("/", 1)[-1]
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    return {**document["components"]["schemas"][name], **beside}


def _fields(document: Document, schema: Schema, prefix: str = "") -> Iterator[Field]:
    """The places of an object, each object in it gone into."""
    required = schema.get("required", [])
    for name, stated in schema.get("properties", {}).items():
        inner = _resolved(document, stated)
        yield _field(
            document, prefix + name, "body", inner, {**inner, "required": name in required}
        )
        if inner.get("type") == "array":
            element = _resolved(document, inner.get("items", {}))
            yield from _fields(document, element, f"{prefix}{name}[].")
        else:
            yield from _fields(document, inner, f"{prefix}{name}.")


def _field(document: Document, name: str, place: str, schema: Schema, stated: Schema) -> Field:
    has_plain_default = "default" in schema and not schema.get("properties")
    return Field(
        name=name,
        place=place,
        type=_type(document, schema),
        required=bool(stated.get("required")),
        default=json.dumps(schema["default"]) if has_plain_default else None,
        limits=_sentence(", ".join(_limits(schema))),
        description=stated.get("description", ""),
    )


def _type(document: Document, schema: Schema) -> str:
    schema = _resolved(document, schema)
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_type(document, each) for each in schema["anyOf"]))
    if "enum" in schema:
        return " or ".join(json.dumps(value) for value in schema["enum"])
    if "const" in schema:
        return json.dumps(schema["const"])
    if schema.get("format") == "binary" or "contentMediaType" in schema:
        return "file"
    if schema.get("type") == "array":
        return f"array of {_type(document, schema.get('items', {}))}"
    kind: str = schema.get("type", "any value")
    return kind


def _limits(schema: Schema) -> Iterator[str]:
    for key, wording in _LIMITS.items():
        if key in schema:
            value = schema[key]
            yield wording.format(value if isinstance(value, str) else _number(value))
    for each in schema.get("anyOf", ()):
        yield from _limits(each)


def _sentence(limits: str) -> str:
    return f"{limits[0].upper()}{limits[1:]}." if limits else ""


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) and abs(value) < 2**53 else f"{value:g}"


def _curl(document: Document, method: str, path: str, stated: Schema) -> str:
    """A command line that works where `$BASE` and `$OWNER`, and what the path names, are set."""
    parameters: Sequence[Schema] = stated.get("parameters", [])
    address = path
    query = []
    for each in parameters:
        variable = f"${_variable(each['name'])}"
        if each["in"] == "path":
            address = address.replace(f"{{{each['name']}}}", variable)
        elif each["in"] == "query" and each.get("required"):
            query.append(f"{each['name']}={variable}")
    address += f"?{'&'.join(query)}" if query else ""
    lines = [f'curl -s{_verb(method, stated)} "$BASE{address}"']
    if any(each["name"] == _OWNER for each in parameters):
        lines.append('-H "X-Owner: $OWNER"')
    body_type, body = _body(document, stated)
    if body is not None and body_type == _JSON:
        lines.append("-H 'Content-Type: application/json'")
        lines.append(f"-d {shlex.quote(json.dumps(_example(document, body)))}")
    elif body is not None and body_type == _MULTIPART:
        lines += [f"-F {name}=@{_file(body, name)}" for name in body.get("required", [])]
    return " \\\n  ".join(lines)


def _file(body: Schema, name: str) -> str:
    """A file for a form's field: the example that it gives itself, else a picture."""
    examples: Sequence[str] = body["properties"][name].get("examples", ["picture.png"])
    return examples[0]


def _verb(method: str, stated: Schema) -> str:
    has_body = "requestBody" in stated
    if method == ("post" if has_body else "get"):
        return ""
    return f" -X {method.upper()}"


def _variable(name: str) -> str:
    return name.removesuffix("_id").upper()


def _example(document: Document, schema: Schema) -> Any:
    """A value that the schema takes: the one it gives itself, else what is required of it."""
    schema = _resolved(document, schema)
    if schema.get("examples"):
        return schema["examples"][0]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return _example(document, schema["anyOf"][0])
    if "properties" in schema:
        return {
            name: _example(document, schema["properties"][name])
            for name in schema.get("required", [])
        }
    if schema.get("type") == "array":
        return [_example(document, schema["items"])] if schema.get("minItems") else []
    return _EXAMPLES.get(schema.get("type", ""), {})
