"""Tools from an OpenAPI document, version 3.0 or 3.1: one for each operation.

The parameters of an operation and the fields of its body become one object of arguments. Nothing
is ever sent to the service: who answers the calls is decided here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from app.tools.importing.documents import read_document
from app.tools.importing.imported import Imported, ImportFailed, tool, tool_name
from app.tools.importing.openapi_schemas import OpenApiDocument, StandaloneSchemas
from app.tools.json_text import shortened, shown
from app.tools.tool_rules import MAX_TOOLS

MAX_DESCRIPTION = 1_024
"""Characters; other servers take no more."""

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_PLACES = ("path", "query", "header")
_SECRET_HEADERS = ("authorization", "proxy-authorization", "cookie", "x-api-key", "api-key")
_WRITTEN_HEADERS = ("accept", "content-type")
"""Headers that OpenAPI says are no parameters."""


@dataclass(frozen=True, slots=True)
class _Operation:
    """One operation with what its path says for all operations there."""

    path: str
    method: str
    value: Mapping[str, Any]
    shared: Any

    @property
    def place(self) -> str:
        return f"{self.method.upper()} {self.path}"


def tools_from_openapi(text: str) -> Imported:
    """A tool for each operation of a document, JSON or YAML, at most MAX_TOOLS of them.

    Raises ImportFailed.
    """
    return tools_of_document(read_document(text))


def tools_of_document(value: Any) -> Imported:
    """The same for a document that was read."""
    try:
        return _imported(value)
    except RecursionError:
        raise ImportFailed(
            "The schemas of the OpenAPI document lead too deep: make them simpler."
        ) from None


def _imported(value: Any) -> Imported:
    document = OpenApiDocument(_checked(value))
    operations = list(_operations(document))
    if not operations:
        raise ImportFailed("The OpenAPI document has no operation under $.paths: paste them too.")
    if len(operations) > MAX_TOOLS:
        document.note(
            f"Of {len(operations)} operations the first {MAX_TOOLS} are taken, which is the most."
        )
    tools: list[dict[str, Any]] = []
    results: dict[str, Any] = {}
    for operation in operations[:MAX_TOOLS]:
        taken = {each["function"]["name"] for each in tools}
        stated = operation.value.get("operationId")
        text = stated if isinstance(stated, str) else operation.method + operation.path
        name = tool_name(text, taken)
        parameters = _Arguments(document, operation).schema()
        tools.append(tool(name, _description(operation), parameters))
        result = _result(document, operation)
        if result is not None:
            results[name] = result
        if operation.value.get("deprecated") is True:
            document.note(f"{name} is deprecated, and kept.")
        if operation.value.get("security", document.value.get("security")):
            document.note("Signing in is left out: calls are answered here, and never sent.")
    return Imported(tuple(tools), results, tuple(document.notes))


def _checked(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ImportFailed(f"An OpenAPI document is an object, not {shown(value)}: paste it whole.")
    if "swagger" in value:
        raise ImportFailed(
            f"$.swagger is {shown(value['swagger'])}: convert the document to OpenAPI 3 first."
        )
    version = value.get("openapi")
    if not isinstance(version, str) or not version.startswith("3."):
        raise ImportFailed(f"$.openapi is {shown(version)}: only OpenAPI 3 documents are read.")
    return value


def _operations(document: OpenApiDocument) -> Iterator[_Operation]:
    paths = document.value.get("paths")
    for path, item in paths.items() if isinstance(paths, Mapping) else ():
        followed = document.followed(item)
        if not isinstance(followed, Mapping):
            continue
        for method in _METHODS:
            if isinstance(followed.get(method), Mapping):
                yield _Operation(path, method, followed[method], followed.get("parameters"))


def _description(operation: _Operation) -> str:
    said = (operation.value.get(key) for key in ("summary", "description"))
    texts = dict.fromkeys(each.strip() for each in said if isinstance(each, str) and each.strip())
    return shortened("\n\n".join(texts) or operation.place, MAX_DESCRIPTION)


class _Arguments:
    """The parameters of an operation and the fields of its body, gathered into one object."""

    def __init__(self, document: OpenApiDocument, operation: _Operation) -> None:
        self._document = document
        self._operation = operation
        self._schemas = StandaloneSchemas(document)
        self._properties: dict[str, Any] = {}
        self._required: list[str] = []

    def schema(self) -> dict[str, Any]:
        for parameter in self._parameters():
            self._add_parameter(parameter)
        self._add_body(self._document.followed(self._operation.value.get("requestBody")))
        made: dict[str, Any] = {"type": "object", "properties": self._properties}
        if self._required:
            made["required"] = self._required
        return {**made, **self._schemas.definitions()}

    def _parameters(self) -> list[Mapping[str, Any]]:
        """Those of the path, then those of the operation, which take the place of the former."""
        found: dict[tuple[Any, Any], Mapping[str, Any]] = {}
        for given in (self._operation.shared, self._operation.value.get("parameters")):
            for each in given if isinstance(given, list) else ():
                parameter = self._document.followed(each)
                if isinstance(parameter, Mapping) and isinstance(parameter.get("name"), str):
                    found[parameter["name"], str(parameter.get("in"))] = parameter
        return list(found.values())

    def _add_parameter(self, parameter: Mapping[str, Any]) -> None:
        name, place = parameter["name"], parameter.get("in")
        if place not in _PLACES or (place == "header" and name.lower() in _SECRET_HEADERS):
            self._note(f"{place} {shown(name)} is left out")
            return
        if place == "header" and name.lower() in _WRITTEN_HEADERS:
            return
        schema = parameter.get("schema", _first_schema(parameter.get("content")))
        is_required = place == "path" or parameter.get("required") is True
        self._add(name, str(place), schema, is_required, parameter.get("description"))

    def _add_body(self, body: Any) -> None:
        content = body.get("content") if isinstance(body, Mapping) else None
        if not isinstance(content, Mapping) or not content:
            return
        kind = _json_kind(content) or next(iter(content))
        media = content[kind]
        schema = media.get("schema") if isinstance(media, Mapping) else None
        is_required = body.get("required") is True
        if "json" not in kind and "form" not in kind and kind != "*/*":
            self._note(f"the body is {kind}, and becomes the argument body")
        fields = self._fields(schema) if isinstance(schema, Mapping) else None
        if fields is None:
            self._add("body", "body", schema, is_required, body.get("description"))
            return
        properties, required = fields
        for name, each in properties.items():
            self._add(name, "body", each, is_required and name in required, None)

    def _fields(
        self, schema: Any, seen: frozenset[str] = frozenset()
    ) -> tuple[dict[str, Any], set[str]] | None:
        """What may be sent of an object's fields, those joined by `allOf` included; else None.

        A field that is `readOnly` is not for requests, as OpenAPI has it.
        """
        reference = schema.get("$ref") if isinstance(schema, Mapping) else None
        if isinstance(reference, str):
            if reference in seen:
                return None
            seen |= {reference}
            schema = self._document.followed(schema)
        if not isinstance(schema, Mapping) or schema.keys() & {"anyOf", "oneOf", "not", "if"}:
            return None
        parts, own = schema.get("allOf", []), schema.get("properties", {})
        is_object = own or parts or schema.get("type") == "object"
        if not is_object or schema.get("additionalProperties") or not isinstance(own, Mapping):
            return None
        properties: dict[str, Any] = {}
        required = {each for each in _listed(schema.get("required")) if isinstance(each, str)}
        for part in _listed(parts):
            self._document.count()
            fields = self._fields(part, seen)
            if fields is None:
                return None
            properties |= fields[0]
            required |= fields[1]
        properties |= {
            key: each
            for key, each in own.items()
            if not (isinstance(each, Mapping) and each.get("readOnly") is True)
        }
        return properties, required

    def _add(self, name: str, place: str, schema: Any, is_required: bool, description: Any) -> None:
        key = name
        if key in self._properties:
            key = f"{place}_{name}"
            self._note(f"{place} {shown(name)} becomes {shown(key)}, since the name is taken")
        made = self._schemas.schema(schema)
        made = made if isinstance(made, dict) else {}
        if isinstance(description, str) and "description" not in made:
            made["description"] = description
        self._properties[key] = made
        if is_required and key not in self._required:
            self._required.append(key)

    def _note(self, text: str) -> None:
        self._document.note(f"{self._operation.place}: {text}.")


def _result(document: OpenApiDocument, operation: _Operation) -> dict[str, Any] | None:
    """The schema of the first good answer that is JSON."""
    responses = operation.value.get("responses")
    if not isinstance(responses, Mapping):
        return None
    good = sorted(code for code in responses if str(code).startswith("2"))
    for code in (*good, "default"):
        response = document.followed(responses.get(code))
        content = response.get("content") if isinstance(response, Mapping) else None
        kind = _json_kind(content) if isinstance(content, Mapping) else None
        media = content[kind] if isinstance(content, Mapping) and kind else None
        if isinstance(media, Mapping) and "schema" in media:
            schemas = StandaloneSchemas(document)
            made = schemas.schema(media["schema"])
            return {**made, **schemas.definitions()} if isinstance(made, dict) and made else None
    return None


def _json_kind(content: Mapping[str, Any]) -> str | None:
    return next((kind for kind in content if "json" in kind or kind == "*/*"), None)


def _first_schema(content: Any) -> Any:
    media = next(iter(content.values()), None) if isinstance(content, Mapping) else None
    return media.get("schema") if isinstance(media, Mapping) else None


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
