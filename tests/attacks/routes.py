"""All routes of the app by its own OpenAPI document, so that a new one is attacked by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Route:
    """One way in: its method, the path with its ids, the query that it needs, a body it takes."""

    method: str
    path: str
    ids: tuple[str, ...]
    query: dict[str, str]
    body: Any

    def filled(self, ids: dict[str, str]) -> str:
        """The path with these ids, any for those that are not named."""
        path = self.path
        for name in self.ids:
            path = path.replace(f"{{{name}}}", ids.get(name, "0" * 64))
        return path

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


def routes_of(document: dict[str, Any]) -> Iterator[Route]:
    """Each route of the document, with a body that its schema takes."""
    for path, methods in document["paths"].items():
        for method, stated in methods.items():
            parameters = stated.get("parameters", [])
            ids = tuple(each["name"] for each in parameters if each["in"] == "path")
            query = {
                each["name"]: str(_value(document, each["schema"]))
                for each in parameters
                if each["in"] == "query" and each.get("required")
            }
            content = stated.get("requestBody", {}).get("content", {})
            schema = content.get(JSON, {}).get("schema")
            body = None if schema is None else _value(document, schema)
            yield Route(method.upper(), path, ids, query, body)


def _value(document: dict[str, Any], schema: dict[str, Any]) -> Any:
    """A value that a schema takes: its example, else what it requires."""
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
    if schema.get("examples"):
        return schema["examples"][0]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return _value(document, schema["anyOf"][0])
    if "properties" in schema:
        return {
            name: _value(document, schema["properties"][name])
            for name in schema.get("required", ())
        }
    plain = {"string": "text-of-the-test", "integer": 1, "number": 1.0, "boolean": True}
    return plain.get(schema.get("type", ""), [])
