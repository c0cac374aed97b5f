"""Holding a value against a JSON Schema (2020-12) that anybody may have written.

Nothing is ever fetched: a `$ref` that leaves the schema leads nowhere. No schema stops the
server: the work of a check is bounded, and whatever goes wrong in it is one kind of error.
`format` asserts nothing, as the standard has it; `unevaluatedItems` and `unevaluatedProperties`,
whose cost has no bound, are not applied; a `$schema` of another draft changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend
from jsonschema_specifications import REGISTRY as PUBLISHED  # type: ignore[import-untyped]
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

from app.tools.errors import JsonTextError, SchemaUnusableError
from app.tools.json_text import check_value, json_path, shown
from app.tools.schema_keywords import KEYWORDS, OutOfStepsError, bounded_work

MAX_ERRORS = 20
"""Errors that one check lists; whoever mends them finds the rest."""

_ROOT = "urn:schema"
"""The address of a schema, beside the one that it may give itself."""

_DIALECT = "https://json-schema.org/draft/2020-12"
_VOCABULARIES = tuple(f"{_DIALECT}/meta/{name}" for name in ("core", "applicator", "validation"))
_METASCHEMA = {
    "$dynamicAnchor": "meta",
    "type": ["object", "boolean"],
    "allOf": [{"$ref": vocabulary} for vocabulary in _VOCABULARIES],
}
"""The standard's own, less what only describes: a title that is null does no harm."""


class SchemaCheck:
    """One schema, ready to be held against values. It is read, once, when it is first needed."""

    def __init__(self, schema: Any) -> None:
        self._schema = schema
        self._resolver: Any = None
        self._targets: dict[str, Any] = {}

    def errors(self, value: Any) -> list[ValidationError]:
        """What is wrong with a JSON value, at most MAX_ERRORS; raises SchemaUnusableError."""
        resolver = self._ready()
        return _errors(self._schema, value, resolver)

    def accepts(self, value: Any, part: Any) -> bool:
        """Whether a value satisfies a schema made of parts of this one, its `$schema` left out.

        False too where the schema cannot be used.
        """
        try:
            return not _errors(part, value, self._ready())
        except SchemaUnusableError:
            return False

    def root(self) -> Any:
        """The schema without its `$schema`; raises SchemaUnusableError."""
        self._ready()
        return self._schema

    def target(self, reference: str) -> Any:
        """What a `$ref` leads to, seen from the root; raises SchemaUnusableError."""
        if reference not in self._targets:
            try:
                found = self._ready().lookup(reference).contents
            except Unresolvable:
                raise SchemaUnusableError(f"its $ref {shown(reference)} leads nowhere") from None
            _check_schema(found)
            self._targets[reference] = found
        return self._targets[reference]

    def _ready(self) -> Any:
        if self._resolver is None:
            _check_schema(self._schema)
            self._schema = _in_one_dialect(self._schema)
            self._resolver = _resolver(self._schema, Registry())
        return self._resolver


def schema_errors(schema: Any) -> list[ValidationError]:
    """Why a value is no JSON Schema, at most MAX_ERRORS; raises SchemaUnusableError."""
    try:
        check_value(schema)
    except JsonTextError as error:
        raise SchemaUnusableError(f"it {error}") from None
    return _errors(_METASCHEMA, schema, _METASCHEMA_RESOLVER)


def lost_references(schema: Any, references: Sequence[str]) -> frozenset[str]:
    """Those of the references that lead nowhere, seen from the root; nothing is ever fetched.

    None are known to be lost where the schema cannot be used.
    """
    if not references:
        return frozenset()
    try:
        resolver = _resolver(_in_one_dialect(schema), Registry())
    except SchemaUnusableError:
        return frozenset()
    return frozenset(each for each in references if not _leads_somewhere(resolver, each))


def _leads_somewhere(resolver: Any, reference: str) -> bool:
    try:
        resolver.lookup(reference)
    except Unresolvable:
        return False
    except Exception:  # a pointer into what is no schema: the check of the schema tells of it
        return True
    return True


def _check_schema(schema: Any) -> None:
    wrong = next(iter(schema_errors(schema)), None)
    if wrong is not None:
        path = json_path(wrong.absolute_path)
        raise SchemaUnusableError(f"{path} cannot be {shown(wrong.instance)}")


def _errors(schema: Any, value: Any, resolver: Any) -> list[ValidationError]:
    try:
        with bounded_work():
            return list(islice(_VALIDATOR.descend(value, schema, resolver=resolver), MAX_ERRORS))
    except SchemaUnusableError:
        raise
    except Unresolvable:
        raise SchemaUnusableError("a reference in it leads nowhere") from None
    except RecursionError:
        raise SchemaUnusableError("its references lead too deep") from None
    except OutOfStepsError:
        raise SchemaUnusableError("checking against it takes too long") from None
    except Exception as error:  # whatever the library stumbles over: a $ref to what is no schema
        raise _unusable(error) from None


def _resolver(schema: Any, registry: Any) -> Any:
    """Follows the references of a schema; reading it whole here makes each of them cheap."""
    resource = DRAFT202012.create_resource(schema)
    try:
        known = registry.with_resource(_ROOT, resource).crawl()
        return known.resolver(_ROOT).in_subresource(resource)
    except Exception as error:  # addresses and anchors come from the schema as well
        raise _unusable(error) from None


def _unusable(error: Exception) -> SchemaUnusableError:
    return SchemaUnusableError(f"it cannot be applied ({type(error).__name__})")


def _in_one_dialect(schema: Any) -> Any:
    """The schema without its `$schema`: the library would change over to a validator of its own,
    which counts no steps and backtracks in patterns.
    """
    if isinstance(schema, Mapping):
        return {
            key: _in_one_dialect(each)
            for key, each in schema.items()
            if key != "$schema" or not isinstance(each, str)
        }
    return [_in_one_dialect(each) for each in schema] if isinstance(schema, list) else schema


def _vocabulary(uri: str) -> Any:
    return DRAFT202012.create_resource(_in_one_dialect(PUBLISHED.contents(uri)))


_VALIDATOR: Any = extend(Draft202012Validator, KEYWORDS)({})  # type: ignore[no-untyped-call]
_METASCHEMA_RESOLVER = _resolver(
    _METASCHEMA, Registry().with_resources((uri, _vocabulary(uri)) for uri in _VOCABULARIES)
)
