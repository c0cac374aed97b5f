"""What is wrong with a call's arguments, in words for whoever reads the call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from jsonschema.exceptions import ValidationError

from app.chat.notices import Problem
from app.tools.json_text import json_path, shortened, shown

_LISTED = 8
"""Allowed values that a sentence lists."""

_BOUNDS = {
    "minimum": "at least",
    "maximum": "at most",
    "exclusiveMinimum": "greater than",
    "exclusiveMaximum": "less than",
    "multipleOf": "a multiple of",
}
_SIZES = {
    "minLength": ("at least", "character"),
    "maxLength": ("at most", "character"),
    "minItems": ("at least", "item"),
    "maxItems": ("at most", "item"),
    "minProperties": ("at least", "key"),
    "maxProperties": ("at most", "key"),
}
_OTHERS = {
    "required": "is missing",
    "additionalProperties": "is not declared in its schema",
    "properties": "is not allowed by its schema",
    "patternProperties": "is not allowed by its schema",
    "uniqueItems": "has the same item twice",
    "contains": "lacks an item that its schema asks for",
    "not": "is what its schema forbids",
    "anyOf": "fits none of the forms that its schema allows",
    "oneOf": "fits none, or more than one, of the forms that its schema allows",
}


def problems_of(errors: Iterable[ValidationError]) -> tuple[Problem, ...]:
    """Each error once, at its JSON path, in the order in which they were found."""
    return tuple(dict.fromkeys(_problem(error) for each in errors for error in _narrowed(each)))


def _problem(error: ValidationError) -> Problem:
    path = list(error.absolute_path)
    return Problem(json_path(path), f"{_subject(path)} {_what(error)}")


def _subject(path: Sequence[str | int]) -> str:
    """The last key of the path, with the indexes behind it: `'tags[2]'`."""
    last_key = next((at for at in reversed(range(len(path))) if isinstance(path[at], str)), None)
    if last_key is None:
        return "the value" if path else "the object"
    return "'" + str(path[last_key]) + json_path(path[last_key + 1 :])[1:] + "'"


def _what(error: ValidationError) -> str:
    keyword = str(error.validator)
    setting: Any = error.validator_value
    value = shown(error.instance)
    if keyword == "type":
        return f"must be {_types(setting)}, not {value}"
    if keyword == "enum":
        return f"must be {_one_of(setting)}, not {value}"
    if keyword == "pattern":
        return f"must match the pattern {shortened(setting)}, not be {value}"
    if keyword == "const":
        return f"must be {shown(setting)}, not {value}"
    if keyword in _BOUNDS:
        return f"must be {_BOUNDS[keyword]} {shown(setting)}, not {value}"
    if keyword in _SIZES:
        bound, unit = _SIZES[keyword]
        return f"must have {bound} {shown(setting)} {unit}{'' if setting == 1 else 's'}"
    return _OTHERS.get(keyword, "is not as its schema asks")


def _types(types: str | list[str]) -> str:
    names = [types] if isinstance(types, str) else types
    return _listed([_with_article(name) for name in names])


def _with_article(name: str) -> str:
    if name == "null":
        return name
    return f"an {name}" if name[0] in "aio" else f"a {name}"


def _one_of(values: list[Any]) -> str:
    if len(values) > _LISTED or any(isinstance(each, Mapping | list) for each in values):
        return f"one of the {len(values)} values that its schema lists"
    return _listed([shown(each) for each in values])


def _listed(words: Sequence[str]) -> str:
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _narrowed(error: ValidationError) -> Iterator[ValidationError]:
    """Of alternatives, the errors of the only one that was meant, if that is plain."""
    if error.validator not in ("anyOf", "oneOf") or not error.context:
        yield error
        return
    branches = [list(each) for _, each in groupby(error.context, key=lambda e: e.schema_path[0])]
    meant = [branch for branch in branches if not any(_is_other_form(each) for each in branch)]
    if len(meant) == 1:
        for each in meant[0]:
            yield from _narrowed(each)
    elif all(_is_other_type(each) for branch in branches for each in branch):
        yield _of_any_type(error)
    else:
        yield error


def _is_other_type(error: ValidationError) -> bool:
    return error.validator == "type" and not error.path


def _is_other_form(error: ValidationError) -> bool:
    """The branch is for another type, or for another value of the key that tells forms apart."""
    return _is_other_type(error) or (error.validator in ("const", "enum") and len(error.path) <= 1)


def _of_any_type(error: ValidationError) -> ValidationError:
    """One type error in place of an alternative of types."""
    allowed: list[str] = []
    for each in error.context:
        types: Any = each.validator_value
        allowed += [types] if isinstance(types, str) else types
    return ValidationError(
        error.message,
        validator="type",
        validator_value=list(dict.fromkeys(allowed)),
        instance=error.instance,
        path=error.absolute_path,
    )
