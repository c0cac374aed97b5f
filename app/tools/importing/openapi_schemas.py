"""The schemas of an OpenAPI document as JSON Schemas (2020-12) that stand alone.

Version 3.0 has a dialect of its own: `nullable`, and bounds that are true or false. What a schema
refers to in the document comes with it, under `$defs`.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping
from itertools import chain, count
from typing import Any
from urllib.parse import unquote

from app.tools.importing.imported import ImportFailed
from app.tools.json_text import shortened
from app.tools.schema_parts import with_parts

MAX_SCHEMAS = 100_000
"""Schemas that one import writes: each tool has its own copy of what it refers to."""

_MAX_CHAIN = 20
_OPENAPI_ALONE = ("discriminator", "xml", "externalDocs", "nullable", "example")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")


class OpenApiDocument:
    """A document, what its references lead to, and what is to be said about it."""

    def __init__(self, value: Mapping[str, Any]) -> None:
        self.value = value
        self.notes: list[str] = []
        self._written = 0

    def note(self, text: str) -> None:
        """Adds a note, once."""
        if text not in self.notes:
            self.notes.append(text)

    def count(self) -> None:
        """Counts a schema that is written. Raises ImportFailed after MAX_SCHEMAS."""
        self._written += 1
        if self._written > MAX_SCHEMAS:
            raise ImportFailed(
                "The operations of the OpenAPI document refer to too many schemas: "
                "paste the paths that you need alone."
            )

    def followed(self, value: Any) -> Any:
        """What a `$ref` leads to, or the value itself where it is none; None where it is lost."""
        for _ in range(_MAX_CHAIN):
            reference = value.get("$ref") if isinstance(value, Mapping) else None
            if not isinstance(reference, str):
                return value
            value = self.target(reference)
        return None

    def target(self, reference: str) -> Any:
        """What a JSON pointer (RFC 6901) of the document leads to; None, and a note, if nowhere."""
        found: Any = self.value if reference.startswith("#/") else None
        for step in reference[2:].split("/"):
            key = unquote(step).replace("~1", "/").replace("~0", "~")
            if isinstance(found, list) and key.isdecimal():
                found = found[int(key)] if int(key) < len(found) else None
            else:
                found = found.get(key) if isinstance(found, Mapping) else None
        if found is None:
            self.note(f"{shortened(reference)} leads nowhere in the document: anything goes there.")
        return found


class StandaloneSchemas:
    """Writes the schemas of one tool; what they refer to is collected."""

    def __init__(self, document: OpenApiDocument) -> None:
        self._document = document
        self._names: dict[str, str] = {}
        self._taken: set[str] = set()
        self._waiting: deque[str] = deque()

    def schema(self, value: Any) -> Any:
        """A schema in JSON Schema's own words, its references led to `$defs`."""
        self._document.count()
        if isinstance(value, bool):
            return value
        if not isinstance(value, Mapping):
            return {}
        reference = value.get("$ref")
        if isinstance(reference, str):
            value = {**value, "$ref": self._reference(reference)}
            if not value["$ref"]:
                return {}
        kept = {key: each for key, each in value.items() if _is_kept(key)}
        made = with_parts(kept, self.schema)
        _mend_bounds(made)
        if "example" in value and "examples" not in made:
            made["examples"] = [value["example"]]
        return _with_null(made) if value.get("nullable") is True else made

    def definitions(self) -> dict[str, Any]:
        """`{"$defs": ...}` of all that was referred to; {} where nothing was."""
        made: dict[str, Any] = {}
        while self._waiting:
            reference = self._waiting.popleft()
            made[self._names[reference]] = self.schema(self._document.target(reference))
        return {"$defs": made} if made else {}

    def _reference(self, reference: str) -> str:
        if reference not in self._names:
            if self._document.target(reference) is None:
                return ""
            name = self._free_name(unquote(reference.rsplit("/", 1)[-1]))
            self._taken.add(name)
            self._names[reference] = name
            self._waiting.append(reference)
        return f"#/$defs/{self._names[reference]}"

    def _free_name(self, text: str) -> str:
        plain = _NOT_IN_NAMES.sub("_", text) or "schema"
        numbered = (f"{plain}_{number}" for number in count(2))
        return next(each for each in chain((plain,), numbered) if each not in self._taken)


def _is_kept(key: str) -> bool:
    return key not in _OPENAPI_ALONE and not key.startswith("x-")


def _mend_bounds(schema: dict[str, Any]) -> None:
    """In 3.0, as in draft 4, an exclusive bound is a bound and a word that it is exclusive."""
    for exclusive, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(schema.get(exclusive), bool):
            is_exclusive = schema.pop(exclusive)
            if is_exclusive and bound in schema:
                schema[exclusive] = schema.pop(bound)


def _with_null(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema, which takes null as well."""
    declared = schema.get("type")
    if not isinstance(declared, str | list):
        return {"anyOf": [schema, {"type": "null"}]} if schema else {}
    types = [declared] if isinstance(declared, str) else declared
    made = {**schema, "type": list(dict.fromkeys((*types, "null")))}
    if isinstance(made.get("enum"), list) and None not in made["enum"]:
        made["enum"] = [*made["enum"], None]
    return made
